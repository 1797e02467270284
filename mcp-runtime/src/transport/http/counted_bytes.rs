//! Bytes that count as memory of answers until the client has taken them: one that asks and does not read would have them
//! all kept.

use std::ops::Deref;

use bytes::Bytes;

use crate::bound::Permit;

/// A message, or a part of an answer, and the memory that it holds.
#[derive(Debug, Default)]
pub(super) struct CountedBytes {
    bytes: Vec<u8>,
    memory: Vec<Permit>,
}

impl CountedBytes {
    /// Bytes that hold this memory, if they are counted.
    pub(super) fn new(bytes: Vec<u8>, memory: Option<Permit>) -> Self {
        Self {
            bytes,
            memory: memory.into_iter().collect(),
        }
    }

    /// Adds a message as an event, and what it holds. One message is one `data:` line; JSON as we write it has no line breaks.
    pub(super) fn push_event(&mut self, message: Self) {
        self.write_event(&message.bytes);
        self.memory.extend(message.memory);
    }

    /// Adds a message as an event.
    pub(super) fn write_event(&mut self, message: &[u8]) {
        self.bytes.extend_from_slice(b"data: ");
        self.bytes.extend_from_slice(message);
        self.bytes.extend_from_slice(b"\n\n");
    }

    /// Holds more memory.
    pub(super) fn hold(&mut self, memory: Permit) {
        self.memory.push(memory);
    }
}

impl Deref for CountedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl AsRef<[u8]> for CountedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Bytes that are not counted.
impl From<Vec<u8>> for CountedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(bytes, None)
    }
}

/// Hyper drops these when the system has taken them or their connection has ended, and so the memory.
impl From<CountedBytes> for Bytes {
    fn from(counted: CountedBytes) -> Self {
        if counted.memory.is_empty() {
            return counted.bytes.into();
        }
        Self::from_owner(counted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::Bound;

    #[test]
    fn bytes_count_until_the_last_piece_of_them_is_dropped() {
        let bound = Bound::new(1000);
        let mut events = CountedBytes::default();
        for length in [10, 20] {
            let memory = bound.acquire(None, length).ok();
            events.push_event(CountedBytes::new(vec![b'x'; length], memory));
        }
        let mut bytes = Bytes::from(events);
        let rest = bytes.split_off(1);
        drop(bytes);
        assert_eq!(bound.held(), 30);
        drop(rest);
        assert_eq!(bound.held(), 0);
    }
}
