//! The thread that reads, and runs calls as their lines come.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tracing::Level;

use super::crew::{Crew, Guard};
use super::flight::{Call, Key};
use super::input::{CHUNK, Next};
use super::notify::Notifier;
use super::output::BATCH;
use super::state::{Phase, State, Work};
use crate::clock;
use crate::dispatch::{
    Answer, CallControl, DispatchError, Invalid, Opened, PendingCall, Request, TOO_LONG,
};
use crate::jsonrpc::RawId;

/// A call of what is known to be slow that ends within this time clears its name.
const QUICK: Duration = Duration::from_millis(1);

/// So many characters of a client's text are logged.
const SHOWN: usize = 200;

/// What a thread keeps while it leads.
struct Seat {
    term: u64,
    /// Used again for the next call, unless the last one still holds on to it.
    control: Arc<CallControl>,
    frame: Vec<u8>,
}

/// Leads until the input ends, or somebody else does.
pub(super) fn lead<'a>(crew: &'a Arc<Crew>, mut state: Guard<'a>) -> Guard<'a> {
    let mut seat = Seat {
        term: state.term,
        control: control(crew),
        frame: Vec::new(),
    };
    let Some(mut buffer) = state.input.as_ref().map(|input| input.buffer()) else {
        unreachable!("who leaves the office leaves the input behind");
    };
    while seat.leads(&state) {
        let next = match &mut state.input {
            Some(input) => input.next(),
            None => unreachable!("only the leader takes the input, and gives it back"),
        };
        match next {
            Next::Line(line) => {
                let bytes = &buffer[line.clone()];
                match crew.core.open(bytes) {
                    Opened::Request(request) => match refusal(crew, &state, &request) {
                        None => state = seat.call(crew, state, line, &request),
                        Some(invalid) => refuse(crew, &mut state, &invalid),
                    },
                    Opened::Notification(notification) => {
                        if let Some(id) = notification.cancelled() {
                            let cancelled = state.flight.cancel(id);
                            state.listeners.close(id);
                            let is_logged = tracing::event_enabled!(Level::DEBUG);
                            if is_logged || !cancelled.is_empty() {
                                // Whoever takes the log may keep it waiting, and whoever is woken may come back.
                                drop(state);
                                cancelled.stop();
                                if is_logged {
                                    log_cancellation(id, notification.reason().as_deref());
                                }
                                state = crew.lock();
                            }
                        }
                    }
                    Opened::Response => {
                        if tracing::event_enabled!(Level::DEBUG) {
                            drop(state);
                            tracing::debug!("a response came, and nothing was asked");
                            state = crew.lock();
                        }
                    }
                    Opened::Invalid(mut invalid) => {
                        // Its id is to have one response.
                        invalid.id = invalid.id.filter(|id| !is_in_use(&state, *id));
                        refuse(crew, &mut state, &invalid);
                    }
                }
                if state.outbox.len() >= BATCH && seat.leads(&state) {
                    state = crew.flush(state, Some(seat.term));
                }
            }
            Next::TooLong => {
                let error = DispatchError::NotARequest(TOO_LONG);
                refuse(crew, &mut state, &Invalid::unread(error));
            }
            Next::Fill => {
                state = crew.flush(state, Some(seat.term));
                if seat.leads(&state) {
                    // What the leader holds cannot be filled.
                    drop(buffer);
                    state = fill(crew, state);
                    match &state.input {
                        Some(input) => buffer = input.buffer(),
                        None => return state,
                    }
                }
            }
            Next::End => {
                state.input_ended = true;
                // Before the write, which a client that does not read may keep from ending.
                crew.bell.ring();
                return crew.flush(state, Some(seat.term));
            }
        }
    }
    state
}

/// Waits for more input.
fn fill<'a>(crew: &'a Crew, mut state: Guard<'a>) -> Guard<'a> {
    let Some(mut input) = state.input.take() else {
        return state;
    };
    drop(state);
    let read = input.fill(|room| crew.wire.read(room));
    if matches!(read, Ok(count) if count == CHUNK) {
        crew.widen();
    }
    state = crew.lock();
    state.input = Some(input);
    if let Err(error) = read {
        // What has been answered is written all the same.
        state.failure.get_or_insert(error);
        state.input_ended = true;
        crew.bell.ring();
    }
    state
}

/// Tells the log of a cancellation and its reason (basic/patterns/cancellation, "Implementation Notes").
fn log_cancellation(id: RawId<'_>, reason: Option<&str>) {
    let id = shown(id.text());
    match reason {
        Some(reason) => {
            let reason = shown(reason);
            tracing::debug!("the client cancels the request {id}: {reason:?}");
        }
        None => tracing::debug!("the client cancels the request {id}"),
    }
}

/// As much of a client's text as a line of the log is good for.
fn shown(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// Why a request is not run although it can be read.
fn refusal<'a>(crew: &Crew, state: &State, request: &Request<'a>) -> Option<Invalid<'a>> {
    if is_in_use(state, request.id) {
        let error = DispatchError::IdInUse(request.id.text().to_owned());
        return Some(Invalid::unread(error));
    }
    let limit = crew.core.options.limits.calls_in_flight;
    let full = state.flight.len() >= limit && request.runs_handler();
    full.then_some(Invalid {
        id: Some(request.id),
        error: DispatchError::TooManyCalls(limit),
    })
}

