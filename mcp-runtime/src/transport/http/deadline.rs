//! When a time that somebody has set is over.

use std::time::Duration;

use tokio::time::Instant;

/// Thirty years, which no server runs; clocks of all systems go that far.
pub(super) const NEVER: Duration = Duration::from_secs(60 * 60 * 24 * 365 * 30);

/// A time from now on. `Duration::MAX` is a time without end, and would be an overflow elsewhere.
pub(super) fn after(time: Duration) -> Instant {
    Instant::now() + time.min(NEVER)
}
