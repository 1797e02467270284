//! The calls that somebody else than the leader goes on with: slow ones and waiting ones.
//!
//! A call that is answered at once never gets here.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::AbortHandle;

use crate::dispatch::CallControl;
use crate::jsonrpc::{KeptId, RawId, RequestId};

/// What finds a call again when it ends.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// Its id.
    Id(RequestId),
    /// Its number: a caller of the contract profile gave no id.
    Number(u64),
}

impl Key {
    pub(super) fn new(id: RawId<'_>, number: u64) -> Self {
        if id.is_null() {
            Self::Number(number)
        } else {
            Self::Id(id.to_owned())
        }
    }
}

/// A call in flight.
#[derive(Debug)]
pub(super) struct Call {
    /// Tells it from a later call with the same id.
    pub(super) number: u64,
    /// The id as the client wrote it.
    pub(super) id: KeptId,
    pub(super) since: Instant,
    pub(super) control: Arc<CallControl>,
    /// The task of a call that waits; a slow call has a thread, which cannot be stopped.
    pub(super) task: Option<AbortHandle>,
}

impl Call {
    /// How long the call may still take; `None` is without limit, or not yet known.
    fn left(&self, now: Instant) -> Option<Duration> {
        let passed = now.saturating_duration_since(self.since);
        Some(self.control.timeout()?.saturating_sub(passed))
    }
}

/// Calls that nobody waits for any more.
///
/// They are stopped when the lock has been released: whoever is woken by that may come back for it.
#[derive(Debug)]
#[must_use = "calls are to be stopped without the lock"]
pub(super) struct Abandoned(Vec<Call>);

impl Abandoned {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = RawId<'_>> {
        self.0.iter().map(|call| call.id.as_raw())
    }

    /// Stops the calls.
    pub(super) fn stop(self) {
        for call in self.0 {
            call.control.cancel();
            if let Some(task) = &call.task {
                task.abort();
            }
        }
    }
}

/// All calls in flight.
#[derive(Debug, Default)]
pub(super) struct Flight {
    calls: HashMap<Key, Call>,
    /// Threads that still run a call which nobody waits for any more.
    abandoned: usize,
}

impl Flight {
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Whether a call is left whose thread cannot be stopped.
    pub(super) fn has_threads(&self) -> bool {
        self.abandoned > 0 || self.calls.values().any(|call| call.task.is_none())
    }

    /// How many calls use the server's time.
    pub(super) fn len(&self) -> usize {
        self.calls.len() + self.abandoned
    }

    /// Whether a call with this id is in flight.
    pub(super) fn contains(&self, id: RawId<'_>) -> bool {
        !self.calls.is_empty() && !id.is_null() && self.calls.contains_key(&Key::Id(id.to_owned()))
    }

    pub(super) fn insert(&mut self, key: Key, call: Call) {
        self.calls.insert(key, call);
    }

    /// The call, unless it was cancelled or timed out.
    pub(super) fn get_mut(&mut self, key: &Key, number: u64) -> Option<&mut Call> {
        self.calls.get_mut(key).filter(|call| call.number == number)
    }

    /// Notes that the handler of a call has ended; tells whether somebody still waits for the answer.
    pub(super) fn end(&mut self, key: &Key, number: u64, on_thread: bool) -> bool {
        if let Some(call) = self.get_mut(key, number) {
            call.control.end();
            self.calls.remove(key);
            return true;
        }
        if on_thread {
            self.abandoned -= 1;
        }
        false
    }

    /// Gives up a call whose client does not wait for it any more; an id that is not in flight is ignored.
    pub(super) fn cancel(&mut self, id: RawId<'_>) -> Abandoned {
        let call = self.calls.remove(&Key::Id(id.to_owned()));
        self.abandon(call.into_iter().collect())
    }

    /// Gives up all calls.
    pub(super) fn cancel_all(&mut self) -> Abandoned {
        let calls = std::mem::take(&mut self.calls);
        self.abandon(calls.into_values().collect())
    }

    /// Gives up the calls whose time is over.
    pub(super) fn time_out(&mut self, now: Instant) -> Abandoned {
        let late = self
            .calls
            .extract_if(|_, call| call.left(now) == Some(Duration::ZERO))
            .map(|(_, call)| call)
            .collect();
        self.abandon(late)
    }

    /// When the next call will have taken too long.
    pub(super) fn next_timeout(&self, now: Instant) -> Option<Duration> {
        self.calls.values().filter_map(|call| call.left(now)).min()
    }

    /// Notes that nobody waits for the calls any more, so that from now on nothing is sent about them.
    fn abandon(&mut self, calls: Vec<Call>) -> Abandoned {
        for call in &calls {
            call.control.note_cancelled();
            if call.task.is_none() {
                self.abandoned += 1;
            }
        }
        Abandoned(calls)
    }
}
