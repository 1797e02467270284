//! Who looks after a call while its function waits, and who waits in it for what may never come.
//!
//! A function may hand its context to tasks of its own, which live on when the round or the run ends. What they wait for does
//! not come then, and nobody would ever drop them, so they are told.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::task::{Context as TaskContext, Poll, Waker};

use super::Context;
use crate::dispatch::conversation::RoundEnded;

/// What a context knows of those who wait.
///
/// Wakers are dropped without its lock: a task may be dropped with its last one, and what it holds may come here.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// Who polls the call, while nobody does.
    poller: Option<Waker>,
    /// The round or the run has ended.
    is_over: bool,
    waiting: BTreeMap<u64, Waker>,
    /// The place of the next one who waits.
    next: u64,
    /// Who wants to go on as a task.
    pub(super) wishes: Wishes,
}

/// How many futures want to go on as a task.
#[derive(Debug, Default)]
pub(super) struct Wishes {
    /// In the function itself.
    pub(super) own: usize,
    /// In what it has spawned.
    pub(super) spawned: usize,
}

/// Waits that end with the round or the run; it has one place among them, which it leaves when it is dropped.
#[derive(Debug)]
pub(in crate::dispatch) struct Waiting {
    context: Context,
    place: Option<u64>,
}

thread_local! {
    /// Where the context is whose call is being polled on this thread.
    static POLLED: Cell<usize> = const { Cell::new(0) };
}

/// The time in which a call is polled.
#[derive(Debug)]
pub(in crate::dispatch) struct Polled {
    outer: usize,
}

impl Drop for Polled {
    fn drop(&mut self) {
        POLLED.set(self.outer);
    }
}

impl Context {
    /// Notes that the call is polled on this thread, as long as what this gives lives.
    pub(in crate::dispatch) fn enter(&self) -> Polled {
        Polled {
            outer: POLLED.replace(self.place()),
        }
    }

    /// Whether the call is being polled on this thread; what the function has spawned is polled elsewhere.
    pub(super) fn is_polled_here(&self) -> bool {
        POLLED.get() == self.place()
    }

    /// Where it is, which tells it from all others as long as it is there.
    fn place(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Notes who is to look whether the round has ended, or that somebody is looking.
    pub(in crate::dispatch) fn set_poller(&self, poller: Option<Waker>) {
        let other = std::mem::replace(&mut self.watch().poller, poller);
        drop(other);
    }

    /// Has whoever polls the call look whether the round has ended: a task of the handler's own may have asked.
    pub(in crate::dispatch) fn attend(&self) {
        let poller = self.watch().poller.take();
        if let Some(poller) = poller {
            poller.wake();
        }
    }

    /// Ends the round or the run: whoever still waits in it is told.
    pub(in crate::dispatch) fn end(&self) {
        let (poller, waiting) = {
            let mut watch = self.watch();
            watch.is_over = true;
            (watch.poller.take(), std::mem::take(&mut watch.waiting))
        };
        // Behind that, so that one which is begun meanwhile is seen here, or sees that itself.
        if let Some(conversation) = self.begun_conversation() {
            conversation.end();
        }
        drop(poller);
        for waker in waiting.into_values() {
            waker.wake();
        }
    }

    pub(super) fn watch(&self) -> MutexGuard<'_, Watch> {
        // Every change under the lock is one insertion, removal or assignment.
        self.0.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    pub(in crate::dispatch) fn new(context: &Context) -> Self {
        Self {
            context: context.clone(),
            place: None,
        }
    }

    pub(in crate::dispatch) fn context(&self) -> &Context {
        &self.context
    }

    /// Polls for something as long as it can come.
    pub(in crate::dispatch) fn poll<T>(
        &mut self,
        task: &mut TaskContext<'_>,
        poll: impl FnOnce(&Context, &mut TaskContext<'_>) -> Poll<T>,
    ) -> Poll<Result<T, RoundEnded>> {
        if self.context.watch().is_over {
            return Poll::Ready(Err(RoundEnded));
        }
        if let Poll::Ready(value) = poll(&self.context, task) {
            return Poll::Ready(Ok(value));
        }
        let mut watch = self.context.watch();
        if watch.is_over {
            return Poll::Ready(Err(RoundEnded));
        }
        let place = *self.place.get_or_insert_with(|| {
            watch.next += 1;
            watch.next
        });
        let other = watch.waiting.insert(place, task.waker().clone());
        drop(watch);
        drop(other);
        Poll::Pending
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(place) = self.place {
            let waker = self.context.watch().waiting.remove(&place);
            drop(waker);
        }
    }
}
