//! The calls in flight: those that were started and have not been answered.
//!
//! A call that is answered where it was read never gets here.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use crate::dispatch::CallHandle;
use crate::jsonrpc::{OwnedRawId, RawId, RequestId};

/// Finds a call or a stream again when it ends.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    id: CallId,
    /// Tells it from a later one with the same id.
    number: u64,
}

/// What a table is searched by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum CallId {
    /// The id of the request.
    Id(RequestId),
    /// The number of a request without id, of a caller of the contract profile.
    Number(u64),
}

impl Key {
    /// The number of the call.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn new(id: RawId<'_>, number: u64) -> Self {
        let id = if id.is_null() {
            CallId::Number(number)
        } else {
            CallId::Id(id.to_owned())
        };
        Self { id, number }
    }
}

/// Entries by the ids of their requests.
#[derive(Debug)]
pub(super) struct ById<T>(HashMap<CallId, (u64, T)>);

impl<T> Default for ById<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T> ById<T> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is an entry of this id.
    pub(super) fn contains(&self, id: RawId<'_>) -> bool {
        !self.0.is_empty() && !id.is_null() && self.0.contains_key(&CallId::Id(id.to_owned()))
    }

    pub(super) fn insert(&mut self, key: Key, entry: T) {
        self.0.insert(key.id, (key.number, entry));
    }

    /// The entry of the key, and not a later one with the same id.
    pub(super) fn get_mut(&mut self, key: &Key) -> Option<&mut T> {
        let (number, entry) = self.0.get_mut(&key.id)?;
        (*number == key.number).then_some(entry)
    }

    pub(super) fn remove(&mut self, key: &Key) -> Option<T> {
        self.get_mut(key)?;
        self.0.remove(&key.id).map(|(_, entry)| entry)
    }

    pub(super) fn remove_id(&mut self, id: RawId<'_>) -> Option<T> {
        if self.0.is_empty() {
            return None;
        }
        let removed = self.0.remove(&CallId::Id(id.to_owned()));
        removed.map(|(_, entry)| entry)
    }

    /// Takes all entries out that fulfil a condition.
    pub(super) fn extract(&mut self, mut condition: impl FnMut(&T) -> bool) -> Vec<T> {
        let extracted = self.0.extract_if(|_, (_, entry)| condition(entry));
        extracted.map(|(_, (_, entry))| entry).collect()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &T> {
        self.0.values().map(|(_, entry)| entry)
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// A call in flight.
#[derive(Debug)]
struct InFlightCall {
    /// The id as the client wrote it.
    id: OwnedRawId,
    /// As in its key.
    number: u64,
    started_at: Instant,
    control: Arc<CallHandle>,
    /// A plain function, which cannot be stopped.
    is_blocking: bool,
}

impl InFlightCall {
    /// When the call times out; `None` is never, or not while it waits for its client.
    fn deadline(&self) -> Option<Instant> {
        let timeout = self.control.timeout()?;
        if self.control.is_resting() {
            return None;
        }
        let timeout = timeout.checked_add(self.control.rested())?;
        self.started_at.checked_add(timeout)
    }
}

/// Calls whose answers are not awaited any more.
///
/// They are cancelled without the connection's lock: what a cancellation wakes may ask for that lock.
#[derive(Debug, Default)]
#[must_use = "calls are to be cancelled without the lock"]
pub(crate) struct Cancelled(Vec<Arc<CallHandle>>);

impl Cancelled {
    /// Tells the functions.
    pub(crate) fn cancel(self) {
        for control in self.0 {
            control.cancel();
        }
    }
}

/// All calls in flight.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    calls: ById<InFlightCall>,
    /// Plain functions that still run though their answers are not awaited any more.
    abandoned: HashSet<Key>,
}

impl InFlight {
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Whether a plain function runs, which cannot be stopped.
    pub(super) fn has_blocking(&self) -> bool {
        !self.abandoned.is_empty() || self.calls.values().any(|call| call.is_blocking)
    }

    /// How many calls use the server's resources.
    pub(super) fn len(&self) -> usize {
        self.calls.len() + self.abandoned.len()
    }

    pub(super) fn contains(&self, id: RawId<'_>) -> bool {
        self.calls.contains(id)
    }

    /// Notes that a call goes on; gives its deadline.
    pub(super) fn start(
        &mut self,
        key: Key,
        id: RawId<'_>,
        control: Arc<CallHandle>,
        is_blocking: bool,
        now: Instant,
    ) -> Option<Instant> {
        let call = InFlightCall {
            id: id.keep(),
            number: key.number,
            started_at: now,
            control,
            is_blocking,
        };
        let deadline = call.deadline();
        self.calls.insert(key, call);
        deadline
    }

    /// Notes that the function of a call has returned; gives what controls it if its answer is still awaited.
    pub(super) fn finish(&mut self, key: &Key, was_blocking: bool) -> Option<Arc<CallHandle>> {
        if let Some(call) = self.calls.remove(key) {
            call.control.end();
            if call.is_blocking && !was_blocking {
                // A layer has answered in place of a function that still runs.
                self.abandoned.insert(key.clone());
            }
            return Some(call.control);
        }
        if was_blocking {
            self.abandoned.remove(key);
        }
        None
    }

    /// Notes that a plain function runs for a call that was started without one.
    pub(super) fn note_blocking(&mut self, key: &Key) {
        if let Some(call) = self.calls.get_mut(key) {
            call.is_blocking = true;
        }
    }

    /// Notes that no plain function runs for a call any more, be it in flight or abandoned.
    pub(super) fn release(&mut self, key: &Key) {
        match self.calls.get_mut(key) {
            Some(call) => call.is_blocking = false,
            None => {
                self.abandoned.remove(key);
            }
        }
    }

    /// Gives up the call of an id; an id that is not in flight is ignored.
    pub(super) fn cancel(&mut self, id: RawId<'_>) -> Cancelled {
        let call = self.calls.remove_id(id);
        self.abandon(call.into_iter().collect())
    }

    /// Gives up all calls.
    pub(super) fn cancel_all(&mut self) -> Cancelled {
        let calls = self.calls.extract(|_| true);
        self.abandon(calls)
    }

    /// Gives up the calls whose time is over, and tells each id.
    pub(super) fn time_out(&mut self, now: Instant, mut tell: impl FnMut(RawId<'_>)) -> Cancelled {
        let is_late = |call: &InFlightCall| call.deadline().is_some_and(|deadline| deadline <= now);
        let late = self.calls.extract(is_late);
        for call in &late {
            tell(call.id.as_raw());
        }
        self.abandon(late)
    }

    /// When the next call times out.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.calls.values().filter_map(InFlightCall::deadline).min()
    }

    /// Notes that the answers are not awaited any more, so that nothing more is sent about the calls.
    fn abandon(&mut self, calls: Vec<InFlightCall>) -> Cancelled {
        let abandon = |call: InFlightCall| {
            call.control.note_cancelled();
            if call.is_blocking {
                let key = Key::new(call.id.as_raw(), call.number);
                self.abandoned.insert(key);
            }
            call.control
        };
        Cancelled(calls.into_iter().map(abandon).collect())
    }
}