/// Whether a request of this id is still to be answered.
fn is_in_use(state: &State, id: RawId<'_>) -> bool {
    state.flight.contains(id) || state.listeners.contains(id)
}

fn refuse(crew: &Crew, state: &mut State, invalid: &Invalid<'_>) {
    state.outbox.write(|out| crew.core.refuse(invalid, out));
}

impl Seat {
    fn leads(&self, state: &State) -> bool {
        state.term == self.term && state.phase == Phase::Open && !state.input_ended
    }

    /// Runs a call, and answers it unless it waits for something.
    fn call<'a>(
        &mut self,
        crew: &'a Arc<Crew>,
        mut state: Guard<'a>,
        line: std::ops::Range<usize>,
        request: &Request<'_>,
    ) -> Guard<'a> {
        self.renew_control(crew);
        crew.begin(&mut state, Work::Call(line, Arc::clone(&self.control)));
        let number = state.number;
        let slow_since = state.is_slow(&crew.core, request).then(|| {
            crew.hand_over(&mut state);
            Instant::now()
        });
        drop(state);
        let answer = self.run(crew, request);
        state = crew.lock();
        if state.term == self.term {
            crew.end(&mut state);
            return match answer {
                Answer::Written => {
                    self.control.end();
                    state.outbox.push(&mut self.frame);
                    if crew.flush_due.swap(false, Ordering::Relaxed) {
                        state = crew.flush(state, Some(self.term));
                    }
                    state
                }
                Answer::Listening(listener) => {
                    self.control.end();
                    let key = Key::new(request.id, number);
                    crew.listen(&mut state, (key, number), listener, &mut self.frame);
                    state
                }
                Answer::Pending(pending) => {
                    let key = Key::new(request.id, number);
                    let call = Call {
                        number,
                        id: request.id.keep(),
                        since: Instant::now(),
                        control: std::mem::replace(&mut self.control, control(crew)),
                        task: None,
                    };
                    state.flight.insert(key.clone(), call);
                    spawn(crew, state, key, number, pending)
                }
            };
        }
        // Somebody else leads by now, and the call is in flight, or nobody waits for it any more.
        if slow_since.is_some_and(|since| since.elapsed() < QUICK) {
            state.note(&crew.core, request, false);
        }
        let key = Key::new(request.id, number);
        match answer {
            Answer::Written => crew.answer(state, (&key, number), true, &mut self.frame),
            Answer::Listening(listener) => {
                // It is no call any more, unless it was cancelled meanwhile.
                if state.flight.end(&key, number, true) {
                    crew.listen(&mut state, (key, number), listener, &mut self.frame);
                }
                state
            }
            Answer::Pending(pending) if state.flight.get_mut(&key, number).is_some() => {
                spawn(crew, state, key, number, pending)
            }
            Answer::Pending(pending) => end(crew, state, (&key, number), pending),
        }
    }

    /// Gives the request to the dispatcher.
    fn run(&mut self, crew: &Crew, request: &Request<'_>) -> Answer {
        self.frame.clear();
        let answer = crew.core.answer(request, &self.control, &mut self.frame);
        if !matches!(answer, Answer::Pending(_)) {
            self.frame.push(b'\n');
        }
        answer
    }

    fn renew_control(&mut self, crew: &Arc<Crew>) {
        match Arc::get_mut(&mut self.control) {
            Some(control) => control.begin(None),
            None => self.control = control(crew),
        }
    }
}

/// Controls calls that are run by this crew.
fn control(crew: &Arc<Crew>) -> Arc<CallControl> {
    let runtime = Arc::clone(&crew.runtime);
    let notifier = Arc::new(Notifier::new(crew));
    let control = CallControl::within(runtime)
        .with_outbox(notifier)
        .with_audience(Arc::clone(&crew.audience));
    Arc::new(control.with_clock(clock::now))
}

/// Ends a call that waits, and whose answer nobody would write.
fn end<'a>(
    crew: &'a Crew,
    mut state: Guard<'a>,
    (key, number): (&Key, u64),
    pending: PendingCall,
) -> Guard<'a> {
    state.flight.end(key, number, true);
    // What the handler holds may do anything when it is dropped.
    drop(state);
    drop(pending);
    crew.lock()
}

/// Lets a call that waits go on in the runtime; it stands among those in flight.
fn spawn<'a>(
    crew: &'a Arc<Crew>,
    mut state: Guard<'a>,
    key: Key,
    number: u64,
    mut pending: PendingCall,
) -> Guard<'a> {
    // From then on the runtime may be shut down, and drop what it is given at once.
    if state.phase == Phase::Closed {
        return end(crew, state, (&key, number), pending);
    }
    let Some(call) = state.flight.get_mut(&key, number) else {
        unreachable!("the call was found under the same lock");
    };
    let id = call.id.clone();
    let in_task = Arc::clone(crew);
    let task = crew.runtime.spawn(async move {
        let answered = std::future::poll_fn(|context| {
            let _poll = in_task.polls.begin(&in_task.bell);
            pending.poll(id.as_raw(), context)
        });
        let mut frame = answered.await;
        frame.push(b'\n');
        let state = in_task.lock();
        drop(in_task.answer(state, (&key, number), false, &mut frame));
    });
    match task {
        Ok(task) => call.task = Some(task),
        // The handler was begun inside the runtime, so there is one; were there none, nobody could go on.
        Err(error) => crew.fail(&mut state, error),
    }
    state
}
