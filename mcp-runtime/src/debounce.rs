//! How long the notification of a change waits for the changes that follow it, so that a burst of them is one notification.
//!
//! A change is sent when nothing has changed for a quiet period, or, if changes go on, after a few of these periods.

use std::time::Duration;

/// The quiet period: longer than a program takes from one change of a burst to the next, and short for a client.
pub(crate) const QUIET_PERIOD: Duration = Duration::from_millis(20);

/// The most quiet periods that a notification waits for.
pub(crate) const MAX_PERIODS: u32 = 10;
