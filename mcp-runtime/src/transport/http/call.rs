//! One request as a task of its own, and the wait for it.
//!
//! A plain function may block the thread that runs it. It runs in a task beside its connection, so that the connection
//! can still see its client go, and its time run out.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::header::HeaderMap;
use tokio::task::{JoinError, JoinHandle, spawn, spawn_blocking};
use tokio::time::{Instant, Sleep, sleep_until, timeout};

use super::endpoint::{Endpoint, InFlight};
use super::fields::Mirrors;
use super::outbox::Queue;
use crate::clock;
use crate::dispatch::{
    Answer, CallControl, Core, Listener, Opened, PendingCall, Principal, Verdict,
};
use crate::jsonrpc::KeptId;

/// How often a plain function that runs long is asked for its limit of time, while its tool has not been found.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// Room for a short response, so that it need not grow bit by bit.
const FRAME: usize = 512;

/// A message that came by POST.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) bytes: Bytes,
    pub(super) headers: Arc<HeaderMap>,
    /// On whose behalf it came, if a middleware has said so.
    pub(super) principal: Option<Principal>,
}

/// What a message comes to.
#[derive(Debug)]
pub(super) enum Outcome {
    /// A response, or an error without an id.
    Frame(Vec<u8>, Verdict),
    /// It was a notification.
    Accepted,
}

/// How far a message came at first.
pub(super) enum Begun {
    /// To its end.
    Done(Outcome),
    /// To a handler that waits for something.
    Pending(PendingCall, KeptId),
    /// To a stream that stays open, and its first message.
    Listening(Listener, Vec<u8>),
}

/// A running call; dropping it stops the call.
#[derive(Debug)]
pub(super) struct Call {
    core: Arc<Core>,
    message: Message,
    control: Arc<CallControl>,
    queue: Arc<Queue>,
    task: JoinHandle<Outcome>,
    /// The outcome, while notifications are sent that came before it.
    outcome: Option<Outcome>,
    began: Instant,
    clock: Option<Pin<Box<Sleep>>>,
}

/// What a call sends.
#[derive(Debug)]
pub(super) enum Event {
    /// A notification, before the response.
    Notification(Vec<u8>),
    /// The end.
    Outcome(Outcome),
}

/// Passes a message through the stages, up to the place where its handler waits for the first time.
pub(super) fn begin(core: &Arc<Core>, message: &Message, control: &Arc<CallControl>) -> Begun {
    let mut out = Vec::with_capacity(FRAME);
    match core.open(&message.bytes) {
        Opened::Request(request) => {
            let mirrors = Mirrors::read(&message.headers);
            match core.answer_routed(&request, Some(&mirrors), control, &mut out) {
                Answer::Written => Begun::Done(Outcome::Frame(out, control.verdict())),
                Answer::Pending(call) => Begun::Pending(call, request.id.keep()),
                Answer::Listening(listener) => Begun::Listening(listener, out),
            }
        }
        // No notification means anything to a server over HTTP, so each well-formed one is accepted.
        Opened::Notification(_) => Begun::Done(Outcome::Accepted),
        Opened::Invalid(invalid) => {
            core.refuse(&invalid, &mut out);
            Begun::Done(Outcome::Frame(out, Verdict::Malformed))
        }
    }
}

/// Runs a message to its end.
async fn run(
    endpoint: Arc<Endpoint>,
    message: Message,
    control: Arc<CallControl>,
    queue: Arc<Queue>,
    in_flight: InFlight,
) -> Outcome {
    let core = endpoint.core();
    let (begun, in_flight) = match endpoint.lanes().enter(&queue) {
        Some(lane) => {
            let begun = begin(core, &message, &control);
            drop(lane);
            (begun, Some(in_flight))
        }
        None => {
            queue.tell_slow();
            let (core, control) = (Arc::clone(core), Arc::clone(&control));
            // The count goes along: a function that blocks is running even when nobody waits for it any more.
            let blocking = move || (begin(&core, &message, &control), Some(in_flight));
            match spawn_blocking(blocking).await {
                Ok(begun) => begun,
                Err(error) => (Begun::Done(unfinished(&error)), None),
            }
        }
    };
    let outcome = match begun {
        Begun::Done(outcome) => outcome,
        // Its method is answered without a call, and the control of a call has no audience.
        Begun::Listening(..) => unreachable!("a call is no stream of changes"),
        Begun::Pending(mut call, id) => {
            let running = poll_fn(|context| call.poll(id.as_raw(), context));
            let frame = match control.timeout() {
                None => Ok(running.await),
                Some(limit) => timeout(limit, running).await,
            };
            match frame {
                Ok(frame) => Outcome::Frame(frame, control.verdict()),
                Err(_) => {
                    control.cancel();
                    let mut frame = Vec::new();
                    core.time_out(id.as_raw(), &mut frame);
                    Outcome::Frame(frame, Verdict::Served)
                }
            }
        }
    };
    drop(in_flight);
    outcome
}

