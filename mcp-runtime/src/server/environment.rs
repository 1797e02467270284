//! The time and the random bytes of the system, for the dispatcher.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::dispatch::{Environment, NoRandomness};

/// The system that the program runs on.
#[derive(Debug)]
pub(super) struct System;

impl Environment for System {
    fn unix_millis(&self) -> u64 {
        // A clock that stands before 1970 is taken to stand at its beginning.
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |since| {
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        })
    }

    fn fill_random(&self, bytes: &mut [u8]) -> Result<(), NoRandomness> {
        getrandom::fill(bytes).map_err(|error| {
            tracing::error!("the system gives no random bytes: {error}");
            NoRandomness
        })
    }
}
