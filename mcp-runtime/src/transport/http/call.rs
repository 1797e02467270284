//! One request that runs, and the wait for it.
//!
//! Inline and async functions are polled in place, by the task of the connection; plain functions run on a thread that may
//! block.

use std::future::{Future, poll_fn};
use std::panic::{self, AssertUnwindSafe};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::HeaderMap;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tokio::time::{Sleep, sleep_until};

use super::call_channel::CallChannel;
use super::counted_bytes::CountedBytes;
use super::deadline::after;
use super::endpoint::{Endpoint, InFlight};
use super::fields::Mirrors;
use crate::bound::Sender;
use crate::clock;
use crate::dispatch::{
    Answer, CallHandle, Core, Extensions, HttpParts, Invalid, Listener, Opened, PendingCall,
    Permitted, Principal, Request, Routed, Verdict,
};
use crate::jsonrpc::OwnedRawId;

/// Room for a short response, so that it need not grow bit by bit.
const SHORT_RESPONSE: usize = 512;

/// A message that came by POST.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) bytes: Bytes,
    /// What else of the request the function may read.
    pub(super) parts: Arc<HttpParts>,
    /// On whose behalf it came, if a middleware has said so.
    pub(super) principal: Option<Principal>,
    pub(super) sender: Sender,
}

/// What a message comes to.
#[derive(Debug)]
pub(super) enum Outcome {
    /// A response, or an error without an id.
    Response(CountedBytes, Verdict),
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
    /// The outcome of a call that ends with its runtime.
    fn lost() -> Self {
        Self::Response(CountedBytes::default(), Verdict::Overloaded)
    }

    /// The outcome of a call, with the memory that its answer holds.
    fn of_call(control: &CallHandle, response: Vec<u8>) -> Self {
        let response = CountedBytes::new(response, control.take_answer_memory());
        Self::Response(response, control.verdict())
    }
}

/// How far a message came at first.
enum Begun {
    /// To its end.
    Done(Outcome),
    /// To a handler that waits for something.
    Pending(PendingCall, OwnedRawId),
    /// To a stream that stays open, and its first message.
    Listening(Listener, Vec<u8>),
    /// To a plain function, which is not run here.
    Blocking,
}

/// How far a message came where it was read.
pub(super) enum Started {
    /// To its end: it was no request that could be run.
    Ended(Outcome),
    /// It runs, or has ended.
    Call(Call),
    /// It opened a stream, whose first message this is.
    Listening(Listener, Vec<u8>),
    /// It asks for a stream, which its client does not accept.
    NotAcceptable,
}

/// A running call; dropping it cancels the call.
#[derive(Debug)]
pub(super) struct Call {
    endpoint: Arc<Endpoint>,
    control: Arc<CallHandle>,
    channel: Arc<CallChannel>,
    /// A handler that waits, and what the call counts for while it does.
    pending: Option<(PendingCall, OwnedRawId, Option<InFlight>)>,
    /// Answers the call if its time is over.
    id: Option<OwnedRawId>,
    /// Made when the call waits for the first time.
    deadline: Option<Pin<Box<Sleep>>>,
}

/// What a call sends.
#[derive(Debug)]
pub(super) enum Event {
    /// A notification, before the response.
    Notification(CountedBytes),
    /// The end.
    Outcome(Outcome),
}

/// Passes a request through the stages, up to the place where its handler waits for the first time.
fn begin(
    core: &Arc<Core>,
    request: &Request<'_>,
    headers: &HeaderMap,
    control: &Arc<CallHandle>,
) -> Begun {
    let mut out = Vec::with_capacity(SHORT_RESPONSE);
    let mirrors = Mirrors::read(headers);
    match core.answer_routed(request, Some(&mirrors), control, &mut out) {
        Routed::Answer(Answer::Written) => Begun::Done(Outcome::of_call(control, out)),
        Routed::Answer(Answer::Pending(call)) => Begun::Pending(call, request.id.keep()),
        Routed::Answer(Answer::Listening(listener)) => Begun::Listening(listener, out),
        // Nothing but plain functions is kept from the workers.
        Routed::NotPermitted(_) => Begun::Blocking,
        Routed::List(page) => Begun::Done(Outcome::List(Parts {
            start: out,
            page,
            end: core.closing(core.revision(control)).to_vec(),
        })),
    }
}

/// The outcome of a message that is no request.
fn refuse(core: &Core, invalid: &Invalid<'_>) -> Outcome {
    let mut out = Vec::new();
    core.refuse(invalid, &mut out);
    Outcome::Response(out.into(), Verdict::Malformed)
}

/// Gives the outcome of a plain function to the call that waits for it, whatever becomes of the function.
struct Promise {
    channel: Arc<CallChannel>,
    outcome: Outcome,
}

impl Promise {
    fn set(&mut self, outcome: Outcome) {
        self.outcome = outcome;
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        let outcome = std::mem::replace(&mut self.outcome, Outcome::lost());
        self.channel.finish(outcome);
    }
}

