//! What passes between a call that runs and the answer that waits for it: notifications, the outcome, and word that the
//! call is taking long.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use super::call::{Event, Message, Outcome, Place};
use crate::dispatch::{CallControl, Outbox};

/// How many notifications may wait for a client that does not read; more are not sent.
const CAPACITY: usize = 256;

/// A bounded queue that never blocks its writer.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    place: Place,
    message: Message,
}

#[derive(Debug, Default)]
struct State {
    frames: VecDeque<Vec<u8>>,
    outcome: Option<Outcome>,
    /// Whether there is an outcome, or has been one: nothing may be sent about the call any more.
    ended: bool,
    reader: Option<Waker>,
    /// What stops the call, once it is a task.
    task: Option<AbortHandle>,
    closed: bool,
    slow: bool,
}

/// What the reader of a queue finds.
#[derive(Debug)]
pub(super) enum Found {
    /// What is sent next; the outcome comes after all notifications.
    Event(Event),
    /// Nothing yet; the reader is woken when there is more.
    Nothing {
        /// Whether the call is taking long.
        slow: bool,
    },
}

impl Queue {
    pub(super) fn new(place: Place, message: Message) -> Self {
        Self {
            state: Mutex::default(),
            place,
            message,
        }
    }

    /// Where the call began.
    pub(super) fn place(&self) -> &Place {
        &self.place
    }

    /// What the call was asked by.
    pub(super) fn message(&self) -> &Message {
        &self.message
    }

    /// What comes next.
    pub(super) fn read(&self, context: &mut Context<'_>) -> Found {
        let mut state = self.state();
        if let Some(frame) = state.frames.pop_front() {
            return Found::Event(Event::Notification(frame));
        }
        if let Some(outcome) = state.outcome.take() {
            return Found::Event(Event::Outcome(outcome));
        }
        match &mut state.reader {
            Some(reader) => reader.clone_from(context.waker()),
            reader => *reader = Some(context.waker().clone()),
        }
        Found::Nothing { slow: state.slow }
    }

    /// Ends the call.
    pub(super) fn finish(&self, outcome: Outcome) {
        let mut state = self.state();
        state.outcome = Some(outcome);
        state.ended = true;
        state.task = None;
        wake(state);
    }

    /// Tells the reader that the call is not done at once, so that it looks at the clock from now on.
    ///
    /// Most calls never need a timer, and setting one costs as much as running them.
    pub(super) fn tell_slow(&self) {
        let mut state = self.state();
        state.slow = true;
        wake(state);
    }

    /// Notes what stops the call.
    pub(super) fn run_by(&self, task: AbortHandle) {
        let mut state = self.state();
        if state.closed {
            task.abort();
        } else {
            state.task = Some(task);
        }
    }

    /// Whether nobody is left to read anything.
    pub(super) fn is_closed(&self) -> bool {
        self.state().closed
    }

    /// Stops the call and takes no more notifications, since nobody is left to read them.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.frames.clear();
        state.reader = None;
        if let Some(task) = state.task.take() {
            task.abort();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The queue is whole at every moment, so a panic of another thread leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outbox for Queue {
    fn send(&self, _: &CallControl, frame: Vec<u8>) -> bool {
        let mut state = self.state();
        if state.closed || state.ended || state.frames.len() >= CAPACITY {
            return false;
        }
        state.frames.push_back(frame);
        // Until a call on the task of its connection is slow, its reader is that very task.
        let elsewhere = state.slow || matches!(self.place, Place::Task(_));
        if wake(state) && elsewhere {
            make_way();
        }
        true
    }
}

/// Wakes the reader, if it waits, without the lock that it is about to take.
fn wake(mut state: MutexGuard<'_, State>) -> bool {
    let reader = state.reader.take();
    drop(state);
    let waits = reader.is_some();
    if let Some(reader) = reader {
        reader.wake();
    }
    waits
}

/// Lets other workers run what this one has just woken.
///
/// A worker of tokio keeps the task that it woke last for itself, so a plain function that goes on without returning would
/// keep its reader from running. An empty task takes that place, and the other goes where idle workers look.
pub(super) fn make_way() {
    if let Ok(runtime) = Handle::try_current() {
        runtime.spawn(async {});
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use bytes::Bytes;
    use http::HeaderMap;

    use super::super::HttpOptions;
    use super::super::endpoint::Endpoint;
    use super::super::host::Doorkeeper;
    use super::*;

    fn next(queue: &Queue) -> Option<Vec<u8>> {
        match queue.read(&mut Context::from_waker(Waker::noop())) {
            Found::Event(Event::Notification(frame)) => Some(frame),
            Found::Event(Event::Outcome(_)) | Found::Nothing { .. } => None,
        }
    }

    /// The queue of a call that nobody has made.
    pub(in super::super) fn queue() -> Queue {
        let core = Arc::clone(
            crate::ServerBuilder::new("queues", "0.0.0")
                .build()
                .unwrap()
                .core(),
        );
        let endpoint = Endpoint::new(core, HttpOptions::new(), Doorkeeper::default()).unwrap();
        let message = Message {
            bytes: Bytes::new(),
            headers: HeaderMap::new(),
            principal: None,
        };
        Queue::new(Place::Task(Arc::new(endpoint)), message)
    }

    #[test]
    fn what_is_sent_comes_out_in_order() {
        let queue = queue();
        assert_eq!(next(&queue), None);
        assert!(queue.send(&CallControl::default(), vec![1]));
        assert!(queue.send(&CallControl::default(), vec![2]));
        assert_eq!(next(&queue), Some(vec![1]));
        assert_eq!(next(&queue), Some(vec![2]));
        assert_eq!(next(&queue), None);
    }

    #[test]
    fn nothing_is_sent_after_the_outcome() {
        let queue = queue();
        assert!(queue.send(&CallControl::default(), vec![1]));
        queue.finish(Outcome::Accepted);
        assert!(!queue.send(&CallControl::default(), vec![2]));
        assert_eq!(next(&queue), Some(vec![1]));
        let ended = queue.read(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(
            ended,
            Found::Event(Event::Outcome(Outcome::Accepted))
        ));
        assert!(!queue.send(&CallControl::default(), vec![3]));
        assert_eq!(next(&queue), None);
    }

    #[test]
    fn a_full_queue_refuses_and_a_closed_one_is_empty() {
        let queue = queue();
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
