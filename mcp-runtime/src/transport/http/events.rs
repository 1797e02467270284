//! An answer that is a stream of server-sent events: notifications while the call runs, then its response.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, Sleep, sleep};

use super::call::{Call, Event, Outcome};

/// A comment, which keeps the connection from being closed for silence.
const COMMENT: &[u8] = b":\n\n";

/// The stream of one call; dropping it stops the call.
#[derive(Debug)]
pub(super) struct Events {
    stage: Stage,
    /// What is to be sent next, already framed.
    ready: Vec<u8>,
    interval: Duration,
    silence: Pin<Box<Sleep>>,
}

#[derive(Debug)]
enum Stage {
    Running(Call),
    Ended,
}

impl Events {
    /// A stream that begins with a notification.
    pub(super) fn new(call: Call, first: &[u8], interval: Duration) -> Self {
        let mut ready = Vec::new();
        frame(first, &mut ready);
        Self {
            stage: Stage::Running(call),
            ready,
            interval,
            silence: Box::pin(sleep(interval)),
        }
    }

    /// A stream of the response alone, for clients that take nothing but streams.
    pub(super) fn of_response(response: &[u8], interval: Duration) -> Self {
        let mut ready = Vec::new();
        frame(response, &mut ready);
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
            self.silence.as_mut().reset(Instant::now() + self.interval);
            return Poll::Ready(Some(std::mem::take(&mut self.ready).into()));
        }
        if let Stage::Ended = self.stage {
            return Poll::Ready(None);
        }
        if self.silence.as_mut().poll(context).is_ready() {
            self.silence.as_mut().reset(Instant::now() + self.interval);
            // Polled once more, so that the clock wakes this task again.
            let _ = self.silence.as_mut().poll(context);
            return Poll::Ready(Some(Bytes::from_static(COMMENT)));
        }
        Poll::Pending
    }

    /// Frames everything that the call has sent, and its response if it has ended.
    fn collect(&mut self, context: &mut Context<'_>) {
        let Stage::Running(call) = &mut self.stage else {
            return;
        };
        loop {
            match call.poll_event(context) {
                Poll::Pending => return,
                Poll::Ready(Event::Notification(notification)) => {
                    frame(&notification, &mut self.ready);
                }
                Poll::Ready(Event::Outcome(outcome)) => {
                    // An empty frame is the end of a call whose runtime stops.
                    if let Outcome::Frame(response, _) = outcome
                        && !response.is_empty()
                    {
                        frame(&response, &mut self.ready);
                    }
                    self.stage = Stage::Ended;
                    return;
                }
            }
        }
    }
}

/// One message is one `data:` line; JSON as we write it has no line breaks.
fn frame(message: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"data: ");
    out.extend_from_slice(message);
    out.extend_from_slice(b"\n\n");
}
