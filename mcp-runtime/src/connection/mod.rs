//! One connection as a value without I/O: messages and times in, calls, bytes and the next deadline out.
//!
//! It alone knows the calls in flight, duplicate ids, cancellation, deadlines, notifications before their answer,
//! subscription streams, the backlog and the orderly end. It reads no clock, has no lock and owns no descriptor: a
//! transport passes it the time, runs the calls that it hands out, and writes the bytes that it gives.

#[cfg(feature = "legacy")]
mod batch;
mod in_flight;
mod lines;
#[cfg(feature = "legacy")]
mod questions;
#[cfg(feature = "legacy")]
mod session;
mod streams;
#[cfg(test)]
mod tests;
mod unsent_bytes;

#[cfg(feature = "legacy")]
use std::collections::HashMap;
use std::sync::Arc;
use std::task::Waker;
use std::time::{Duration, Instant};

#[cfg(feature = "legacy")]
use serde_json::value::RawValue;

#[cfg(feature = "legacy")]
use self::batch::Batches;
use self::in_flight::InFlight;
pub(crate) use self::in_flight::{Cancelled, Key};
pub(crate) use self::lines::{CHUNK, LineReader, Next};
#[cfg(feature = "legacy")]
use self::questions::Questions;
use self::streams::Streams;
pub(crate) use self::unsent_bytes::MAX_BACKLOG;
use self::unsent_bytes::UnsentBytes;
#[cfg(feature = "legacy")]
use crate::dispatch::ResponseSlot;
use crate::dispatch::{
    CallHandle, Core, DispatchError, Invalid, Listener, Opened, Request, SubscriberGroup, TOO_LONG,
};
use crate::jsonrpc::RawId;
use crate::protocol::Session;
#[cfg(feature = "legacy")]
use crate::protocol::notification::INITIALIZED;

/// A grace that is longer counts as this, which a clock can still add up: a year.
const MAX_GRACE: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// One connection.
#[derive(Debug)]
pub(crate) struct Connection {
    core: Arc<Core>,
    in_flight: InFlight,
    streams: Streams,
    unsent: UnsentBytes,
    /// The transport writes what it has taken out.
    is_writing: bool,
    phase: Phase,
    /// Counts the calls.
    number: u64,
    /// The session that the client has opened, if it has.
    #[cfg(feature = "legacy")]
    session: Option<Arc<Session>>,
    #[cfg(feature = "legacy")]
    questions: Questions,
    #[cfg(feature = "legacy")]
    batches: Batches,
    /// The streams of the connection, as the dispatcher knows them.
    #[cfg(feature = "legacy")]
    subscribers: Arc<SubscriberGroup>,
    /// The stream of changed lists of the session, and those of resources, by their URIs.
    #[cfg(feature = "legacy")]
    lists: Option<Key>,
    #[cfg(feature = "legacy")]
    subscriptions: HashMap<Box<str>, Key>,
}

/// How far the connection has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Messages come in.
    Open,
    /// No more messages come in; calls that run have until this time.
    Ending(Instant),
    /// Nothing is written any more.
    Closed,
}

/// What a message asks of the transport.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "it is looked at once, where it was returned"
)]
pub(crate) enum Received<'m> {
    /// Nothing.
    Nothing,
    /// To run a call.
    Call(Call<'m>),
    /// To cancel what was in flight under an id, once the connection's lock is released.
    Cancel {
        calls: Cancelled,
        id: RawId<'m>,
        reason: Option<String>,
    },
    /// To pass on the response to a question, once the connection's lock is released.
    #[cfg(feature = "legacy")]
    Answered {
        slot: Arc<ResponseSlot>,
        response: Result<Box<RawValue>, String>,
    },
    /// Nothing, though the client sent a response that no request asked for.
    Response,
}

/// A call that is to be run.
#[derive(Debug)]
pub(crate) struct Call<'m> {
    pub(crate) request: Request<'m>,
    /// The session that it belongs to.
    pub(crate) session: Option<Arc<Session>>,
    number: u64,
}

impl Call<'_> {
    fn key(&self) -> Key {
        Key::new(self.request.id, self.number)
    }
}

impl Connection {
    /// A connection to a server; the waker has the transport call [`handle_timeout`](Self::handle_timeout).
    pub(crate) fn new(
        core: Arc<Core>,
        subscribers: &Arc<SubscriberGroup>,
        transport: Waker,
    ) -> Self {
        #[cfg(not(feature = "legacy"))]
        let _ = subscribers;
        Self {
            core,
            in_flight: InFlight::default(),
            streams: Streams::new(transport),
            unsent: UnsentBytes::default(),
            is_writing: false,
            phase: Phase::Open,
            number: 0,
            #[cfg(feature = "legacy")]
            session: None,
            #[cfg(feature = "legacy")]
            questions: Questions::default(),
            #[cfg(feature = "legacy")]
            batches: Batches::default(),
            #[cfg(feature = "legacy")]
            subscribers: Arc::clone(subscribers),
            #[cfg(feature = "legacy")]
            lists: None,
            #[cfg(feature = "legacy")]
            subscriptions: HashMap::new(),
        }
    }

