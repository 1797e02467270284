//! What passes between the task that runs a call and the answer that waits for it: notifications, and word that the
//! call is taking long.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::dispatch::{CallControl, Outbox};

/// How many notifications may wait for a client that does not read; more are not sent.
const CAPACITY: usize = 256;

/// A bounded queue that never blocks its writer.
#[derive(Debug, Default)]
pub(super) struct Queue(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    frames: VecDeque<Vec<u8>>,
    reader: Option<Waker>,
    closed: bool,
    slow: bool,
}

impl Queue {
    /// The next notification.
    pub(super) fn poll_next(&self, context: &mut Context<'_>) -> Poll<Vec<u8>> {
        let mut state = self.state();
        if let Some(frame) = state.frames.pop_front() {
            return Poll::Ready(frame);
        }
        match &mut state.reader {
            Some(reader) => reader.clone_from(context.waker()),
            reader => *reader = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    /// Tells the reader that the call is not done at once, so that it looks at the clock from now on.
    ///
    /// Most calls never need a timer, and setting one costs as much as running them.
    pub(super) fn tell_slow(&self) {
        let mut state = self.state();
        state.slow = true;
        wake(state);
    }

    pub(super) fn is_slow(&self) -> bool {
        self.state().slow
    }

    /// Takes no more notifications, since nobody is left to read them.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.frames.clear();
        state.reader = None;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The queue is whole at every moment, so a panic of another thread leaves nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outbox for Queue {
    fn send(&self, _: &CallControl, frame: Vec<u8>) -> bool {
        let mut state = self.state();
        if state.closed || state.frames.len() >= CAPACITY {
            return false;
        }
        state.frames.push_back(frame);
        wake(state);
        true
    }
}

/// Wakes the reader, without the lock that it is about to take.
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

    fn next(queue: &Queue) -> Option<Vec<u8>> {
        match queue.poll_next(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(frame) => Some(frame),
            Poll::Pending => None,
        }
    }

    #[test]
    fn what_is_sent_comes_out_in_order() {
        let queue = Queue::default();
        assert_eq!(next(&queue), None);
        assert!(queue.send(&CallControl::default(), vec![1]));
        assert!(queue.send(&CallControl::default(), vec![2]));
        assert_eq!(next(&queue), Some(vec![1]));
        assert_eq!(next(&queue), Some(vec![2]));
        assert_eq!(next(&queue), None);
    }

    #[test]
    fn a_full_queue_refuses_and_a_closed_one_is_empty() {
        let queue = Queue::default();
        for _ in 0..CAPACITY {
            assert!(queue.send(&CallControl::default(), vec![0]));
        }
        assert!(!queue.send(&CallControl::default(), vec![1]));
        assert_eq!(next(&queue), Some(vec![0]));
        assert!(queue.send(&CallControl::default(), vec![2]));
        queue.close();
        assert!(!queue.send(&CallControl::default(), vec![3]));
        assert_eq!(next(&queue), None);
    }
}
