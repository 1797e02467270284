//! How quick a plain function has been, which decides on what kind of thread it runs next.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A run that takes longer is one that others should not wait for.
const QUICK: Duration = Duration::from_micros(100);
/// So many quick runs in a row make a function a quick one.
const TRUSTED: u32 = 64;
/// Where the count of a function stands that is never trusted again.
const NEVER: u32 = u32::MAX;

/// The quick runs of a plain function since its last slow one.
///
/// A function that blocks must not run on a worker of an async runtime: the worker's other work would wait for it, and
/// it could not run futures of its own there, which tokio forbids. Nobody knows beforehand which ones block, so each
/// begins among those that may.
#[derive(Debug, Default)]
pub(crate) struct Pace(AtomicU32);

impl Pace {
    /// The pace of a function that is not async.
    pub(crate) fn unless(is_async: bool) -> Option<Self> {
        (!is_async).then(Self::default)
    }

    /// Whether it may be run where others wait.
    pub(crate) fn is_quick(&self) -> bool {
        let runs = self.0.load(Ordering::Relaxed);
        (TRUSTED..NEVER).contains(&runs)
    }

    /// Notes how long a run took.
    ///
    /// Runs at the same time may lose a count, which delays the trust by as much.
    pub(crate) fn note(&self, took: Duration) {
        let runs = self.0.load(Ordering::Relaxed);
        let next = match runs {
            NEVER => return,
            _ if took > QUICK => 0,
            // Nothing to write, for a processor that others would then have to ask.
            TRUSTED => return,
            _ => runs + 1,
        };
        // A panic meanwhile stays.
        let _ = self
            .0
            .compare_exchange(runs, next, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Notes that a run panicked, as one does that runs futures of its own on a worker.
    pub(crate) fn distrust(&self) {
        self.0.store(NEVER, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_micros(1);
    const LONG: Duration = Duration::from_millis(1);

    fn quick() -> Pace {
        let pace = Pace::default();
        for _ in 0..TRUSTED {
            assert!(!pace.is_quick());
            pace.note(SHORT);
        }
        pace
    }

    #[test]
    fn trust_takes_many_quick_runs_in_a_row() {
        let pace = quick();
        assert!(pace.is_quick());
        pace.note(SHORT);
        assert!(pace.is_quick());
        pace.note(LONG);
        for _ in 1..TRUSTED {
            pace.note(SHORT);
            assert!(!pace.is_quick());
        }
        pace.note(SHORT);
        assert!(pace.is_quick());
    }

    #[test]
    fn one_panic_ends_it_for_good() {
        let pace = quick();
        pace.distrust();
        for _ in 0..=TRUSTED {
            pace.note(SHORT);
            assert!(!pace.is_quick());
        }
    }
}
