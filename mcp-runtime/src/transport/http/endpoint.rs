//! The way of one request: door, path, method, media types, body, call, answer.

use std::fmt;
use std::future::poll_fn;
use std::net::IpAddr;
use std::ops::ControlFlow;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_TYPE, EXPECT, HeaderName, HeaderValue, ORIGIN, RETRY_AFTER,
};
use http::request::Parts;
use http::{Request, Response, StatusCode, Version};
use http_body::Body;

use super::HttpOptions;
use super::call::{Call, Event, Message, Outcome, Started};
use super::connection::Requests;
use super::cors;
use super::counted_bytes::CountedBytes;
use super::events::Events;
use super::fields::Fields;
use super::media::Accepted;
use super::origin_check::{HostPolicy, RejectedRequest};
use super::rate_limit::RateLimiter;
use super::request_body::{self, Unfinished, Unread};
use super::response_body::HttpBody;
use super::sender::sender;
use super::subscription::Subscription;
use crate::bound::{Full, Permit, Sender};
use crate::dispatch::{
    self, Core, DispatchError, HttpParts, Invalid, SubscriberGroup, TOO_LONG, Verdict,
};
use crate::refusal_log::Refusal;
use crate::transport::TransportError;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
pub(super) const CLOSE: HeaderValue = HeaderValue::from_static("close");
const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Tells reverse proxies not to hold events back (basic/transports/streamable-http, "Receiving Messages").
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

const BODY_TIMEOUT: Refusal = Refusal {
    what: "a request is refused with 408: its body did not arrive in time",
    option: "`HttpOptions::body_timeout` sets the time",
};

/// Where the requests of all connections go.
#[derive(Debug)]
pub(super) struct Endpoint {
    core: Arc<Core>,
    pub(super) options: HttpOptions,
    door: HostPolicy,
    /// Whether it answers at the path of the options alone.
    pub(super) has_path: bool,
    pub(super) rate: Option<RateLimiter>,
    /// The streams that are open.
    subscriber_group: Arc<SubscriberGroup>,
}

/// What a call takes of the bounds, until its function has returned.
#[derive(Debug)]
pub(super) struct InFlight {
    /// `None` if it runs no function.
    _call: Option<Permit>,
    _memory: Permit,
}

impl Endpoint {
    /// Fails if the options set a rate that is none.
    pub(super) fn new(
        core: Arc<Core>,
        options: HttpOptions,
        door: HostPolicy,
    ) -> Result<Self, TransportError> {
        core.start_tasks();
        Ok(Self {
            core,
            rate: options.rate_limiter()?,
            options,
            door,
            has_path: false,
            subscriber_group: SubscriberGroup::apart(),
        })
    }

    pub(super) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    pub(super) fn options(&self) -> &HttpOptions {
        &self.options
    }

    /// Ends all streams of `subscriptions/listen` with their responses, and so each that is opened from now on.
    pub(super) fn end_streams(&self) {
        self.core.broadcaster.end(&self.subscriber_group);
    }

    /// Answers requests for the path of the options alone, instead of requests for any path.
    pub(super) fn with_path(mut self) -> Self {
        self.has_path = true;
        self
    }

    /// The streams of this endpoint, as the dispatcher knows them.
    pub(super) fn subscribers(&self) -> &Arc<SubscriberGroup> {
        &self.subscriber_group
    }

    /// Answers a request; the address of its peer may also stand in its extensions.
    ///
    /// The requests are those of its connection, where that is known.
    pub(super) async fn respond<B: Body>(
        self: &Arc<Self>,
        request: Request<B>,
        peer: Option<IpAddr>,
        requests: Option<&Requests>,
    ) -> Response<HttpBody> {
        let (head, body) = request.into_parts();
        let body = pin!(body);
        let sender = sender(&head.extensions, peer);
        let fields = Fields::read(&head.headers);
        let admitted = self.door.check(&head.uri, head.version, &fields);
        let origin = match admitted {
            Err(RejectedRequest::Origin) => None,
            Ok(()) | Err(RejectedRequest::NoHost | RejectedRequest::Host) => {
                head.headers.get(ORIGIN).cloned()
            }
        };
        let judged = match admitted {
            Err(reason) => ControlFlow::Break(self.refuse_at_door(reason, &head)),
            Ok(()) if origin.is_some() && cors::is_preflight(&head) => {
                ControlFlow::Break(cors::preflight(&head))
            }
            Ok(()) => self.judge(&head, &fields, sender),
        };
        let mut response = match judged {
            ControlFlow::Continue(accepted) => {
                self.serve(head, body, accepted, sender, requests).await
            }
            ControlFlow::Break(response) => pass_over(response, &head, body, requests).await,
        };
        if let Some(origin) = origin {
            cors::let_read(&mut response, origin);
        }
        response
    }

