//! How quick a plain function has been, and whether it waited, which decides on what kind of thread it runs next.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A run that takes longer is one that others should not wait for.
const QUICK: Duration = Duration::from_micros(100);
/// What a function owes at first: so many quick runs.
const AT_FIRST: u32 = 64;
/// What a slow run costs in quick ones, so that a function whose thread was held up now and then is still a quick one, and
/// one that finds most of its answers in a cache is not.
const SLOW: u32 = 100;
/// A trusted function that owes so much is trusted no longer.
const TOO_MUCH: u32 = 5 * SLOW;
/// The most that a function owes.
const MOST: u32 = 10 * SLOW;
/// Marks a function that is trusted; beside it stands what it owes.
const TRUSTED: u32 = 1 << 31;
/// What stands for a function that is never trusted again.
const NEVER: u32 = TRUSTED - 1;

/// How many quick runs a plain function owes, and whether it is trusted to be quick, as it is once it owes none.
///
/// A function that blocks must not run on a worker of an async runtime: the worker's other work would wait for it, and
/// it could not run futures of its own there, which tokio forbids. Nobody knows beforehand which ones block, so each
/// begins among those that may.
///
/// One that waits blocks, however short: what it waits for may be a task that it has just woken, which a worker of tokio
/// keeps for itself, so that on a worker it would wait for ever.
#[derive(Debug)]
pub(crate) struct Pace(AtomicU32);

impl Pace {
    /// The pace of a function that is not async.
    pub(crate) fn unless(is_async: bool) -> Option<Self> {
        (!is_async).then(|| Self(AtomicU32::new(AT_FIRST)))
    }

    /// Whether it may be run where others wait.
    pub(crate) fn is_quick(&self) -> bool {
        self.0.load(Ordering::Relaxed) & TRUSTED != 0
    }

    /// Whether it is to be looked whether the next run waits, which takes longer than a quick run does: so it is only for
    /// the last runs before the trust.
    pub(crate) fn is_watched(&self) -> bool {
        self.0.load(Ordering::Relaxed) <= AT_FIRST
    }

    /// Notes how long a run took, and whether it waited for anything, which is asked of quick ones alone; one that has is
    /// no better than a slow one.
    ///
    /// Runs at the same time may lose a count, which delays the trust by as much.
    pub(crate) fn note(&self, took: Duration, waited: impl FnOnce() -> bool) {
        let before = self.0.load(Ordering::Relaxed);
        let (trusted, owes) = (before & TRUSTED, before & !TRUSTED);
        let after = match (trusted, owes, took > QUICK || waited()) {
            (0, NEVER, _) => return,
            (0, _, true) => (owes + SLOW).min(MOST),
            (0, 0 | 1, false) => TRUSTED,
            (_, _, true) if owes + SLOW >= TOO_MUCH => MOST,
            (_, _, true) => TRUSTED + owes + SLOW,
            // Nothing to write, for a processor that others would then have to ask.
            (TRUSTED, 0, false) => return,
            (_, _, false) => before - 1,
        };
        // A panic meanwhile stays.
        let _ = self
            .0
            .compare_exchange(before, after, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Notes that a run panicked, as one does that runs futures of its own on a worker, or that one held a worker for long.
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
            pace.note(SHORT, || false);
        }
        assert!(pace.is_quick());
        pace.note(SHORT, || false);
        assert!(pace.is_quick());
    }

    #[test]
    fn slow_runs_at_first_cost_many_quick_ones() {
        let pace = Pace::unless(false).unwrap();
        pace.note(LONG, || false);
        earn(&pace, AT_FIRST + SLOW);
        let pace = Pace::unless(false).unwrap();
        for _ in 0..100 {
            pace.note(LONG, || false);
        }
        earn(&pace, MOST);
    }

    #[test]
    fn runs_that_wait_cost_as_much_as_slow_ones() {
        let pace = Pace::unless(false).unwrap();
        for _ in 0..1_000 {
            pace.note(SHORT, || true);
            for _ in 0..49 {
                pace.note(SHORT, || false);
                assert!(!pace.is_quick());
            }
        }
        earn(&pace, MOST - 49);
    }

    #[test]
    fn the_last_runs_before_the_trust_are_watched_and_no_others() {
        let pace = Pace::unless(false).unwrap();
        pace.note(LONG, || false);
        for _ in 0..SLOW {
            assert!(!pace.is_watched());
            pace.note(SHORT, || false);
        }
        for _ in 0..AT_FIRST {
            assert!(pace.is_watched());
            pace.note(SHORT, || false);
        }
        assert!(pace.is_quick() && !pace.is_watched());
        pace.note(LONG, || false);
        assert!(!pace.is_watched(), "it is trusted still");
        pace.distrust();
        assert!(!pace.is_watched());
    }

    #[test]
    fn a_trusted_function_may_be_slow_now_and_then() {
        let pace = quick();
        for _ in 0..100 {
            pace.note(LONG, || false);
            for _ in 0..SLOW {
                assert!(pace.is_quick());
                pace.note(SHORT, || false);
            }
        }
        for _ in 1..TOO_MUCH / SLOW {
            pace.note(LONG, || false);
            assert!(pace.is_quick());
        }
        pace.note(LONG, || false);
        earn(&pace, MOST);
    }

    #[test]
    fn one_slow_run_in_fifty_is_too_many() {
        let pace = Pace::unless(false).unwrap();
        for _ in 0..1_000 {
            pace.note(LONG, || false);
            for _ in 0..49 {
                pace.note(SHORT, || false);
                assert!(!pace.is_quick());
            }
        }
    }

    #[test]
    fn one_panic_ends_it_for_good() {
        let pace = quick();
        pace.distrust();
        for took in [SHORT, LONG] {
            for _ in 0..2 * MOST {
                pace.note(took, || false);
                assert!(!pace.is_quick());
            }
        }
    }
}
