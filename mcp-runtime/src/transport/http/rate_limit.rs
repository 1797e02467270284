//! How often somebody may send requests: a bound for each principal, or else for each peer address.
//!
//! Time is an argument here, and what is answered to those who are refused is decided elsewhere.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::deadline::NEVER;
use crate::bound::Sender;

/// How many senders are remembered, in about two megabytes.
const CAPACITY: usize = 65_536;

/// So many requests in such a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rate {
    pub(super) requests: u32,
    pub(super) per: Duration,
}

/// Counts requests by the generic cell rate algorithm: each request pushes the moment at which its sender will have its
/// whole allowance again further off, and that moment must not be further off than the allowance takes to grow.
#[derive(Debug)]
pub(super) struct RateLimiter {
    /// The time in which one request grows back.
    interval: Duration,
    /// The time in which all of them do.
    window: Duration,
    capacity: usize,
    /// When each sender will have its whole allowance again; who is not there has it now.
    whole_at: Mutex<HashMap<Sender, Duration>>,
}

impl RateLimiter {
    /// A limiter, unless the rate allows nothing or is none.
    pub(super) fn new(rate: Rate) -> Option<Self> {
        let interval = rate.per.min(NEVER).checked_div(rate.requests)?;
        (!interval.is_zero()).then(|| Self {
            interval,
            window: interval * rate.requests,
            capacity: CAPACITY,
            whole_at: Mutex::default(),
        })
    }

    /// Takes a request, or tells after which time to send it again.
    pub(super) fn take(&self, sender: Sender, now: Duration) -> Result<(), Duration> {
        let mut whole_at = self
            .whole_at
            .lock()
            // No entry is ever half written.
            .unwrap_or_else(PoisonError::into_inner);
        let before = whole_at.get(&sender).copied().unwrap_or_default();
        let after = before.max(now) + self.interval;
        let wait = after.saturating_sub(now + self.window);
        if !wait.is_zero() {
            return Err(wait);
        }
        if whole_at.len() >= self.capacity && !whole_at.contains_key(&sender) {
            forget(&mut whole_at, now, self.capacity / 2);
        }
        whole_at.insert(sender, after);
        Ok(())
    }
}

/// Forgets those who have their whole allowance, and of the others those who will have it first, until no more are left
/// than may be: they gain the least by it. Half of the room is made at once, so that this happens rarely.
fn forget(whole_at: &mut HashMap<Sender, Duration>, now: Duration, left: usize) {
    whole_at.retain(|_, whole_at| *whole_at > now);
    if whole_at.len() > left {
        let mut entries: Vec<_> = whole_at.drain().collect();
        let surplus = entries.len() - left;
        entries.select_nth_unstable_by_key(surplus, |(_, whole_at)| *whole_at);
        whole_at.extend(entries.drain(surplus..));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn limiter(requests: u32, per: Duration) -> RateLimiter {
        RateLimiter::new(Rate { requests, per }).unwrap()
    }

    #[test]
    fn a_burst_is_the_whole_allowance_and_grows_back_evenly() {
        let limiter = limiter(3, 3 * SECOND);
        let sender = Sender::V4([192, 0, 2, 1]);
        for start in [1000_u32, 2000] {
            let at = |seconds: u32| SECOND * (start + seconds);
            for _ in 0..3 {
                assert_eq!(limiter.take(sender, at(0)), Ok(()));
            }
            assert_eq!(limiter.take(sender, at(0)), Err(SECOND));
            // What is refused does not count.
            assert_eq!(limiter.take(sender, at(0)), Err(SECOND));
            assert_eq!(limiter.take(sender, at(1)), Ok(()));
            assert_eq!(limiter.take(sender, at(1)), Err(SECOND));
            assert_eq!(limiter.take(sender, at(3)), Ok(()));
            assert_eq!(limiter.take(sender, at(3)), Ok(()));
            assert_eq!(limiter.take(sender, at(3)), Err(SECOND));
        }
    }

    #[test]
    fn the_first_moment_of_the_clock_is_like_any_other() {
        let limiter = limiter(2, 2 * SECOND);
        assert_eq!(limiter.take(Sender::Unknown, Duration::ZERO), Ok(()));
        assert_eq!(limiter.take(Sender::Unknown, Duration::ZERO), Ok(()));
        assert_eq!(limiter.take(Sender::Unknown, Duration::ZERO), Err(SECOND));
    }

    #[test]
    fn what_never_grows_back_is_allowed_once() {
        let limiter = limiter(2, Duration::MAX);
        for _ in 0..2 {
            assert_eq!(limiter.take(Sender::Unknown, SECOND), Ok(()));
        }
        for _ in 0..2 {
            assert!(limiter.take(Sender::Unknown, SECOND).is_err());
        }
    }

    #[test]
    fn memory_is_bounded_and_those_who_sent_most_are_remembered() {
        let limiter = RateLimiter {
            capacity: 8,
            ..limiter(4, 4 * SECOND)
        };
        let busy = Sender::Principal(0);
        for _ in 0..4 {
            assert_eq!(limiter.take(busy, SECOND), Ok(()));
        }
        for number in 1..=100 {
            assert_eq!(limiter.take(Sender::Principal(number), SECOND), Ok(()));
            assert!(limiter.whole_at.lock().unwrap().len() <= 8);
        }
        assert_eq!(limiter.take(busy, SECOND), Err(SECOND));
        let later = SECOND * 60;
        for number in 200..208 {
            assert_eq!(limiter.take(Sender::Principal(number), later), Ok(()));
        }
        let known = limiter.whole_at.lock().unwrap();
        assert!(
            known.values().all(|whole_at| *whole_at > later),
            "{known:?}"
        );
    }

    #[test]
    fn a_rate_of_nothing_is_none() {
        assert!(
            RateLimiter::new(Rate {
                requests: 0,
                per: SECOND
            })
            .is_none()
        );
        assert!(
            RateLimiter::new(Rate {
                requests: 1,
                per: Duration::ZERO
            })
            .is_none()
        );
    }
}
