//! Answers that are not sent yet, counted by their bytes: a client that asks and does not read would have them all kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

/// Smaller answers are not counted, which would cost more than they take.
const COUNTED: usize = 4096;

/// How many bytes of answers wait to be sent.
#[derive(Debug, Default)]
pub(super) struct Owed(AtomicUsize);

/// An answer that is counted until hyper drops it, which it does when the system has taken it or its connection has ended.
struct Answer {
    bytes: Vec<u8>,
    owed: Arc<Owed>,
}

impl AsRef<[u8]> for Answer {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.owed.0.fetch_sub(self.bytes.len(), Ordering::Relaxed);
    }
}

impl Owed {
    pub(super) fn count(self: &Arc<Self>, bytes: Vec<u8>) -> Bytes {
        if bytes.len() < COUNTED {
            return bytes.into();
        }
        self.0.fetch_add(bytes.len(), Ordering::Relaxed);
        let owed = Arc::clone(self);
        Bytes::from_owner(Answer { bytes, owed })
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_count_until_the_last_piece_of_them_is_dropped() {
        let owed = Arc::<Owed>::default();
        let small = owed.count(vec![0; COUNTED - 1]);
        assert_eq!(owed.bytes(), 0);
        let mut large = owed.count(vec![7; COUNTED]);
        let rest = large.split_off(1);
        drop((small, large));
        assert_eq!((rest.len(), owed.bytes()), (COUNTED - 1, COUNTED));
        drop(rest);
        assert_eq!(owed.bytes(), 0);
    }
}
