//! An answer that is a stream of server-sent events: notifications of a call or a subscription, then the response.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Sleep, sleep};

use super::call::{Call, Event, Outcome};
use super::counted_bytes::CountedBytes;
use super::deadline::after;
use super::subscription::Subscription;
use crate::bound::Full;
use crate::dispatch::StreamState;

/// A comment, which keeps the connection from being closed for silence.
const COMMENT: &[u8] = b":\n\n";

/// The stream of one request; dropping it stops what it is about.
#[derive(Debug)]
pub(super) struct Events {
    stage: Stage,
    /// What is to be sent next, already framed.
    ready: CountedBytes,
    interval: Duration,
    silence: Pin<Box<Sleep>>,
}

/// Where the messages of a stream come from.
#[derive(Debug)]
pub(super) struct Source(Stage);

impl From<Call> for Source {
    fn from(call: Call) -> Self {
        Self(Stage::Running(call))
    }
}

impl From<Subscription> for Source {
    fn from(subscription: Subscription) -> Self {
        Self(Stage::Listening(subscription))
    }
}

#[derive(Debug)]
enum Stage {
    Running(Call),
    Listening(Subscription),
    Ended,
}

impl Events {
    /// A stream that begins with a notification.
    pub(super) fn new(source: impl Into<Source>, first: CountedBytes, interval: Duration) -> Self {
        let mut ready = CountedBytes::default();
        ready.push_event(first);
        Self {
            stage: source.into().0,
            ready,
            interval,
            silence: Box::pin(sleep(interval)),
        }
    }

    /// A stream of the response alone, for clients that take nothing but streams.
    pub(super) fn of_response(response: CountedBytes, interval: Duration) -> Self {
        let mut ready = CountedBytes::default();
        ready.push_event(response);
        Self {
            stage: Stage::Ended,
            ready,
            interval,
            silence: Box::pin(sleep(interval)),
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        matches!(self.stage, Stage::Ended) && self.ready.is_empty()
    }

    /// The next piece of the stream: all events that are there by now, or a comment.
    pub(super) fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        self.collect(context);
        if !self.ready.is_empty() {
            self.silence.as_mut().reset(after(self.interval));
            return Poll::Ready(Some(std::mem::take(&mut self.ready).into()));
        }
        if let Stage::Ended = self.stage {
            return Poll::Ready(None);
        }
        if self.silence.as_mut().poll(context).is_ready() {
            self.silence.as_mut().reset(after(self.interval));
            // Polled once more, so that the clock wakes this task again.
            let _ = self.silence.as_mut().poll(context);
            return Poll::Ready(Some(Bytes::from_static(COMMENT)));
        }
        Poll::Pending
    }

    /// Frames everything that there is to send, and the response if it has ended.
    fn collect(&mut self, context: &mut Context<'_>) {
        let call = match &mut self.stage {
            Stage::Ended => return,
            Stage::Listening(subscription) => {
                // The client takes nothing more at present, so what there is to tell is better kept where it becomes less.
                if !self.ready.is_empty() {
                    return;
                }
                let ready = &mut self.ready;
                let told = subscription.poll_told(context, |message| ready.write_event(message));
                let Poll::Ready(told) = told else {
                    return;
                };
                let is_over = match subscription.acquire_memory(ready.len()) {
                    Ok(memory) => {
                        ready.hold(memory);
                        matches!(told, StreamState::Ended)
                    }
                    Err(Full) => {
                        *ready = CountedBytes::default();
                        true
                    }
                };
                if is_over {
                    self.stage = Stage::Ended;
                }
                return;
            }
            Stage::Running(call) => call,
        };
        loop {
            // The function goes on once the client has taken what it sent before.
            let event = if self.ready.is_empty() {
                call.poll_event(context)
            } else {
                call.poll_sent(context)
            };
            match event {
                Poll::Pending => return,
                Poll::Ready(Event::Notification(notification)) => {
                    self.ready.push_event(notification);
                }
                Poll::Ready(Event::Outcome(outcome)) => {
                    let response = match outcome {
                        Outcome::Response(response, _) => response,
                        Outcome::List(parts) => parts.whole().into(),
                        Outcome::Accepted => CountedBytes::default(),
                    };
                    // An empty frame is the end of a call whose runtime stops.
                    if !response.is_empty() {
                        self.ready.push_event(response);
                    }
                    self.stage = Stage::Ended;
                    return;
                }
            }
        }
    }
}
