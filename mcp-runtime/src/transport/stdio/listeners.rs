//! The open streams of `subscriptions/listen`, which share the channel with all answers.
//!
//! What they have to tell is fetched when it can be written, and not before: until then it is kept by the dispatcher,
//! where equal notifications become one.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use super::crew::Crew;
use super::flight::Key;
use super::output::Outbox;
use super::state::State;
use crate::dispatch::{Listener, Told};
use crate::jsonrpc::RawId;
use crate::transport::settle::{MOMENT, MOST};

/// All open streams.
#[derive(Debug, Default)]
pub(super) struct Listeners {
    open: HashMap<Key, Open>,
    /// The streams that have something to tell, each once.
    due: Vec<Key>,
    /// When these are looked at.
    look: Option<Instant>,
}

#[derive(Debug)]
struct Open {
    listener: Listener,
    /// Tells it from a later stream with the same id.
    number: u64,
    waker: Waker,
    /// The moments for which its news have waited.
    moments: u32,
}

/// Notes that a stream has something to tell.
struct Knock {
    crew: Weak<Crew>,
    key: Key,
    number: u64,
}

impl Wake for Knock {
    fn wake(self: Arc<Self>) {
        let Some(crew) = self.crew.upgrade() else {
            return;
        };
        let mut state = crew.lock();
        if state.listeners.knock(&self.key, self.number) {
            crew.bell.ring();
        }
    }
}

impl Listeners {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether the id is that of an open stream.
    pub(super) fn contains(&self, id: RawId<'_>) -> bool {
        !self.open.is_empty() && self.open.contains_key(&Key::Id(id.to_owned()))
    }

    /// Closes a stream whose client does not want it any more; an id that is not of one is ignored.
    pub(super) fn close(&mut self, id: RawId<'_>) {
        if !self.open.is_empty() {
            self.open.remove(&Key::Id(id.to_owned()));
        }
    }

    pub(super) fn close_all(&mut self) {
        self.open.clear();
        self.due.clear();
        self.look = None;
    }

    /// Whether something is to be told, now or in a moment.
    pub(super) fn are_due(&self) -> bool {
        self.look.is_some()
    }

    /// Lets nothing wait any longer.
    pub(super) fn hurry(&mut self) {
        if let Some(look) = &mut self.look {
            *look = Instant::now();
        }
    }

    /// How long until there is something to be told; `None` if nothing is.
    pub(super) fn next_look(&self, now: Instant) -> Option<Duration> {
        self.look.map(|look| look.saturating_duration_since(now))
    }

    /// Notes that a stream has something to tell; whether the supervisor must look at the clock again.
    fn knock(&mut self, key: &Key, number: u64) -> bool {
        let Some(open) = self.open.get_mut(key).filter(|open| open.number == number) else {
            return false;
        };
        open.moments = 0;
        // Asked here, so that the next answer is about what changes from now on.
        let _unsettled = open.listener.has_settled();
        // It is woken once for each time that it was asked and had nothing.
        self.due.push(key.clone());
        if self.look.is_some() {
            return false;
        }
        self.look = Some(Instant::now() + MOMENT);
        true
    }

    /// Puts what is due and has settled into the outbox; whether that is anything.
    fn tell(&mut self, outbox: &mut Outbox) -> bool {
        let mut told = false;
        let mut unsettled = Vec::new();
        for key in std::mem::take(&mut self.due) {
            let Some(open) = self.open.get_mut(&key) else {
                continue;
            };
            open.moments += 1;
            if !open.listener.has_settled() && open.moments < MOST {
                unsettled.push(key);
                continue;
            }
            let tell = |message: &[u8]| outbox.write(|out| out.extend_from_slice(message));
            told = true;
            match open.listener.tell(tell) {
                Told::All => {
                    self.open.remove(&key);
                }
                Told::SoFar => {
                    open.moments = 0;
                    if is_ready(open) {
                        unsettled.push(key);
                    }
                }
            }
        }
        self.look = (!unsettled.is_empty()).then(|| Instant::now() + MOMENT);
        self.due = unsettled;
        told
    }
}

/// Whether a stream has something to tell by now; else it will knock.
fn is_ready(open: &Open) -> bool {
    let context = Context::from_waker(&open.waker);
    open.listener.poll_news(&context) == Poll::Ready(())
}

impl State {
    /// Puts what the streams have to tell behind everything else, if that has been written; whether that is anything.
    ///
    /// A client that does not read must not be told one thing twice.
    pub(super) fn tell_listeners(&mut self) -> bool {
        let is_due = self
            .listeners
            .look
            .is_some_and(|look| look <= Instant::now());
        is_due && self.outbox.has_no_frames() && self.listeners.tell(&mut self.outbox)
    }
}

impl Crew {
    /// Lets a spare write what the streams have to tell.
    pub(super) fn tell_listeners(self: &Arc<Self>, state: &mut State) {
        if state.outbox.is_empty() && state.tell_listeners() {
            self.ask_for_flush(state);
        }
    }

    /// Keeps a stream whose acknowledgement is a frame, and which is told what comes.
    pub(super) fn listen(
        self: &Arc<Self>,
        state: &mut State,
        (key, number): (Key, u64),
        listener: Listener,
        frame: &mut Vec<u8>,
    ) {
        state.outbox.push(frame);
        let waker = Waker::from(Arc::new(Knock {
            crew: Arc::downgrade(self),
            key: key.clone(),
            number,
        }));
        let open = Open {
            listener,
            number,
            waker,
            moments: 0,
        };
        let is_ready = is_ready(&open);
        state.listeners.open.insert(key.clone(), open);
        if is_ready && state.listeners.knock(&key, number) {
            self.bell.ring();
        }
        if state.nobody_writes() {
            self.ask_for_flush(state);
        }
    }
}