impl Call {
    /// Starts a message, whose notifications are sent if the answer can become a stream.
    pub(super) fn start(endpoint: &Arc<Endpoint>, message: Message, streams: bool) -> Started {
        let core = endpoint.core();
        let mut readable = Vec::new();
        let mut request = match core.open(&message.bytes, &mut readable) {
            Opened::Request(request) => request,
            // No notification means anything to a server over HTTP, so each well-formed one is accepted.
            Opened::Notification(_) => return Started::Ended(Outcome::Accepted),
            Opened::Response(_) => return Started::Ended(refuse(core, &Invalid::response())),
            Opened::Invalid(invalid) => return Started::Ended(refuse(core, &invalid)),
        };
        if request.opens_stream() && !streams {
            return Started::NotAcceptable;
        }
        let in_flight = match endpoint.admit(&request, message.sender) {
            Ok(in_flight) => in_flight,
            Err(error) => {
                let mut out = Vec::new();
                core.turn_away(request.id, &error, &mut out);
                return Started::Ended(Outcome::Response(out.into(), error.verdict()));
            }
        };
        request.extensions = Extensions::of_http(&message.parts);
        let channel = Arc::new(CallChannel::new(
            &core.bounds.max_answer_memory,
            message.sender,
        ));
        let mut control = CallHandle::default()
            .with_clock(clock::now)
            .with_subscriber_group(Arc::clone(endpoint.subscribers()))
            .with_principal(message.principal.clone())
            .with_sender(message.sender);
        if streams {
            control = control.with_outbox(Arc::clone(&channel) as _);
        }
        control.permit(Permitted::NonBlocking);
        let mut call = Self {
            endpoint: Arc::clone(endpoint),
            control: Arc::new(control),
            channel,
            pending: None,
            id: None,
            deadline: None,
        };
        match begin(core, &request, &message.parts.headers, &call.control) {
            Begun::Done(outcome) => call.channel.finish(outcome),
            Begun::Pending(pending, id) => {
                call.id = Some(id.clone());
                let in_flight = if pending.may_be_outlived() {
                    pending.hold(Arc::new(in_flight));
                    None
                } else {
                    Some(in_flight)
                };
                call.pending = Some((pending, id, in_flight));
            }
            Begun::Listening(listener, first) => return Started::Listening(listener, first),
            Begun::Blocking => {
                call.id = Some(request.id.keep());
                drop(request);
                call.run_blocking(message, in_flight);
            }
        }
        Started::Call(call)
    }

    /// Runs a plain function on a thread that may block.
    fn run_blocking(&self, message: Message, in_flight: InFlight) {
        self.control.permit(Permitted::All);
        let core = Arc::clone(self.endpoint.core());
        let control = Arc::clone(&self.control);
        let mut promise = Promise {
            channel: Arc::clone(&self.channel),
            outcome: Outcome::lost(),
        };
        let run = move || {
            // A function that blocks counts as long as it runs, whether its client still waits or not.
            let _in_flight = in_flight;
            // It may have waited for a thread for longer than its client has.
            if control.is_cancelled() {
                return;
            }
            let mut readable = Vec::new();
            let Opened::Request(mut request) = core.open(&message.bytes, &mut readable) else {
                unreachable!("the message was opened as a request before");
            };
            request.extensions = Extensions::of_http(&message.parts);
            match begin(&core, &request, &message.parts.headers, &control) {
                Begun::Done(outcome) => promise.set(outcome),
                // The function may have been replaced by an async one since its request was read.
                Begun::Pending(mut call, id) => {
                    let response = poll_fn(|context| call.poll(id.as_raw(), context));
                    let response = Handle::current().block_on(response);
                    promise.set(Outcome::of_call(&control, response));
                }
                Begun::Listening(..) | Begun::Blocking => {
                    unreachable!(
                        "streams are opened in place, and all functions are permitted here"
                    )
                }
            }
        };
        // Tokio panics where the system has no thread; the call is then lost, and answered as such.
        if panic::catch_unwind(AssertUnwindSafe(|| drop(spawn_blocking(run)))).is_err() {
            tracing::error!("a call could not be started: there are no threads for it");
        }
    }

    /// The next event among those that the call has sent already.
    pub(super) fn poll_sent(&self, context: &mut Context<'_>) -> Poll<Event> {
        self.channel.poll_event(context)
    }

    /// The next event of the call; its outcome is the last, and then it is not to be polled again.
    pub(super) fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Event> {
        if let Poll::Ready(event) = self.channel.poll_event(context) {
            return Poll::Ready(event);
        }
        if let Some((pending, id, _)) = &mut self.pending
            && let Poll::Ready(response) = pending.poll(id.as_raw(), context)
        {
            self.control.end();
            self.pending = None;
            let outcome = Outcome::of_call(&self.control, response);
            self.channel.finish(outcome);
        }
        // What was sent while the function was polled comes first.
        if let Poll::Ready(event) = self.channel.poll_event(context) {
            return Poll::Ready(event);
        }
        self.poll_deadline(context)
    }

    /// Answers the call if its time is over.
    fn poll_deadline(&mut self, context: &mut Context<'_>) -> Poll<Event> {
        let Some(timeout) = self.control.timeout() else {
            return Poll::Pending;
        };
        let deadline = self
            .deadline
            .get_or_insert_with(|| Box::pin(sleep_until(after(timeout))));
        if deadline.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        self.control.cancel();
        self.channel.close();
        self.pending = None;
        let mut response = Vec::new();
        if let Some(id) = &self.id {
            self.endpoint.core().time_out(id.as_raw(), &mut response);
        }
        Poll::Ready(Event::Outcome(Outcome::Response(
            response.into(),
            Verdict::Served,
        )))
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.channel.close();
        self.control.cancel();
    }
}
