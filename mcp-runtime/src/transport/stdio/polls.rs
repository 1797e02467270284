//! The polls of async calls, as far as the supervisor watches them.
//!
//! One worker of the runtime waits for timers and sockets on behalf of all. It polls itself what it has woken, and wakes no
//! other worker for that: while such a poll does not end, nobody waits for timers and sockets, however many workers are
//! left. Something that is spawned from outside wakes one of these, which then does. So the supervisor spawns it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::bell::Bell;

/// Counts polls.
#[derive(Debug, Default)]
pub(super) struct Polls {
    begun: AtomicU64,
    ended: AtomicU64,
    /// The supervisor sleeps, and must be woken for the next poll.
    unwatched: AtomicBool,
}

/// A poll that goes on until this is dropped.
#[derive(Debug)]
pub(super) struct Poll<'p>(&'p Polls);

impl Polls {
    /// Notes that a poll begins.
    pub(super) fn begin(&self, bell: &Bell) -> Poll<'_> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        // Looked at before it is changed: most polls find the supervisor awake.
        if self.unwatched.load(Ordering::SeqCst) && self.unwatched.swap(false, Ordering::SeqCst) {
            bell.ring();
        }
        Poll(self)
    }
}

impl Drop for Poll<'_> {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::SeqCst);
    }
}

/// What the supervisor remembers of the polls from one look to the next.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// How many had begun and ended.
    last: (u64, u64),
    /// The same when something was spawned.
    poked: (u64, u64),
}

/// What there is to be done about the polls.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Nothing, until another poll rings the bell.
    Rest,
    /// To look again in a tick.
    Again,
    /// To wake a worker, since no poll has begun or ended for a tick, and not all have ended.
    Poke,
}

impl Seen {
    /// Looks at the polls, once in each tick; whoever sleeps longer is woken by the next poll.
    pub(super) fn look(&mut self, polls: &Polls, sleeps: bool) -> Look {
        if sleeps {
            // Before the look, so that a poll is either seen here or rings.
            polls.unwatched.store(true, Ordering::SeqCst);
        }
        let ended = polls.ended.load(Ordering::SeqCst);
        let now = (polls.begun.load(Ordering::SeqCst), ended);
        let last = std::mem::replace(&mut self.last, now);
        if now.0 == now.1 || now == self.poked {
            return Look::Rest;
        }
        polls.unwatched.store(false, Ordering::SeqCst);
        if now != last {
            return Look::Again;
        }
        self.poked = now;
        Look::Poke
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_poll_that_goes_on_is_found_once() {
        let bell = Bell::new().unwrap();
        let polls = Polls::default();
        let mut seen = Seen::default();
        assert_eq!(seen.look(&polls, true), Look::Rest);
        drop(polls.begin(&bell));
        assert!(!polls.unwatched.load(Ordering::SeqCst), "the bell was rung");
        assert_eq!(seen.look(&polls, true), Look::Rest);
        let long = polls.begin(&bell);
        assert_eq!(seen.look(&polls, true), Look::Again);
        drop(polls.begin(&bell));
        assert_eq!(seen.look(&polls, false), Look::Again);
        assert_eq!(seen.look(&polls, false), Look::Poke);
        assert_eq!(seen.look(&polls, true), Look::Rest);
        drop(long);
        assert_eq!(seen.look(&polls, true), Look::Rest);
    }
}
