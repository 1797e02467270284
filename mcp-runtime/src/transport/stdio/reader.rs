//! The thread that reads messages, runs inline functions, and hands all other calls to the runtime.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use super::{Guard, Stdio};
use crate::bound::Permit;
use crate::connection::{CHUNK, Call, Key, LineReader, Next, Received};
use crate::dispatch::{Answer, CallHandle, DispatchError, Opened, PendingCall, Permitted, Routed};
use crate::exec::Execution;
use crate::jsonrpc::OwnedRawId;
use crate::transport::cancellation::log_cancellation;

/// Once so many bytes are to be written they are, although more input is at hand.
const BATCH: usize = CHUNK;

/// Reads until the input ends.
pub(super) fn read(stdio: &Arc<Stdio>) {
    let mut reader = Reader {
        stdio,
        control: stdio.control(),
        answer: Vec::new(),
    };
    let mut lines = LineReader::new(stdio.core.options.limits.max_message_size);
    while stdio.lock().connection.is_open() {
        match lines.next() {
            Next::Line(place) => {
                let state = reader.receive(lines.line(place));
                if state.connection.unsent() >= BATCH {
                    drop(stdio.wait_for_backlog(stdio.flush(state)));
                }
            }
            Next::TooLong(id) => {
                stdio.lock().connection.refuse_too_long(id.as_deref());
            }
            Next::Fill => {
                drop(stdio.wait_for_backlog(stdio.flush(stdio.lock())));
                match lines.fill(|room| stdio.read(room)) {
                    Ok(count) if count == CHUNK => stdio.widen(),
                    Ok(_) => {}
                    Err(error) => {
                        stdio.lock().failure.get_or_insert(error);
                        break;
                    }
                }
            }
            Next::End => break,
        }
    }
    stdio.lock().input_has_ended = true;
    stdio.wakeup.wake();
    drop(stdio.flush(stdio.lock()));
}

struct Reader<'s> {
    stdio: &'s Arc<Stdio>,
    /// Used again for the next call, unless the last one still has it.
    control: Arc<CallHandle>,
    answer: Vec<u8>,
}

