//! The two things that the dispatcher takes from outside: the time and random bytes.
//!
//! It has neither of its own, so that what expires and what is random can be tested without waiting and without luck.

use std::fmt;

/// Where the time and random bytes come from.
pub(crate) trait Environment: fmt::Debug + Send + Sync {
    /// The milliseconds since the beginning of 1970, UTC.
    fn unix_millis(&self) -> u64;

    /// The seconds since the beginning of 1970, UTC.
    fn unix_time(&self) -> u64 {
        self.unix_millis() / 1000
    }

    /// Fills the bytes with random ones, fit for keys.
    fn fill_random(&self, bytes: &mut [u8]) -> Result<(), NoRandomness>;
}

/// The system has no random bytes to give; the reason is in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoRandomness;
