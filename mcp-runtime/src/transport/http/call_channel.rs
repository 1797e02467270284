//! Between a call that runs and the answer that waits for it: notifications, and the outcome of a function that blocks.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use super::call::{Event, Outcome};
use super::counted_bytes::CountedBytes;
use crate::bound::{Bound, Sender};
use crate::dispatch::{CallHandle, Outbox};

/// The most notifications that wait for a client which does not read; further ones are not sent.
const CAPACITY: usize = 256;

/// A bounded queue that never blocks its writer.
#[derive(Debug)]
pub(super) struct CallChannel {
    state: Mutex<State>,
    /// The memory of answers, and whose share of it the notifications hold.
    memory: Arc<Bound>,
    sender: Sender,
}

#[derive(Debug, Default)]
struct State {
    notifications: VecDeque<CountedBytes>,
    outcome: Option<Outcome>,
    /// Whether nothing may be sent about the call any more: it has an outcome, or its client is gone.
    is_closed: bool,
    reader: Option<Waker>,
}

impl CallChannel {
    /// A channel without events, whose notifications count as memory of a sender.
    pub(super) fn new(memory: &Arc<Bound>, sender: Sender) -> Self {
        Self {
            state: Mutex::default(),
            memory: Arc::clone(memory),
            sender,
        }
    }

    /// The next event; the outcome comes after all notifications.
    pub(super) fn poll_event(&self, context: &mut Context<'_>) -> Poll<Event> {
        let mut state = self.state();
        if let Some(notification) = state.notifications.pop_front() {
            return Poll::Ready(Event::Notification(notification));
        }
        if let Some(outcome) = state.outcome.take() {
            return Poll::Ready(Event::Outcome(outcome));
        }
        match &mut state.reader {
            Some(reader) => reader.clone_from(context.waker()),
            reader => *reader = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    /// Ends the call.
    pub(super) fn finish(&self, outcome: Outcome) {
        let mut state = self.state();
        state.outcome = Some(outcome);
        state.is_closed = true;
        wake(state);
    }

    /// Takes no more notifications, since no client is left to read them.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.notifications.clear();
        state.reader = None;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The queue is whole at every moment, so a panic of another thread leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outbox for CallChannel {
    fn send(&self, _: &CallHandle, notification: Vec<u8>) -> bool {
        let mut state = self.state();
        if state.is_closed || state.notifications.len() >= CAPACITY {
            return false;
        }
        let Ok(memory) = self.memory.acquire(Some(self.sender), notification.len()) else {
            return false;
        };
        let notification = CountedBytes::new(notification, Some(memory));
        state.notifications.push_back(notification);
        wake(state);
        true
    }
}

/// Wakes the reader, if it waits, without the lock that it is about to take.
fn wake(mut state: MutexGuard<'_, State>) {
    let reader = state.reader.take();
    drop(state);
    if let Some(reader) = reader {
        reader.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(bytes: usize) -> CallChannel {
        CallChannel::new(&Bound::new(bytes), Sender::Unknown)
    }

    fn next(channel: &CallChannel) -> Option<Vec<u8>> {
        match channel.poll_event(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Event::Notification(notification)) => Some(notification.to_vec()),
            Poll::Ready(Event::Outcome(_)) | Poll::Pending => None,
        }
    }

    fn send(channel: &CallChannel, byte: u8) -> bool {
        channel.send(&CallHandle::default(), vec![byte])
    }

    #[test]
    fn notifications_come_out_in_order() {
        let channel = channel(1000);
        assert_eq!(next(&channel), None);
        assert!(send(&channel, 1) && send(&channel, 2));
        assert_eq!(next(&channel), Some(vec![1]));
        assert_eq!(next(&channel), Some(vec![2]));
        assert_eq!(next(&channel), None);
    }

    #[test]
    fn nothing_is_sent_after_the_outcome() {
        let channel = channel(1000);
        assert!(send(&channel, 1));
        channel.finish(Outcome::Accepted);
        assert!(!send(&channel, 2));
        assert_eq!(next(&channel), Some(vec![1]));
        let ended = channel.poll_event(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(
            ended,
            Poll::Ready(Event::Outcome(Outcome::Accepted))
        ));
        assert!(!send(&channel, 3));
        assert_eq!(next(&channel), None);
    }

    #[test]
    fn notifications_count_until_they_are_dropped() {
        let channel = channel(3);
        assert!(send(&channel, 1) && send(&channel, 2) && send(&channel, 3));
        assert!(!send(&channel, 4));
        let taken = channel.poll_event(&mut Context::from_waker(Waker::noop()));
        assert!(!send(&channel, 4));
        drop(taken);
        assert!(send(&channel, 4));
        channel.close();
        assert_eq!(channel.memory.held(), 0);
    }

    #[test]
    fn a_full_channel_refuses_and_a_closed_one_is_empty() {
        let channel = channel(1000);
        for _ in 0..CAPACITY {
            assert!(send(&channel, 0));
        }
        assert!(!send(&channel, 1));
        assert_eq!(next(&channel), Some(vec![0]));
        assert!(send(&channel, 2));
        channel.close();
        assert!(!send(&channel, 3));
        assert_eq!(next(&channel), None);
    }
}