impl<'s> Reader<'s> {
    /// Takes one message, or a batch of them.
    fn receive(&mut self, message: &[u8]) -> Guard<'s> {
        #[cfg(feature = "legacy")]
        if message.trim_ascii_start().starts_with(b"[") {
            let mut state = self.stdio.lock();
            if let Some(messages) = state.connection.begin_batch(message) {
                drop(state);
                for message in messages {
                    drop(self.receive_one(message.get().as_bytes()));
                }
                state = self.stdio.lock();
                state.connection.end_batch();
                return state;
            }
        }
        self.receive_one(message)
    }

    /// Takes one message.
    fn receive_one(&mut self, message: &[u8]) -> Guard<'s> {
        let stdio = self.stdio;
        let mut readable = Vec::new();
        let opened = stdio.core.open(message, &mut readable);
        let mut state = stdio.lock();
        match state.connection.receive(opened) {
            Received::Nothing => state,
            Received::Call(call) => {
                // An inline function may do anything, and be slow by mistake.
                drop(state);
                self.call(message, &call)
            }
            Received::Cancel { calls, id, reason } => {
                // What is woken may ask for the lock, and so may whatever takes the log.
                drop(state);
                calls.cancel();
                log_cancellation(id, reason.as_deref());
                stdio.lock()
            }
            #[cfg(feature = "legacy")]
            Received::Answered { slot, response } => {
                // What is woken may ask for the lock.
                drop(state);
                slot.fill(response);
                let mut state = stdio.lock();
                // The time of the call goes on.
                let deadline = state.connection.next_deadline();
                state.look_by(deadline, &stdio.wakeup);
                state
            }
            Received::Response => {
                drop(state);
                tracing::debug!("the client sent a response that no request asked for");
                stdio.lock()
            }
        }
    }

    /// Runs a call here if it is inline, and else has it run by the runtime.
    fn call(&mut self, message: &[u8], call: &Call<'_>) -> Guard<'s> {
        let stdio = self.stdio;
        if Arc::get_mut(&mut self.control).is_none() {
            self.control = stdio.control();
        }
        if let Some(control) = Arc::get_mut(&mut self.control) {
            control.begin(None);
            control.set_session(call.session.clone());
        }
        self.control.permit(Permitted::InlineOnly);
        self.answer.clear();
        let core = &stdio.core;
        let memory = match core.admit_memory(&call.request, None) {
            Ok(memory) => memory,
            Err(error) => {
                core.turn_away(call.request.id, &error, &mut self.answer);
                let mut state = stdio.lock();
                state.connection.answer(&self.control, &mut self.answer);
                return state;
            }
        };
        match core.answer_routed(&call.request, None, &self.control, &mut self.answer) {
            Routed::Answer(Answer::Written) => self.control.end(),
            Routed::List(page) => {
                self.answer.extend_from_slice(&page);
                self.answer
                    .extend_from_slice(core.closing(core.revision(&self.control)));
                self.control.end();
            }
            Routed::Answer(Answer::Listening(listener)) => {
                self.control.end();
                let mut state = stdio.lock();
                state.connection.listen(call, listener, &mut self.answer);
                return state;
            }
            Routed::NotPermitted(execution) => {
                let control = std::mem::replace(&mut self.control, stdio.control());
                let run = match execution {
                    Execution::Blocking => Run::Blocking,
                    Execution::Inline | Execution::Async => Run::Async,
                };
                return start(stdio, message, call, control, memory, run);
            }
            // An inline function may be replaced by an async one while its request is looked at.
            Routed::Answer(Answer::Pending(pending)) => {
                let control = std::mem::replace(&mut self.control, stdio.control());
                return start(stdio, message, call, control, memory, Run::Begun(pending));
            }
        }
        let mut state = stdio.lock();
        state.connection.answer(&self.control, &mut self.answer);
        state
    }
}

/// What the runtime does for a call.
enum Run {
    /// It runs a plain function.
    Blocking,
    /// It polls an async function.
    Async,
    /// It polls an async function that waits already.
    Begun(PendingCall),
}

/// Has a call run by the runtime.
fn start<'s>(
    stdio: &'s Arc<Stdio>,
    message: &[u8],
    call: &Call<'_>,
    control: Arc<CallHandle>,
    memory: Permit,
    run: Run,
) -> Guard<'s> {
    let is_blocking = matches!(run, Run::Blocking);
    let mut state = stdio.lock();
    let now = Instant::now();
    let (key, deadline) = state.connection.start(call, &control, is_blocking, now);
    state.look_by(deadline, &stdio.wakeup);
    let running = Running {
        stdio: Arc::clone(stdio),
        key: key.clone(),
        control,
        message: message.into(),
        memory: Some(memory),
        is_blocking,
    };
    drop(state);
    let runtime = &stdio.runtime;
    let spawned = match run {
        Run::Blocking => runtime.spawn_blocking(move || running.run_blocking()),
        Run::Async => runtime.spawn(running.run_async()),
        Run::Begun(pending) => {
            let id = call.request.id.keep();
            runtime.spawn(running.finish_pending(pending, id))
        }
    };
    let mut state = stdio.lock();
    if let Err(error) = spawned {
        tracing::error!("a call could not be started: {error}");
        let error = DispatchError::NoRuntime;
        let mut answer = Vec::new();
        stdio.core.turn_away(call.request.id, &error, &mut answer);
        state.connection.finish(&key, is_blocking, &mut answer);
    }
    state
}

/// A call that is run by the runtime.
struct Running {
    stdio: Arc<Stdio>,
    key: Key,
    control: Arc<CallHandle>,
    message: Box<[u8]>,
    /// Held until the function has returned.
    memory: Option<Permit>,
    is_blocking: bool,
}

