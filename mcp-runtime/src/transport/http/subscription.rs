//! A stream of `subscriptions/listen` with a clock beside it, so that a burst of changes is told once.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::time::{Instant, Sleep, sleep};

use crate::dispatch::{Listener, Told};
use crate::transport::settle::{MOMENT, MOST};

/// An open stream.
#[derive(Debug)]
pub(super) struct Subscription {
    listener: Listener,
    /// Runs while there is something to tell that may not be all; made on first need.
    clock: Option<Pin<Box<Sleep>>>,
    /// The moments for which it has waited.
    moments: u32,
}

impl Subscription {
    pub(super) fn new(listener: Listener) -> Self {
        Self {
            listener,
            clock: None,
            moments: 0,
        }
    }

    /// Gives what there is to tell, once it has settled.
    pub(super) fn poll_told(
        &mut self,
        context: &mut Context<'_>,
        send: impl FnMut(&[u8]),
    ) -> Poll<Told> {
        loop {
            ready!(self.listener.poll_news(context));
            if let Some(clock) = &mut self.clock
                && self.moments > 0
                && !self.listener.has_ended()
            {
                ready!(clock.as_mut().poll(context));
            }
            if self.listener.has_settled() || self.moments >= MOST {
                self.moments = 0;
                return Poll::Ready(self.listener.tell(send));
            }
            self.moments += 1;
            match &mut self.clock {
                Some(clock) => clock.as_mut().reset(Instant::now() + MOMENT),
                clock => *clock = Some(Box::pin(sleep(MOMENT))),
            }
        }
    }
}
