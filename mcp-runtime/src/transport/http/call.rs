//! One request that runs, and the wait for it.
//!
//! A plain function may block the thread that runs it. It runs beside its connection, so that the connection can still
//! see its client go, and its time run out.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::header::HeaderMap;
use tokio::task::{JoinError, spawn_blocking};
use tokio::time::{Instant, Sleep, sleep_until, timeout};

use super::drive::{Job, Line};
use super::endpoint::{Endpoint, InFlight};
use super::fields::Mirrors;
use super::later::after;
use super::outbox::{Found, Queue};
use crate::clock;
use crate::dispatch::{
    Answer, CallControl, Core, Invalid, Listener, Opened, PendingCall, Permitted, Principal,
    Routed, Verdict,
};
use crate::exec::Execution;
use crate::jsonrpc::KeptId;

/// How often a plain function that runs long is asked for its limit of time, while its tool has not been found.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// Room for a short response, so that it need not grow bit by bit.
const FRAME: usize = 512;

/// A message that came by POST.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) bytes: Bytes,
    pub(super) headers: HeaderMap,
    /// On whose behalf it came, if a middleware has said so.
    pub(super) principal: Option<Principal>,
}

/// Where a call begins, and to whose endpoint.
///
/// Connections share their endpoint, and counting who holds it would have all processors wait for each other; so what
/// belongs to a connection holds the connection's own part.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// In a task of its own.
    Task(Arc<Endpoint>),
    /// On the task of its connection, when this has been polled.
    Line(Arc<Line>),
}

impl Place {
    pub(super) fn endpoint(&self) -> &Endpoint {
        match self {
            Self::Task(endpoint) => endpoint,
            Self::Line(line) => line.endpoint(),
        }
    }

    /// Tells the connection that the body of the request has been read.
    pub(super) fn body_is_read(&self) {
        if let Self::Line(line) = self {
            line.requests().has_arrived();
        }
    }
}

/// What a message comes to.
#[derive(Debug)]
pub(super) enum Outcome {
    /// A response, or an error without an id.
    Frame(Vec<u8>, Verdict),
    /// A response that shares its middle with others.
    List(Parts),
    /// It was a notification.
    Accepted,
}

/// The parts of a response.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) start: Vec<u8>,
    pub(super) page: Arc<[u8]>,
    pub(super) end: Vec<u8>,
}

impl Parts {
    /// All of it in one.
    pub(super) fn whole(self) -> Vec<u8> {
        [&self.start, &*self.page, &self.end].concat()
    }
}

impl Outcome {
    /// What a call comes to that ends with its runtime.
    const LOST: Self = Self::Frame(Vec::new(), Verdict::Overloaded);
}

/// How far a message came at first.
pub(super) enum Begun {
    /// To its end.
    Done(Outcome),
    /// To a handler that waits for something.
    Pending(PendingCall, KeptId),
    /// To a stream that stays open, and its first message.
    Listening(Listener, Vec<u8>),
    /// To a function that does not run on a worker.
    NotPermitted(Execution),
}

/// A running call; dropping it stops the call.
#[derive(Debug)]
pub(super) struct Call {
    control: Arc<CallControl>,
    queue: Arc<Queue>,
    clock: Option<Clock>,
}

/// The time of a call that is taking long.
#[derive(Debug)]
struct Clock {
    /// When the call was found to be slow, a millisecond or two after its beginning; a quick call looks at no clock.
    began: Instant,
    sleep: Pin<Box<Sleep>>,
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
                Routed::Answer(Answer::Written) => {
                    Begun::Done(Outcome::Frame(out, control.verdict()))
                }
                Routed::Answer(Answer::Pending(call)) => Begun::Pending(call, request.id.keep()),
                Routed::Answer(Answer::Listening(listener)) => Begun::Listening(listener, out),
                Routed::NotPermitted(execution) => Begun::NotPermitted(execution),
                Routed::List(page) => Begun::Done(Outcome::List(Parts {
                    start: out,
                    page,
                    end: core.closing().to_vec(),
                })),
            }
        }
        // No notification means anything to a server over HTTP, so each well-formed one is accepted.
        Opened::Notification(_) => Begun::Done(Outcome::Accepted),
        Opened::Response => {
            core.refuse(&Invalid::response(), &mut out);
            Begun::Done(Outcome::Frame(out, Verdict::Malformed))
        }
        Opened::Invalid(invalid) => {
            core.refuse(&invalid, &mut out);
            Begun::Done(Outcome::Frame(out, Verdict::Malformed))
        }
    }
}