impl Running {
    /// Runs a plain function.
    fn run_blocking(self) {
        match self.begin(Permitted::All) {
            Begun::Answered(answer) => self.finish(answer),
            // The function may have been replaced by an async one since its request was read.
            Begun::Pending(call, id) => {
                let runtime = Arc::clone(&self.stdio.runtime);
                if let Err(error) = runtime.spawn(self.finish_pending(call, id)) {
                    tracing::debug!("a call is dropped: {error}");
                }
            }
            Begun::Blocking => unreachable!("all functions are permitted here"),
        }
    }

    /// Polls an async function.
    async fn run_async(self) {
        match self.begin(Permitted::NonBlocking) {
            Begun::Answered(answer) => self.finish(answer),
            Begun::Pending(call, id) => self.finish_pending(call, id).await,
            // The function may have been replaced by a plain one since its request was read.
            Begun::Blocking => {
                let runtime = Arc::clone(&self.stdio.runtime);
                if let Err(error) = runtime.spawn_blocking(move || self.run_blocking()) {
                    tracing::debug!("a call is dropped: {error}");
                }
            }
        }
    }

    /// Runs the call up to its end, or to the place where it waits for the first time.
    fn begin(&self, permitted: Permitted) -> Begun {
        let mut answer = Vec::new();
        // It may have waited for a thread for longer than its client has.
        if self.control.is_cancelled() {
            return Begun::Answered(answer);
        }
        self.control.permit(permitted);
        let core = &self.stdio.core;
        let mut readable = Vec::new();
        let Opened::Request(request) = core.open(&self.message, &mut readable) else {
            unreachable!("the message was opened as a request before");
        };
        match core.answer_routed(&request, None, &self.control, &mut answer) {
            Routed::Answer(Answer::Written) => Begun::Answered(answer),
            Routed::Answer(Answer::Pending(call)) => Begun::Pending(call, request.id.keep()),
            Routed::NotPermitted(_) => Begun::Blocking,
            Routed::Answer(Answer::Listening(_)) | Routed::List(_) => {
                unreachable!("lists and streams are answered where they are read")
            }
        }
    }

    /// Runs the function once more, with what the client has answered.
    fn run_again(self) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(self.run_async())
    }

    /// Waits for the end of the call, or its cancellation.
    async fn finish_pending(mut self, mut call: PendingCall, id: OwnedRawId) {
        if call.may_be_outlived() {
            self.stdio.lock().connection.note_blocking(&self.key);
            call.hold(Arc::new(Place {
                stdio: Arc::clone(&self.stdio),
                key: self.key.clone(),
                _memory: self.memory.take(),
            }));
        }
        let control = Arc::clone(&self.control);
        let mut cancelled = pin!(control.cancelled());
        let answer = poll_fn(|task| {
            // First, so that a cancelled function is dropped at the place where it waits.
            if cancelled.as_mut().poll(task).is_ready() {
                return Poll::Ready(Vec::new());
            }
            call.poll(id.as_raw(), task)
        });
        let answer = answer.await;
        // Its place among the calls in flight is free once it has been dropped.
        drop(call);
        if self.control.runs_again() && !self.control.is_cancelled() {
            return self.run_again().await;
        }
        self.finish(answer);
    }

    fn finish(self, mut answer: Vec<u8>) {
        // The client may send the next call as soon as it has the answer.
        drop(self.memory);
        let mut state = self.stdio.lock();
        state
            .connection
            .finish(&self.key, self.is_blocking, &mut answer);
        self.stdio.after_change(&state);
    }
}

/// The place of a call among those in flight, as long as its plain function runs.
struct Place {
    stdio: Arc<Stdio>,
    key: Key,
    _memory: Option<Permit>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.stdio.lock().connection.release(&self.key);
    }
}

/// How far a call came.
enum Begun {
    /// To its end.
    Answered(Vec<u8>),
    /// To a function that waits.
    Pending(PendingCall, OwnedRawId),
    /// To a plain function, which is not run here.
    Blocking,
}
