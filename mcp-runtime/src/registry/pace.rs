//! How quick a plain function has been, which decides on what kind of thread it runs next.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A run that takes longer is one that others should not wait for.
const QUICK: Duration = Duration::from_micros(100);
/// So many quick runs make a function a quick one that was never anything else.
const AT_FIRST: u32 = 64;
/// So many it takes in a row after slow runs, as those of a function that finds most of its answers in a cache.
const AGAIN: u32 = 1_000;
/// A trusted function may be slow once in so many runs, as one is whose thread the system gave to another.
const PROBATION: u32 = 64;
/// What stands for a trusted function that was slow lately: this, and the runs that it is watched for.
const WATCHED: u32 = 1 << 31;
/// What stands for a function that is never trusted again.
const NEVER: u32 = u32::MAX;

/// How many quick runs a plain function lacks until it is trusted to be quick.
///
/// A function that blocks must not run on a worker of an async runtime: the worker's other work would wait for it, and
/// it could not run futures of its own there, which tokio forbids. Nobody knows beforehand which ones block, so each
/// begins among those that may.
#[derive(Debug)]
pub(crate) struct Pace(AtomicU32);

impl Pace {
    /// The pace of a function that is not async.
    pub(crate) fn unless(is_async: bool) -> Option<Self> {
        (!is_async).then(|| Self(AtomicU32::new(AT_FIRST)))
    }

    /// Whether it may be run where others wait.
    pub(crate) fn is_quick(&self) -> bool {
        let lacks = self.0.load(Ordering::Relaxed);
        lacks == 0 || (WATCHED..NEVER).contains(&lacks)
    }

    /// Notes how long a run took.
    ///
    /// Runs at the same time may lose a count, which delays the trust by as much.
    pub(crate) fn note(&self, took: Duration) {
        let lacks = self.0.load(Ordering::Relaxed);
        let is_slow = took > QUICK;
        let next = match lacks {
            NEVER => return,
            0 if is_slow => WATCHED + PROBATION,
            // Nothing to write, for a processor that others would then have to ask.
            0 => return,
            _ if is_slow => AGAIN,
            WATCHED => 0,
            _ => lacks - 1,
        };
        // A panic meanwhile stays.
        let _ = self
            .0
            .compare_exchange(lacks, next, Ordering::Relaxed, Ordering::Relaxed);
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
        let pace = Pace::unless(false).unwrap();
        earn(&pace, AT_FIRST);
        pace
    }

    #[track_caller]
    fn earn(pace: &Pace, runs: u32) {
        for _ in 0..runs {
            assert!(!pace.is_quick());
            pace.note(SHORT);
        }
        assert!(pace.is_quick());
    }

    #[test]
    fn trust_takes_many_quick_runs_in_a_row() {
        let pace = quick();
        pace.note(SHORT);
        assert!(pace.is_quick());
        pace.note(LONG);
        pace.note(LONG);
        for _ in 1..AGAIN {
            pace.note(SHORT);
        }
        pace.note(LONG);
        earn(&pace, AGAIN);
    }

    #[test]
    fn a_trusted_function_may_be_slow_now_and_then() {
        let pace = quick();
        for _ in 0..10 {
            pace.note(LONG);
            for _ in 0..=PROBATION {
                assert!(pace.is_quick());
                pace.note(SHORT);
            }
        }
        pace.note(LONG);
        for _ in 0..PROBATION {
            pace.note(SHORT);
        }
        pace.note(LONG);
        assert!(!pace.is_quick());
    }

    #[test]
    fn a_function_that_was_slow_once_is_trusted_late() {
        let pace = Pace::unless(false).unwrap();
        pace.note(LONG);
        earn(&pace, AGAIN);
    }

    #[test]
    fn one_panic_ends_it_for_good() {
        let pace = quick();
        pace.distrust();
        for _ in 0..=AGAIN {
            pace.note(SHORT);
            assert!(!pace.is_quick());
        }
    }
}
