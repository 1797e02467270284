//! The orderly end of a server: shutdown hooks, and states that are dropped with the last handle.
//!
//! Deliberately not here: calls and tasks, which a transport ends before.

use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::thread;
#[cfg(feature = "cli")]
use std::time::Duration;

#[cfg(feature = "cli")]
use super::{Server, drive};
use crate::dispatch::Core;
use crate::panic::catch;

/// A function of the user's that runs when the server ends.
type Hook = Box<dyn FnOnce() + Send>;

/// The shutdown hooks of a server, each of which runs once.
#[derive(Default)]
pub(super) struct Hooks(Mutex<Vec<Hook>>);

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Hooks").finish()
    }
}

impl Hooks {
    pub(super) fn add(&mut self, hook: impl FnOnce() + Send + 'static) {
        let hooks = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        hooks.push(Box::new(hook));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Hook>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the hooks that have not run yet, in their order.
    fn run(&self) {
        let hooks = std::mem::take(&mut *self.lock());
        for hook in hooks {
            if let Err(panic) = catch(hook) {
                tracing::error!("a shutdown hook panicked: {panic}");
            }
        }
    }
}

/// What all handles of a server own together.
///
/// Threads of transports and runs of tasks hold the core alone, some of them for as long as a tool blocks them, so that
/// states which no tool holds are dropped when the last handle is.
#[derive(Debug)]
pub(super) struct Owner {
    pub(super) core: Arc<Core>,
    pub(super) hooks: Hooks,
}

impl Owner {
    /// Runs the hooks on a thread of their own; ready when they have returned.
    pub(super) async fn shut_down(self: &Arc<Self>) {
        if self.hooks.lock().is_empty() {
            return;
        }
        let owner = Arc::clone(self);
        ended("mcp-shutdown", move || owner.hooks.run()).await;
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.hooks.run();
        self.core.release_states();
    }
}

#[cfg(feature = "cli")]
impl Server {
    /// Drops the handle, and with the last one the states, but waits for their drops no longer than a time.
    pub(crate) fn drop_within(self, time: Duration) {
        if drive::wait(ended("mcp-drop", move || drop(self)), time).is_none() {
            tracing::warn!("a state was not dropped in time");
        }
    }
}

/// Where a thread tells that it has ended.
#[derive(Debug, Default)]
struct End {
    has_come: bool,
    waker: Option<Waker>,
}

/// Tells the end of a thread when it is dropped, also if the thread panics.
struct Ends(Arc<Mutex<End>>);

impl Drop for Ends {
    fn drop(&mut self) {
        let waker = {
            let mut end = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            end.has_come = true;
            end.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Runs a function on a thread of its own, which nobody joins; ready when the function has returned.
///
/// Functions of users that run on the way out of the process go through here, under a bound of time: they may never
/// return. Without a thread the function is dropped.
pub(crate) async fn ended(name: &str, run: impl FnOnce() + Send + 'static) {
    let end = Arc::<Mutex<End>>::default();
    let ends = Ends(Arc::clone(&end));
    let spawned = thread::Builder::new().name(name.into()).spawn(move || {
        let _ends = ends;
        run();
    });
    if let Err(error) = spawned {
        tracing::error!("there is no thread for the end of the server: {error}");
    }
    poll_fn(|context| {
        let waker = context.waker().clone();
        let mut end = end.lock().unwrap_or_else(PoisonError::into_inner);
        if end.has_come {
            return Poll::Ready(());
        }
        end.waker = Some(waker);
        Poll::Pending
    })
    .await;
}
