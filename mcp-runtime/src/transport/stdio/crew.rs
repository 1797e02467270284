//! The threads that serve, and how they find each other.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::Instant;

use super::bell::Bell;
use super::flight::{Call, Key};
use super::polls::Polls;
use super::state::{Phase, State, Work};
use super::wire::Wire;
use crate::dispatch::{Audience, Core, Opened};
use crate::server::LazyRuntime;

/// Threads that are kept for the next slow call.
const MAX_SPARES: usize = 8;

pub(super) type Guard<'a> = MutexGuard<'a, State>;

/// All that the threads of one server share.
#[derive(Debug)]
pub(super) struct Crew {
    pub(super) core: Arc<Core>,
    pub(super) wire: Wire,
    pub(super) bell: Bell,
    pub(super) runtime: Arc<LazyRuntime>,
    pub(super) polls: Polls,
    /// The streams that are open.
    pub(super) audience: Arc<Audience>,
    state: Mutex<State>,
    /// Calls spares to work.
    spares: Condvar,
    /// Tells that a write has ended.
    pub(super) written: Condvar,
    /// The number of the leader's work, twice, plus one while it is at it.
    pulse: AtomicU64,
    /// Answers have waited for a tick.
    pub(super) flush_due: AtomicBool,
    widened: Once,
}

impl Crew {
    pub(super) fn new(core: Arc<Core>, wire: Wire) -> io::Result<Arc<Self>> {
        let max_line = core.options.limits.message_size;
        Ok(Arc::new(Self {
            core,
            wire,
            bell: Bell::new()?,
            runtime: Arc::default(),
            polls: Polls::default(),
            audience: Audience::together(),
            state: Mutex::new(State::new(max_line)),
            spares: Condvar::new(),
            written: Condvar::new(),
            pulse: AtomicU64::new(0),
            flush_due: AtomicBool::new(false),
            widened: Once::new(),
        }))
    }

    pub(super) fn lock(&self) -> Guard<'_> {
        // A panic of ours with the lock held ends serving: see `on_thread`.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wait_for<'a>(&self, event: &Condvar, state: Guard<'a>) -> Guard<'a> {
        event.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the leader begins something that may take long.
    pub(super) fn begin(&self, state: &mut State, work: Work) {
        state.number += 1;
        state.work = work;
        self.pulse.store(state.number * 2 + 1, Ordering::Relaxed);
        if std::mem::take(&mut state.supervisor_sleeps) {
            self.bell.ring();
        }
    }

    /// Notes that the leader has ended what it was at.
    pub(super) fn end(&self, state: &mut State) {
        state.work = Work::None;
        self.pulse.store(state.number * 2, Ordering::Relaxed);
    }

    /// A number that changes whenever the leader begins or ends something, and is odd while it is at it.
    pub(super) fn pulse(&self) -> u64 {
        self.pulse.load(Ordering::Relaxed)
    }

    /// Notes why serving cannot go on; the first reason counts.
    pub(super) fn fail(&self, state: &mut State, error: io::Error) {
        state.failure.get_or_insert(error);
        state.phase = Phase::Closed;
        self.wake_all();
    }

    pub(super) fn wake_all(&self) {
        self.spares.notify_all();
        self.written.notify_all();
        self.bell.ring();
    }

    /// Asks for pipes that hold large messages, once one has come.
    pub(super) fn widen(&self) {
        self.widened.call_once(|| self.wire.widen());
    }

    /// Calls a spare thread to work, or makes one.
    pub(super) fn summon(self: &Arc<Self>, state: &mut State) -> io::Result<()> {
        if state.spares > 0 {
            // It is no spare any more, though it may take its time to wake.
            state.spares -= 1;
            state.called += 1;
            self.spares.notify_one();
        } else {
            let crew = Arc::clone(self);
            thread::Builder::new()
                .name("mcp-stdio".into())
                .spawn(move || on_thread(&crew))?;
        }
        state.coming += 1;
        state.lacks_threads = false;
        Ok(())
    }

    /// The same where all goes on without, if slowly; tells whether somebody comes.
    ///
    /// The log is told once, however often it is tried again, and by the supervisor: whoever takes it may come back.
    fn try_to_summon(self: &Arc<Self>, state: &mut State) -> bool {
        let Err(error) = self.summon(state) else {
            return true;
        };
        if !std::mem::replace(&mut state.lacks_threads, true) {
            state.complaint = Some(error);
            self.bell.ring();
        }
        false
    }