    /// Counts a refusal for the log.
    pub(super) fn log_refusal(&self, refusal: Refusal, detail: impl fmt::Display) {
        self.core.refusals.record(refusal, detail);
    }

    /// Answers a request whose head is in order.
    async fn serve<B: Body>(
        self: &Arc<Self>,
        mut head: Parts,
        mut body: Pin<&mut B>,
        accepted: Accepted,
        sender: Sender,
        requests: Option<&Requests>,
    ) -> Response<HttpBody> {
        let limit = self.core.options.limits.max_message_size;
        let memory = &self.core.bounds.call_memory;
        let time = self.options.body_timeout;
        let read = request_body::read(body.as_mut(), limit, time, memory, sender);
        let bytes = match read.await {
            Ok(bytes) => {
                has_arrived(requests);
                bytes
            }
            Err(unfinished) => {
                let response = self.refuse_unread(&unfinished, accepted, sender);
                return match unfinished.reason {
                    Unread::TooLong | Unread::NoRoom => {
                        pass_over(response, &head, body, requests).await
                    }
                    // Its end is not known, or was waited for.
                    Unread::TooSlow | Unread::Broken => close_after(response, &head),
                };
            }
        };
        // Some editors and shells put a byte order mark before a text; JSON has none, and readers may pass over it.
        let bytes = match bytes.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) => bytes.slice_ref(rest),
            None => bytes,
        };
        let message = Message {
            bytes,
            principal: head.extensions.remove(),
            parts: Arc::new(HttpParts {
                headers: head.headers,
                extensions: head.extensions,
            }),
            sender,
        };
        self.call(message, accepted).await
    }

    /// The answer of a request whose body was not read to its end.
    fn refuse_unread(
        &self,
        unfinished: &Unfinished,
        accepted: Accepted,
        sender: Sender,
    ) -> Response<HttpBody> {
        let id = unfinished.id.as_deref();
        let (status, reason) = match unfinished.reason {
            Unread::TooLong => (StatusCode::PAYLOAD_TOO_LARGE, TOO_LONG),
            Unread::TooSlow => {
                self.log_refusal(BODY_TIMEOUT, "");
                (
                    StatusCode::REQUEST_TIMEOUT,
                    "the message did not arrive in time",
                )
            }
            Unread::Broken => (StatusCode::BAD_REQUEST, "the message broke off"),
            Unread::NoRoom => {
                let invalid = self.core.unread(DispatchError::TooMuchMemory, id);
                let mut frame = Vec::new();
                self.core.refuse(&invalid, &mut frame);
                return self.finish(
                    Outcome::Response(frame.into(), Verdict::Overloaded),
                    accepted,
                    sender,
                );
            }
        };
        self.refuse_invalid(
            status,
            &self.core.unread(DispatchError::NotARequest(reason), id),
        )
    }

    /// Passes a message on as a call.
    async fn call(self: &Arc<Self>, message: Message, accepted: Accepted) -> Response<HttpBody> {
        let sender = message.sender;
        let mut call = match Call::start(self, message, accepted.events) {
            Started::Ended(outcome) => return self.finish(outcome, accepted, sender),
            Started::Call(call) => call,
            Started::NotAcceptable => {
                return self.refuse(
                    StatusCode::NOT_ACCEPTABLE,
                    "subscriptions/listen is answered by text/event-stream, which Accept must list",
                );
            }
            Started::Listening(listener, first) => {
                let subscription = Subscription::new(listener);
                return stream(Events::new(
                    subscription,
                    first.into(),
                    self.options.keep_alive,
                ));
            }
        };
        match poll_fn(|context| call.poll_event(context)).await {
            Event::Outcome(outcome) => self.finish(outcome, accepted, sender),
            Event::Notification(first) => stream(Events::new(call, first, self.options.keep_alive)),
        }
    }

    /// Takes what a request needs of the bounds; fails if one is reached.
    pub(super) fn admit(
        &self,
        request: &dispatch::Request<'_>,
        sender: Sender,
    ) -> Result<InFlight, DispatchError> {
        let sender = Some(sender);
        let mut call = None;
        if request.runs_handler() {
            // Its answer would be refused.
            if self
                .core
                .bounds
                .max_answer_memory
                .acquire(sender, 1)
                .is_err()
            {
                return Err(DispatchError::TooManyBytes);
            }
            let calls = &self.core.bounds.calls;
            let permit = calls.acquire(sender, 1);
            call = Some(permit.map_err(|Full| DispatchError::TooManyCalls(calls.limit()))?);
        }
        Ok(InFlight {
            _call: call,
            _memory: self.core.admit_memory(request, sender)?,
        })
    }

    /// The answer of a message that has come to its end without a stream.
    fn finish(&self, outcome: Outcome, accepted: Accepted, sender: Sender) -> Response<HttpBody> {
        match outcome {
            Outcome::Accepted => with_status(StatusCode::ACCEPTED, HttpBody::empty()),
            Outcome::List(parts) if accepted.json => json(StatusCode::OK, HttpBody::list(parts)),
            Outcome::List(parts) => {
                let list = parts.whole();
                match self.core.acquire_answer_memory(Some(sender), list.len()) {
                    Ok(memory) => {
                        let list = CountedBytes::new(list, Some(memory));
                        stream(Events::of_response(list, self.options.keep_alive))
                    }
                    Err(Full) => self
                        .refuse_for(StatusCode::SERVICE_UNAVAILABLE, DispatchError::TooManyBytes),
                }
            }
            Outcome::Response(frame, Verdict::Served) if !accepted.json => {
                stream(Events::of_response(frame, self.options.keep_alive))
            }
            Outcome::Response(frame, verdict) => {
                let status = match verdict {
                    Verdict::Served => StatusCode::OK,
                    Verdict::Malformed => StatusCode::BAD_REQUEST,
                    Verdict::UnknownMethod => StatusCode::NOT_FOUND,
                    Verdict::Overloaded => StatusCode::SERVICE_UNAVAILABLE,
                };
                let mut response = json(status, HttpBody::whole(frame));
                if verdict == Verdict::Overloaded {
                    response
                        .headers_mut()
                        .insert(RETRY_AFTER, HeaderValue::from_static("1"));
                }
                response
            }
        }
    }

    /// The answer to a sender of too many requests.
    pub(super) fn slow_down(&self, wait: Duration) -> Response<HttpBody> {
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        let invalid = Invalid::unread(DispatchError::TooManyRequests(seconds));
        let mut frame = Vec::new();
        self.core.refuse(&invalid, &mut frame);
        let mut response = json(StatusCode::TOO_MANY_REQUESTS, HttpBody::whole(frame));
        response
            .headers_mut()
            .insert(RETRY_AFTER, HeaderValue::from(seconds));
        response
    }

    /// The answer of a request that is refused before its message is read: an error without an id.
    pub(super) fn refuse(&self, status: StatusCode, reason: &'static str) -> Response<HttpBody> {
        self.refuse_for(status, DispatchError::NotARequest(reason))
    }

    pub(super) fn refuse_for(
        &self,
        status: StatusCode,
        error: DispatchError,
    ) -> Response<HttpBody> {
        self.refuse_invalid(status, &Invalid::unread(error))
    }

    fn refuse_invalid(&self, status: StatusCode, invalid: &Invalid<'_>) -> Response<HttpBody> {
        let mut frame = Vec::new();
        self.core.refuse(invalid, &mut frame);
        json(status, HttpBody::whole(frame))
    }
}

