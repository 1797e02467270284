//! The spawner of servers with a transport: tokio runtimes of its own, made when they are first needed.
//!
//! None is the runtime that serves: a task that blocks a thread must not hold up the answers to others.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Runtime;

use super::runtime::build;
use crate::task::{TaskFuture, TaskSpawner};

/// Threads for tasks: one which never yields leaves the others a thread, while several may not.
///
/// If the one was woken by the thread that waits for timers, nobody waits for them until something is spawned from outside.
const WORKERS: usize = 2;

/// Threads for the keeper, which no task may hold up: its leases would end, and its tasks be run by others too.
const KEEPERS: usize = 1;

/// The most threads for what tasks run by `spawn_blocking`; tokio's own default.
pub(super) const MAX_BLOCKING_THREADS: usize = 512;

/// Two runtimes, which a server without tasks never makes.
#[derive(Debug)]
pub(super) struct OwnRuntime {
    tasks: Lazy,
    keeper: Lazy,
}

/// A runtime that is made when it is first needed.
#[derive(Debug)]
struct Lazy {
    runtime: Mutex<Option<Runtime>>,
    threads: usize,
    name: &'static str,
}

impl Default for OwnRuntime {
    fn default() -> Self {
        Self {
            tasks: Lazy::new(WORKERS, "mcp-task"),
            keeper: Lazy::new(KEEPERS, "mcp-task-keeper"),
        }
    }
}

impl Lazy {
    fn new(threads: usize, name: &'static str) -> Self {
        Self {
            runtime: Mutex::default(),
            threads,
            name,
        }
    }

    fn runtime(&self) -> MutexGuard<'_, Option<Runtime>> {
        self.runtime.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spawn(&self, future: TaskFuture) {
        let mut runtime = self.runtime();
        if runtime.is_none() {
            match build(self.threads, MAX_BLOCKING_THREADS, self.name) {
                Ok(made) => *runtime = Some(made),
                // The task is stored, and tried again when its lease has ended.
                Err(error) => tracing::error!("a task cannot be run now: {error}"),
            }
        }
        if let Some(runtime) = &*runtime {
            runtime.spawn(future);
        }
    }
}

impl TaskSpawner for OwnRuntime {
    fn spawn(&self, future: TaskFuture) {
        self.tasks.spawn(future);
    }

    fn spawn_keeper(&self, future: TaskFuture) {
        self.keeper.spawn(future);
    }

    fn sleep(&self, time: Duration) -> TaskFuture {
        Box::pin(async move { tokio::time::sleep(time).await })
    }
}

impl Drop for Lazy {
    fn drop(&mut self) {
        // The last to hold on to a server may be one of its own tasks, which must not wait for itself.
        if let Some(runtime) = self.runtime().take() {
            runtime.shutdown_background();
        }
    }
}