    /// Lets somebody else lead, and the leader go on with what it is at, however long it takes.
    ///
    /// A call that it is at becomes one in flight. Without a thread to follow, everything stays as it is.
    pub(super) fn hand_over(self: &Arc<Self>, state: &mut State) {
        if state.phase == Phase::Open {
            if !self.try_to_summon(state) {
                return;
            }
            state.vacant = true;
        }
        let number = state.number;
        let work = std::mem::replace(&mut state.work, Work::None);
        state.term += 1;
        self.end(state);
        if let Work::Call(line, control) = work
            && let Some(input) = &state.input
        {
            let buffer = input.buffer();
            if let Opened::Request(request) = self.core.open(&buffer[line]) {
                state.note(&self.core, &request, true);
                let call = Call {
                    number,
                    id: request.id.keep(),
                    since: Instant::now(),
                    control,
                    task: None,
                };
                state.flight.insert(Key::new(request.id, number), call);
            }
        }
    }

    /// Ends a call in flight with its answer; nobody hears of it if the call was cancelled or timed out.
    ///
    /// On a thread of the crew it may wait for the client.
    pub(super) fn answer<'a>(
        self: &'a Arc<Self>,
        mut state: Guard<'a>,
        (key, number): (&Key, u64),
        on_thread: bool,
        frame: &mut Vec<u8>,
    ) -> Guard<'a> {
        if state.flight.end(key, number, on_thread) && state.phase != Phase::Closed {
            state.outbox.push(frame);
            if state.nobody_writes() {
                state = if on_thread {
                    self.flush(state, None)
                } else {
                    self.flush_at_once(state)
                };
            }
        }
        if state.phase != Phase::Open {
            self.bell.ring();
        }
        state
    }

    /// Tells the log what could not be told under the lock.
    pub(super) fn complain<'a>(&'a self, mut state: Guard<'a>) -> Guard<'a> {
        let Some(error) = state.complaint.take() else {
            return state;
        };
        drop(state);
        tracing::error!("calls and answers wait for each other, as no thread can be made: {error}");
        self.lock()
    }

    /// Writes the answers to calls that took too long, and stops them.
    pub(super) fn time_out<'a>(self: &'a Arc<Self>, mut state: Guard<'a>) -> Guard<'a> {
        let late = state.flight.time_out(Instant::now());
        if late.is_empty() {
            return state;
        }
        for id in late.ids() {
            state.outbox.write(|out| self.core.time_out(id, out));
        }
        if state.nobody_writes() {
            self.ask_for_flush(&mut state);
        }
        drop(state);
        late.stop();
        self.lock()
    }

    /// Lets a spare write what stands in the outbox.
    pub(super) fn ask_for_flush(self: &Arc<Self>, state: &mut State) {
        // Whoever writes comes back for more, and whoever comes looks for it. That a flush is wanted says nothing by itself:
        // the thread that was to do it may have become the leader.
        if state.outbox.is_being_written() || state.flush_wanted && state.coming > 0 {
            return;
        }
        let is_known = state.lacks_writer();
        state.flush_wanted = true;
        if !self.try_to_summon(state) && !is_known {
            // The supervisor asks again.
            self.bell.ring();
        }
    }
}

/// Ends serving if a thread of ours panics, since nobody would do its work.
struct OnPanic<'a>(&'a Crew);

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let error = io::Error::other("a thread of the transport panicked");
            self.0.fail(&mut self.0.lock(), error);
        }
    }
}

/// The life of a thread: it leads or writes when it is called, and else waits.
fn on_thread(crew: &Arc<Crew>) {
    let _on_panic = OnPanic(crew);
    let mut state = crew.lock();
    state.coming -= 1;
    while state.phase != Phase::Closed {
        if state.phase == Phase::Open && std::mem::take(&mut state.vacant) {
            state = super::leader::lead(crew, state);
        } else if std::mem::take(&mut state.flush_wanted) {
            state = crew.flush(state, None);
        } else if state.spares == MAX_SPARES {
            return;
        } else {
            state.spares += 1;
            while state.called == 0 && state.phase != Phase::Closed {
                state = crew.wait_for(&crew.spares, state);
            }
            if state.called > 0 {
                state.called -= 1;
                state.coming -= 1;
            }
        }
    }
}