    /// Takes a message that has been read; answers it if nothing is to be run.
    pub(crate) fn receive<'m>(&mut self, message: Opened<'m>) -> Received<'m> {
        match message {
            Opened::Request(request) => {
                if let Some(invalid) = self.refusal(&request) {
                    self.refuse(invalid);
                    return Received::Nothing;
                }
                #[cfg(feature = "legacy")]
                let session = match self.destination(&request) {
                    session::Destination::Call(session) => session,
                    session::Destination::Answered => return Received::Nothing,
                };
                #[cfg(not(feature = "legacy"))]
                let session = None;
                self.number += 1;
                #[cfg(feature = "legacy")]
                self.batches.expect(self.number);
                Received::Call(Call {
                    request,
                    session,
                    number: self.number,
                })
            }
            Opened::Notification(notification) => match notification.cancelled() {
                Some(id) => {
                    self.streams.close(id);
                    Received::Cancel {
                        calls: self.in_flight.cancel(id),
                        id,
                        reason: notification.reason(),
                    }
                }
                None => {
                    #[cfg(feature = "legacy")]
                    if notification.method == INITIALIZED {
                        self.watch_lists();
                    }
                    Received::Nothing
                }
            },
            #[cfg(feature = "legacy")]
            Opened::Response(response) => self.questions.answer(&response),
            #[cfg(not(feature = "legacy"))]
            Opened::Response(_) => Received::Response,
            Opened::Invalid(invalid) => {
                self.refuse(invalid);
                Received::Nothing
            }
        }
    }

    /// Answers a message that cannot be taken.
    fn refuse(&mut self, mut invalid: Invalid<'_>) {
        // An id in use has a response of its own.
        invalid.id = invalid.id.filter(|id| !self.is_in_use(*id));
        let core = Arc::clone(&self.core);
        self.write(|out| core.refuse(&invalid, out));
    }

    /// Writes the response to the message that is being received.
    fn write(&mut self, response: impl FnOnce(&mut Vec<u8>)) {
        #[cfg(feature = "legacy")]
        if self.batches.is_receiving() {
            self.batches.write(response);
            return;
        }
        self.unsent.write(response);
    }

    /// Answers a message that is too long, of which no more than the id was found.
    pub(crate) fn refuse_too_long(&mut self, id: Option<&str>) {
        let error = DispatchError::NotARequest(TOO_LONG);
        let core = Arc::clone(&self.core);
        self.refuse(core.unread(error, id));
    }

    /// Adds the answer to a call that was run where it was read.
    pub(crate) fn answer(&mut self, control: &CallHandle, answer: &mut Vec<u8>) {
        self.answer_call(self.number, control, answer);
    }

    /// Adds the answer to the call of a number.
    fn answer_call(&mut self, number: u64, control: &CallHandle, answer: &mut Vec<u8>) {
        #[cfg(feature = "legacy")]
        {
            let (is_batched, complete) = self.batches.finish(number, answer);
            self.write_batch(complete);
            if is_batched {
                return;
            }
        }
        #[cfg(not(feature = "legacy"))]
        let _ = number;
        self.unsent.push(answer);
        self.unsent.hold(control.take_answer_memory());
    }

    /// Notes that a call goes on elsewhere; gives what ends it, and its deadline.
    pub(crate) fn start(
        &mut self,
        call: &Call<'_>,
        control: &Arc<CallHandle>,
        is_blocking: bool,
        now: Instant,
    ) -> (Key, Option<Instant>) {
        let key = call.key();
        let control = Arc::clone(control);
        let deadline =
            self.in_flight
                .start(key.clone(), call.request.id, control, is_blocking, now);
        (key, deadline)
    }

    /// Ends a call with its answer, which is dropped if the call was cancelled or timed out.
    pub(crate) fn finish(&mut self, key: &Key, was_blocking: bool, answer: &mut Vec<u8>) {
        let control = self.in_flight.finish(key, was_blocking);
        match control.filter(|_| self.phase != Phase::Closed) {
            Some(control) => self.answer_call(key.number(), &control, answer),
            None => {
                // A batch does not wait for the answer any more.
                #[cfg(feature = "legacy")]
                {
                    let (_, complete) = self.batches.finish(key.number(), &[]);
                    self.write_batch(complete.filter(|_| self.phase != Phase::Closed));
                }
            }
        }
    }

    /// Notes that a plain function runs for a call that was started without one, up to its [`release`](Self::release).
    pub(crate) fn note_blocking(&mut self, key: &Key) {
        self.in_flight.note_blocking(key);
    }

    /// Notes that no plain function runs for such a call any more.
    pub(crate) fn release(&mut self, key: &Key) {
        self.in_flight.release(key);
    }

    /// Keeps a stream open whose request was run where it was read, and whose acknowledgement is this message.
    pub(crate) fn listen(
        &mut self,
        call: &Call<'_>,
        listener: Listener,
        acknowledgement: &mut Vec<u8>,
    ) {
        self.unsent.push(acknowledgement);
        self.streams.insert(call.key(), listener);
    }

    /// Adds a notification of a call; `false` if it is not sent, since the call has ended or the client does not read.
    pub(crate) fn notify(&mut self, call: &CallHandle, mut notification: Vec<u8>) -> bool {
        if !call.is_heard() || self.phase == Phase::Closed || self.unsent.len() > MAX_BACKLOG {
            return false;
        }
        self.unsent.push(&mut notification);
        true
    }

    /// Does what is due; the calls that timed out are to be cancelled once the lock is released.
    pub(crate) fn handle_timeout(&mut self, now: Instant) -> Cancelled {
        let (core, unsent) = (&self.core, &mut self.unsent);
        let late = self
            .in_flight
            .time_out(now, |id| unsent.write(|out| core.time_out(id, out)));
        let ends = self.phase != Phase::Open;
        self.streams
            .handle_timeout(now, ends, &mut self.unsent, self.is_writing);
        late
    }

    /// When [`handle_timeout`](Self::handle_timeout) has something to do next.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        let end = match self.phase {
            Phase::Ending(at) => Some(at),
            Phase::Open | Phase::Closed => None,
        };
        // Whoever writes looks again when that is done.
        let streams = self.streams.next_deadline();
        let streams = streams.filter(|_| self.is_drained());
        let calls = self.in_flight.next_deadline();
        [end, streams, calls].into_iter().flatten().min()
    }

    /// The bytes to be written, if there are any; they come back by [`has_written`](Self::has_written).
    pub(crate) fn transmit(&mut self) -> Option<Vec<u8>> {
        if self.is_writing || self.unsent.is_empty() || self.phase == Phase::Closed {
            return None;
        }
        self.is_writing = true;
        Some(self.unsent.take())
    }

    /// Notes how many of the bytes of [`transmit`](Self::transmit) have been written.
    pub(crate) fn has_written(&mut self, bytes: Vec<u8>, written: usize) {
        self.is_writing = false;
        self.unsent.put_back(bytes, written);
    }

    /// How many bytes wait to be written.
    pub(crate) fn unsent(&self) -> usize {
        self.unsent.len()
    }

    /// Whether everything has been written.
    pub(crate) fn is_drained(&self) -> bool {
        self.unsent.is_empty() && !self.is_writing
    }

    /// Notes that no more messages come in; calls that run get the time of grace.
    ///
    /// The transport ends the streams in the dispatcher beforehand, without the lock.
    pub(crate) fn end(&mut self, now: Instant) {
        if self.phase == Phase::Open {
            let grace = self.core.options.limits.shutdown_timeout.min(MAX_GRACE);
            self.phase = Phase::Ending(now + grace);
        }
    }

    /// Whether messages are still taken.
    pub(crate) fn is_open(&self) -> bool {
        self.phase == Phase::Open
    }

    /// Whether nothing is written any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.phase == Phase::Closed
    }

    /// Whether the end has come: everything is answered and written, or the time of grace is over.
    pub(crate) fn has_ended(&self, now: Instant) -> bool {
        match self.phase {
            Phase::Open => false,
            Phase::Closed => true,
            Phase::Ending(at) => {
                now >= at
                    || self.in_flight.is_empty() && self.streams.is_empty() && self.is_drained()
            }
        }
    }

    /// Whether a plain function runs, which cannot be stopped.
    pub(crate) fn has_blocking(&self) -> bool {
        self.in_flight.has_blocking()
    }

    /// Gives up everything that is left; the calls are to be cancelled once the lock is released.
    pub(crate) fn close(&mut self) -> Cancelled {
        self.phase = Phase::Closed;
        #[cfg(feature = "legacy")]
        self.questions.clear();
        self.streams.close_all();
        self.unsent.clear();
        self.in_flight.cancel_all()
    }

    /// Why a request is not run although it can be read.
    fn refusal<'m>(&self, request: &Request<'m>) -> Option<Invalid<'m>> {
        if self.is_in_use(request.id) {
            let error = DispatchError::IdInUse(request.id.text().to_owned());
            return Some(Invalid::unread(error));
        }
        let limit = self.core.options.limits.max_calls_in_flight;
        let is_full = self.in_flight.len() >= limit && request.runs_handler();
        is_full.then_some(Invalid {
            id: Some(request.id),
            error: DispatchError::TooManyCalls(limit),
        })
    }

    /// Whether a request of this id is still to be answered.
    fn is_in_use(&self, id: RawId<'_>) -> bool {
        self.in_flight.contains(id) || self.streams.contains(id)
    }
}