/// Tells the connection that the body of its request has been read.
fn has_arrived(requests: Option<&Requests>) {
    if let Some(requests) = requests {
        requests.has_arrived();
    }
}

/// Reads what is left of a refused request, so that its connection can carry the next one; else it ends after the answer.
async fn pass_over<B: Body>(
    response: Response<HttpBody>,
    head: &Parts,
    body: Pin<&mut B>,
    requests: Option<&Requests>,
) -> Response<HttpBody> {
    // Each stream of HTTP/2 ends for itself.
    if head.version > Version::HTTP_11 {
        return response;
    }
    // A client that waits until it is asked for its body may send it, or the next request (RFC 9110, section 10.1.1).
    let may_come = !head.headers.contains_key(EXPECT);
    if body.is_end_stream() || (may_come && request_body::discard(body).await) {
        has_arrived(requests);
        return response;
    }
    close_after(response, head)
}

/// Says that the connection ends after an answer, since the request is not read to its end (RFC 9112, section 9.6).
fn close_after(mut response: Response<HttpBody>, head: &Parts) -> Response<HttpBody> {
    if head.version <= Version::HTTP_11 {
        response.headers_mut().insert(CONNECTION, CLOSE);
    }
    response
}

fn with_status(status: StatusCode, body: HttpBody) -> Response<HttpBody> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

fn json(status: StatusCode, body: HttpBody) -> Response<HttpBody> {
    let mut response = with_status(status, body);
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

fn stream(events: Events) -> Response<HttpBody> {
    let mut response = Response::new(HttpBody::events(events));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, EVENTS);
    headers.insert(CACHE_CONTROL, NO_CACHE);
    headers.insert(UNBUFFERED, HeaderValue::from_static("no"));
    response
}
