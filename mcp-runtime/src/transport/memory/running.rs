//! The calls that wait, each polled only when it was woken.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use crate::connection::Key;

type Answering = Pin<Box<dyn Future<Output = Vec<u8>> + Send>>;

/// The calls of a connection that wait, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Running {
    calls: HashMap<u64, RunningCall>,
    /// The number of the last one.
    last: u64,
}

struct RunningCall {
    key: Key,
    is_blocking: bool,
    answer: Answering,
    waker: Waker,
}

impl fmt::Debug for RunningCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RunningCall").field(&self.key).finish()
    }
}

impl Running {
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Adds a call, which is polled next time.
    pub(super) fn insert(
        &mut self,
        key: Key,
        is_blocking: bool,
        answer: Answering,
        woken: &Arc<Woken>,
    ) {
        self.last += 1;
        let waker = Waker::from(Arc::new(CallWaker {
            woken: Arc::clone(woken),
            number: self.last,
        }));
        waker.wake_by_ref();
        let call = RunningCall {
            key,
            is_blocking,
            answer,
            waker,
        };
        self.calls.insert(self.last, call);
    }

    /// Polls the calls that were woken, and passes on the answers of those that are done.
    pub(super) fn poll(&mut self, woken: &Woken, mut finish: impl FnMut(Key, bool, Vec<u8>)) {
        let numbers = std::mem::take(&mut woken.lock().calls);
        for number in numbers {
            // A call may have been woken more than once, and have ended.
            let Some(call) = self.calls.get_mut(&number) else {
                continue;
            };
            let polled = call
                .answer
                .as_mut()
                .poll(&mut Context::from_waker(&call.waker));
            if let Poll::Ready(answer) = polled
                && let Some(call) = self.calls.remove(&number)
            {
                // Its place among the calls in flight is free once it has been dropped.
                drop(call.answer);
                finish(call.key, call.is_blocking, answer);
            }
        }
    }
}

/// The calls that were woken, and the task that polls the connection.
#[derive(Debug, Default)]
pub(super) struct Woken(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    calls: Vec<u64>,
    task: Option<Waker>,
}

impl Woken {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is one push, take or assignment.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the task that polls the connection.
    pub(super) fn register(&self, task: &Waker) {
        let task = Some(task.clone());
        let other = std::mem::replace(&mut self.lock().task, task);
        // A task may be dropped with its last waker, and what it holds may come here.
        drop(other);
    }

    /// Wakes the task that polls the connection.
    pub(super) fn wake_task(&self) {
        let task = self.lock().task.take();
        if let Some(task) = task {
            task.wake();
        }
    }
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.wake_task();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.wake_task();
    }
}

/// Wakes one call.
struct CallWaker {
    woken: Arc<Woken>,
    number: u64,
}

impl Wake for CallWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.lock().calls.push(self.number);
        self.woken.wake_task();
    }
}
