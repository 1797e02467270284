//! The clock of this process, for limits of time.
//!
//! The core has none; who runs calls lends it this one. Times of day are nobody's business here.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The time since somebody first looked; it never goes back.
pub(crate) fn now() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
