//! How long word of a change waits for other changes that follow it, so that a burst of them is told once.
//!
//! A change is told when nothing has changed for a moment, or, if things go on changing, after a few of these moments.

use std::time::Duration;

/// The moment: longer than a program takes from one change of a burst to the next, and nothing to whoever waits for it.
pub(super) const MOMENT: Duration = Duration::from_millis(20);

/// So many moments are waited for at the most.
pub(super) const MOST: u32 = 10;
