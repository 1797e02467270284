//! The open streams of `subscriptions/listen`, which share the connection with all answers.
//!
//! Notifications are taken from a stream when they can be written, and not before: until then the dispatcher keeps them,
//! where equal ones become one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Instant;

use super::in_flight::{ById, Key};
use super::unsent_bytes::UnsentBytes;
use crate::debounce::{MAX_PERIODS, QUIET_PERIOD};
use crate::dispatch::{Listener, StreamState};
use crate::jsonrpc::RawId;

/// All open streams.
#[derive(Debug)]
pub(super) struct Streams {
    open: ById<Open>,
    woken: Arc<Woken>,
    /// The streams that have notifications, each once.
    due: Vec<Key>,
    /// When these are looked at.
    look_at: Option<Instant>,
}

#[derive(Debug)]
struct Open {
    listener: Listener,
    waker: Waker,
    /// For how many quiet periods its notifications have waited.
    periods: u32,
}

/// The streams whose wakers were called, until the connection looks.
#[derive(Debug)]
struct Woken {
    keys: Mutex<Vec<Key>>,
    /// Has the transport look at the connection.
    transport: Waker,
}

impl Woken {
    fn keys(&self) -> MutexGuard<'_, Vec<Key>> {
        // Every change is one push or one take.
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes that one stream has something to tell.
struct StreamWaker {
    woken: Arc<Woken>,
    key: Key,
}

impl Wake for StreamWaker {
    fn wake(self: Arc<Self>) {
        self.woken.keys().push(self.key.clone());
        self.woken.transport.wake_by_ref();
    }
}

impl Streams {
    /// No streams; the waker has the transport look at the connection.
    pub(super) fn new(transport: Waker) -> Self {
        Self {
            open: ById::default(),
            woken: Arc::new(Woken {
                keys: Mutex::default(),
                transport,
            }),
            due: Vec::new(),
            look_at: None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether the id is that of an open stream.
    pub(super) fn contains(&self, id: RawId<'_>) -> bool {
        self.open.contains(id)
    }

    /// Keeps a stream whose acknowledgement has been written.
    pub(super) fn insert(&mut self, key: Key, listener: Listener) {
        let waker = Waker::from(Arc::new(StreamWaker {
            woken: Arc::clone(&self.woken),
            key: key.clone(),
        }));
        let open = Open {
            listener,
            waker,
            periods: 0,
        };
        if open.is_ready() {
            open.waker.wake_by_ref();
        }
        self.open.insert(key, open);
    }

    /// Closes a stream that its client does not want any more; an id that is not of one is ignored.
    pub(super) fn close(&mut self, id: RawId<'_>) {
        self.open.remove_id(id);
    }

    /// Closes a stream by its key.
    #[cfg(feature = "legacy")]
    pub(super) fn remove(&mut self, key: &Key) {
        self.open.remove(key);
    }

    pub(super) fn close_all(&mut self) {
        self.open.clear();
        self.due.clear();
        self.look_at = None;
    }

    /// When there is something to do.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.look_at
    }

    /// Puts the notifications of streams whose changes have settled behind everything else; at once if the connection ends.
    ///
    /// Nothing is added while other bytes wait: a client that does not read is not told one thing twice.
    pub(super) fn handle_timeout(
        &mut self,
        now: Instant,
        ends: bool,
        unsent: &mut UnsentBytes,
        is_writing: bool,
    ) {
        let woken = std::mem::take(&mut *self.woken.keys());
        for key in woken {
            self.begin_debounce(key, now);
        }
        let is_time = self.look_at.is_some_and(|look_at| look_at <= now || ends);
        if is_time && unsent.is_empty() && !is_writing {
            self.tell(unsent, now);
        }
    }

    /// Begins to wait for the changes that follow the first one.
    fn begin_debounce(&mut self, key: Key, now: Instant) {
        let Some(open) = self.open.get_mut(&key) else {
            return;
        };
        open.periods = 0;
        // Asked here, so that the next answer is about the changes from now on.
        let _unsettled = open.listener.is_quiet();
        // A stream is woken once for each time that it was asked and had nothing.
        self.due.push(key);
        self.look_at.get_or_insert(now + QUIET_PERIOD);
    }

    fn tell(&mut self, unsent: &mut UnsentBytes, now: Instant) {
        let mut unsettled = Vec::new();
        for key in std::mem::take(&mut self.due) {
            let Some(open) = self.open.get_mut(&key) else {
                continue;
            };
            open.periods += 1;
            if !open.listener.is_quiet() && open.periods < MAX_PERIODS {
                unsettled.push(key);
                continue;
            }
            let write = |message: &[u8]| unsent.write(|out| out.extend_from_slice(message));
            match open.listener.tell(write) {
                StreamState::Ended => {
                    self.open.remove(&key);
                }
                StreamState::Open => {
                    open.periods = 0;
                    if open.is_ready() {
                        unsettled.push(key);
                    }
                }
            }
        }
        self.look_at = (!unsettled.is_empty()).then(|| now + QUIET_PERIOD);
        self.due = unsettled;
    }
}

impl Open {
    /// Whether the stream has something to tell by now; else its waker is called once it has.
    fn is_ready(&self) -> bool {
        let context = Context::from_waker(&self.waker);
        self.listener.poll_changes(&context) == Poll::Ready(())
    }
}
