//! The bytes that wait to be written, as one run of whole lines.

use super::lines::CHUNK;
use crate::bound::Permit;

/// Once so many bytes wait to be written, no more messages are taken from a client that does not read.
pub(crate) const MAX_BACKLOG: usize = 4 << 20;

/// How many small writes a buffer that has grown stays large for.
const SMALL_WRITES: u8 = 16;

/// Lines that wait to be written.
#[derive(Debug, Default)]
pub(super) struct UnsentBytes {
    bytes: Vec<u8>,
    /// The buffer that takes turns with `bytes`.
    spare: Vec<u8>,
    small_writes: u8,
    /// The memory of the answers in `bytes`.
    memory: Vec<Permit>,
    /// The memory of the answers in a buffer that was taken out.
    memory_of_taken: Vec<Permit>,
}

impl UnsentBytes {
    /// Adds a message as a line; its buffer comes back empty.
    pub(super) fn push(&mut self, message: &mut Vec<u8>) {
        message.push(b'\n');
        if self.bytes.is_empty() {
            std::mem::swap(&mut self.bytes, message);
            message.clear();
        } else {
            self.bytes.append(message);
        }
    }

    /// Holds the memory of a message that was added until it has been written.
    pub(super) fn hold(&mut self, memory: Option<Permit>) {
        self.memory.extend(memory);
    }

    /// Adds a message that a function writes.
    pub(super) fn write(&mut self, message: impl FnOnce(&mut Vec<u8>)) {
        message(&mut self.bytes);
        self.bytes.push(b'\n');
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Takes everything out, to be written.
    pub(super) fn take(&mut self) -> Vec<u8> {
        let spare = std::mem::take(&mut self.spare);
        self.memory_of_taken.append(&mut self.memory);
        std::mem::replace(&mut self.bytes, spare)
    }

    /// Takes a buffer back, of which the first bytes have been written.
    pub(super) fn put_back(&mut self, mut buffer: Vec<u8>, written: usize) {
        if written < buffer.len() {
            buffer.drain(..written);
            buffer.append(&mut self.bytes);
            self.spare = std::mem::replace(&mut self.bytes, buffer);
            return;
        }
        self.memory_of_taken.clear();
        if buffer.len() > CHUNK {
            self.small_writes = 0;
        } else {
            self.small_writes = self.small_writes.saturating_add(1);
            if self.small_writes > SMALL_WRITES && buffer.capacity() > CHUNK {
                buffer = Vec::new();
            }
        }
        buffer.clear();
        self.spare = buffer;
    }

    pub(super) fn clear(&mut self) {
        self.bytes = Vec::new();
        self.memory.clear();
        self.memory_of_taken.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::Bound;

    #[test]
    fn what_was_not_written_stays_in_front_of_later_messages() {
        let mut unsent = UnsentBytes::default();
        unsent.push(&mut b"first".to_vec());
        let taken = unsent.take();
        assert!(unsent.is_empty());
        unsent.push(&mut b"second".to_vec());
        unsent.put_back(taken, 2);
        assert_eq!(unsent.take(), b"rst\nsecond\n");
    }

    #[test]
    fn answers_hold_their_memory_until_they_have_been_written() {
        let bound = Bound::new(10);
        let mut unsent = UnsentBytes::default();
        let answer = |unsent: &mut UnsentBytes| {
            unsent.push(&mut b"answer".to_vec());
            unsent.hold(bound.acquire(None, 1).ok());
        };
        answer(&mut unsent);
        let taken = unsent.take();
        answer(&mut unsent);
        unsent.put_back(taken, 2);
        assert_eq!(bound.held(), 2);
        let taken = unsent.take();
        answer(&mut unsent);
        let length = taken.len();
        unsent.put_back(taken, length);
        assert_eq!(bound.held(), 1);
        unsent.clear();
        assert_eq!(bound.held(), 0);
    }

    #[test]
    fn a_buffer_that_has_grown_is_given_back_after_small_writes() {
        let mut unsent = UnsentBytes::default();
        let large = vec![b'x'; 2 * CHUNK];
        unsent.push(&mut large.clone());
        let taken = unsent.take();
        unsent.put_back(taken, large.len() + 1);
        for _ in 0..=2 * SMALL_WRITES {
            unsent.write(|out| out.push(b'y'));
            let taken = unsent.take();
            unsent.put_back(taken, 2);
        }
        assert!(unsent.spare.capacity() <= CHUNK && unsent.bytes.capacity() <= CHUNK);
    }
}