/// The end of a task that has no answer: the runtime stops.
fn unfinished(error: &JoinError) -> Outcome {
    tracing::error!("a call ended without an answer: {error}");
    Outcome::Frame(Vec::new(), Verdict::Overloaded)
}

impl Call {
    /// Starts a message as a task, whose notifications are sent if the answer can become a stream.
    pub(super) fn start(
        endpoint: &Arc<Endpoint>,
        message: Message,
        in_flight: InFlight,
        streams: bool,
    ) -> Self {
        let queue = Arc::new(Queue::default());
        let mut control = CallControl::default()
            .with_clock(clock::now)
            .with_principal(message.principal.clone());
        if streams {
            control = control.with_outbox(Arc::clone(&queue) as _);
        }
        let control = Arc::new(control);
        let task = spawn(run(
            Arc::clone(endpoint),
            message.clone(),
            Arc::clone(&control),
            Arc::clone(&queue),
            in_flight,
        ));
        Self {
            core: Arc::clone(endpoint.core()),
            message,
            control,
            queue,
            task,
            outcome: None,
            began: Instant::now(),
            clock: None,
        }
    }

    /// What the call sends next; its outcome is the last, and then it is not to be polled again.
    pub(super) fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Event> {
        if let Poll::Ready(notification) = self.queue.poll_next(context) {
            return Poll::Ready(Event::Notification(notification));
        }
        let outcome = match self.outcome.take() {
            Some(outcome) => outcome,
            None => ready!(self.poll_outcome(context)),
        };
        // It may have sent more between the look above and its end.
        if let Poll::Ready(notification) = self.queue.poll_next(context) {
            self.outcome = Some(outcome);
            return Poll::Ready(Event::Notification(notification));
        }
        Poll::Ready(Event::Outcome(outcome))
    }

    /// The end of the call, by its answer or by its limit of time.
    fn poll_outcome(&mut self, context: &mut Context<'_>) -> Poll<Outcome> {
        if let Poll::Ready(joined) = Pin::new(&mut self.task).poll(context) {
            return Poll::Ready(match joined {
                Ok(outcome) => outcome,
                Err(error) => unfinished(&error),
            });
        }
        if !self.queue.is_slow() {
            return Poll::Pending;
        }
        ready!(self.poll_clock(context));
        self.control.cancel();
        self.task.abort();
        let mut frame = Vec::new();
        if let Opened::Request(request) = self.core.open(&self.message.bytes) {
            self.core.time_out(request.id, &mut frame);
        }
        Poll::Ready(Outcome::Frame(frame, Verdict::Served))
    }

    /// Ready when the call's time is up.
    fn poll_clock(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            let (began, control) = (self.began, &self.control);
            let clock = self.clock.get_or_insert_with(|| {
                Box::pin(sleep_until(began + control.timeout().unwrap_or(ASK_AGAIN)))
            });
            ready!(clock.as_mut().poll(context));
            let next = match control.timeout() {
                Some(limit) if began.elapsed() >= limit => return Poll::Ready(()),
                Some(limit) => began + limit,
                None => Instant::now() + ASK_AGAIN,
            };
            clock.as_mut().reset(next);
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.queue.close();
        if !self.task.is_finished() {
            self.control.cancel();
            self.task.abort();
        }
    }
}