/// Gives the outcome of a call to whom waits for it, whatever becomes of the call.
struct Promise(Arc<Queue>, Outcome);

impl Drop for Promise {
    fn drop(&mut self) {
        self.0.finish(std::mem::replace(&mut self.1, Outcome::LOST));
    }
}

/// Runs a message to its end.
async fn run(control: Arc<CallControl>, queue: Arc<Queue>, in_flight: InFlight) {
    let mut promise = Promise(queue, Outcome::LOST);
    let queue = &promise.0;
    let (endpoint, message) = (queue.place().endpoint(), queue.message());
    let core = endpoint.core();
    control.permit(Permitted::NonBlocking);
    let begun = begin(core, message, &control);
    let (begun, in_flight) = match begun {
        Begun::NotPermitted(Execution::Blocking) => {
            queue.tell_slow();
            control.permit(Permitted::All);
            let (core, queue, control) =
                (Arc::clone(core), Arc::clone(queue), Arc::clone(&control));
            // The count goes along: a function that blocks is running even when nobody waits for it any more.
            let blocking = move || {
                // It may have waited for a thread for longer than its client has.
                let is_heard = !queue.is_closed();
                is_heard.then(|| (begin(&core, queue.message(), &control), in_flight))
            };
            match spawn_blocking(blocking).await {
                Ok(Some((begun, in_flight))) => (begun, Some(in_flight)),
                Ok(None) => (Begun::Done(Outcome::LOST), None),
                Err(error) => (Begun::Done(unfinished(&error)), None),
            }
        }
        begun => (begun, Some(in_flight)),
    };
    let outcome = match begun {
        Begun::Done(outcome) => outcome,
        // Its method is answered without a call, and the control of a call has no audience.
        Begun::Listening(..) => unreachable!("a call is no stream of changes"),
        Begun::NotPermitted(_) => unreachable!("only what blocks is kept from a worker"),
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
    promise.1 = outcome;
}

/// The end of a task that has no answer: the runtime stops.
fn unfinished(error: &JoinError) -> Outcome {
    tracing::error!("a call ended without an answer: {error}");
    Outcome::LOST
}

impl Call {
    /// Starts a message, whose notifications are sent if the answer can become a stream.
    pub(super) fn start(
        place: Place,
        message: Message,
        in_flight: InFlight,
        streams: bool,
    ) -> Self {
        let queue = Arc::new(Queue::new(place, message));
        let mut control = CallControl::default()
            .with_clock(clock::now)
            .with_principal(queue.message().principal.clone());
        if streams {
            control = control.with_outbox(Arc::clone(&queue) as _);
        }
        let control = Arc::new(control);
        let running = run(Arc::clone(&control), Arc::clone(&queue), in_flight);
        let job = Job::new(running, Arc::clone(&queue));
        match queue.place() {
            Place::Task(_) => job.spawn(),
            Place::Line(line) => line.lay_aside(job),
        }
        Self {
            control,
            queue,
            clock: None,
        }
    }

    /// What the call sends next; its outcome is the last, and then it is not to be polled again.
    pub(super) fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Event> {
        match self.queue.read(context) {
            Found::Event(event) => return Poll::Ready(event),
            Found::Nothing { slow: false } => return Poll::Pending,
            Found::Nothing { slow: true } => {}
        }
        ready!(self.poll_clock(context));
        self.control.cancel();
        self.queue.close();
        let mut frame = Vec::new();
        let core = self.queue.place().endpoint().core();
        if let Opened::Request(request) = core.open(&self.queue.message().bytes) {
            core.time_out(request.id, &mut frame);
        }
        Poll::Ready(Event::Outcome(Outcome::Frame(frame, Verdict::Served)))
    }

    /// Ready when the call's time is up.
    fn poll_clock(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let control = &self.control;
        let Clock { began, sleep } = self.clock.get_or_insert_with(|| {
            let began = Instant::now();
            let first = after(control.timeout().unwrap_or(ASK_AGAIN));
            Clock {
                began,
                sleep: Box::pin(sleep_until(first)),
            }
        });
        loop {
            ready!(sleep.as_mut().poll(context));
            let next = match control.timeout() {
                Some(limit) if began.elapsed() >= limit => return Poll::Ready(()),
                Some(limit) => after(limit.saturating_sub(began.elapsed())),
                None => after(ASK_AGAIN),
            };
            sleep.as_mut().reset(next);
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.queue.close();
        self.control.cancel();
    }
}
