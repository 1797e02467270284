//! Answers on their way out: collected in one buffer, written by one thread at a time.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::crew::{Crew, Guard};
use super::input::CHUNK;
use super::state::{Phase, State, Work};

/// So much is collected while more input is at hand.
pub(super) const BATCH: usize = CHUNK;

/// A client that does not read gets no more of its calls run once so much waits to be written.
pub(super) const BACKLOG: usize = 4 << 20;

/// How often the leader, while it waits for the client to read, looks whether the input has ended.
const LOOK: Duration = Duration::from_millis(50);

/// How many small writes a buffer that has grown stays large for.
const PATIENCE: u8 = 16;

/// Frames that wait to be written.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    frames: Vec<u8>,
    /// The buffer that takes turns with `frames`.
    turn: Vec<u8>,
    /// Somebody is writing, and will come back for what is added meanwhile.
    writing: bool,
    /// The leader waits until less is left to be written.
    awaited: bool,
    small_writes: u8,
}

impl Outbox {
    /// Adds a frame that ends with a newline; the buffer comes back empty.
    pub(super) fn push(&mut self, frame: &mut Vec<u8>) {
        if self.frames.is_empty() {
            std::mem::swap(&mut self.frames, frame);
        } else {
            self.frames.append(frame);
        }
    }

    /// Adds a frame that a function writes without its newline.
    pub(super) fn write(&mut self, frame: impl FnOnce(&mut Vec<u8>)) {
        frame(&mut self.frames);
        self.frames.push(b'\n');
    }

    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether somebody writes, who will come back for what is added meanwhile.
    pub(super) fn is_being_written(&self) -> bool {
        self.writing
    }

    /// Whether everything has been written.
    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty() && !self.writing
    }

    /// Whether nothing waits to be written, though it may be that something is being written.
    pub(super) fn has_no_frames(&self) -> bool {
        self.frames.is_empty()
    }

    /// Takes what would be written.
    #[cfg(test)]
    pub(super) fn written(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.frames)
    }

    /// Gives the frames to be written, and begins anew.
    fn take(&mut self) -> Vec<u8> {
        let turn = std::mem::take(&mut self.turn);
        std::mem::replace(&mut self.frames, turn)
    }

    /// Takes the buffer of written frames back.
    fn put_back(&mut self, mut written: Vec<u8>) {
        if written.len() > CHUNK {
            self.small_writes = 0;
        } else {
            self.small_writes = self.small_writes.saturating_add(1);
            if self.small_writes > PATIENCE && written.capacity() > CHUNK {
                written = Vec::new();
            }
        }
        written.clear();
        self.turn = written;
    }
}

impl Crew {
    /// Writes what stands in the outbox, unless somebody is at it already.
    ///
    /// The leader gives its term. It waits here for a client that has left too much unread; nobody else does.
    pub(super) fn flush<'a>(&'a self, mut state: Guard<'a>, term: Option<u64>) -> Guard<'a> {
        if state.outbox.writing {
            if term.is_some() {
                state = self.wait_for_backlog(state);
            }
            return state;
        }
        if state.outbox.frames.is_empty() {
            return state;
        }
        state.outbox.writing = true;
        if term.is_some() {
            self.begin(&mut state, Work::Write);
        }
        while (!state.outbox.frames.is_empty() || state.tell_listeners())
            && state.phase != Phase::Closed
        {
            let frames = state.outbox.take();
            if std::mem::take(&mut state.outbox.awaited) {
                // It need not wait until everything is written, which may be never if others add to it all the time.
                self.written.notify_all();
            }
            state = self.write(state, frames);
        }
        if term == Some(state.term) {
            self.end(&mut state);
        }
        self.end_writing(&mut state);
        state
    }

    /// Lets the leader wait until less is left to be written.
    ///
    /// It does not read meanwhile, so it has to look in another way whether the input has ended. If so, what is left of it
    /// is read all the same once the client reads; if that takes nothing for the time of grace, this is the end.
    fn wait_for_backlog<'a>(&'a self, mut state: Guard<'a>) -> Guard<'a> {
        let grace = self.core.options.limits.grace;
        let (mut written, mut since) = (self.wire.written(), Instant::now());
        while state.outbox.writing && state.outbox.len() > BACKLOG && state.phase != Phase::Closed {
            state.outbox.awaited = true;
            let waited = self.written.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            let before = std::mem::replace(&mut written, self.wire.written());
            if written != before || !self.wire.input_has_ended() {
                since = Instant::now();
            } else if since.elapsed() >= grace {
                state.phase = Phase::Closed;
                self.wake_all();
            }
        }
        state
    }

    /// Writes what stands in the outbox if that takes no time, and otherwise lets a spare do it.
    ///
    /// It is for threads on which others depend: a client that does not read must not stop all async calls.
    pub(super) fn flush_at_once<'a>(self: &'a Arc<Self>, mut state: Guard<'a>) -> Guard<'a> {
        if state.outbox.writing || state.outbox.frames.is_empty() {
            return state;
        }
        if self.wire.takes_at_once(state.outbox.len()) {
            state.outbox.writing = true;
            let frames = state.outbox.take();
            state = self.write(state, frames);
            self.end_writing(&mut state);
        }
        // Whatever has been added meanwhile, too.
        if !state.outbox.frames.is_empty() && state.phase != Phase::Closed {
            self.ask_for_flush(&mut state);
        }
        state
    }

    /// Writes frames without the lock.
    fn write<'a>(&'a self, state: Guard<'a>, frames: Vec<u8>) -> Guard<'a> {
        drop(state);
        if frames.len() > CHUNK {
            self.widen();
        }
        let written = self.wire.write(&frames);
        let mut state = self.lock();
        state.outbox.put_back(frames);
        if let Err(error) = written {
            self.fail(&mut state, error);
        }
        state
    }

    /// Notes that nobody writes any more.
    fn end_writing(&self, state: &mut State) {
        state.outbox.writing = false;
        if std::mem::take(&mut state.outbox.awaited) {
            self.written.notify_all();
        }
        // The supervisor does not look at streams while somebody writes.
        if state.phase != Phase::Open || state.listeners.are_due() {
            self.bell.ring();
        }
    }
}
