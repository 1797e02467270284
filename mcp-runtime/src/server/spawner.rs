//! The spawner of servers with a transport: a tokio runtime of its own, made for the first task.
//!
//! It is not the runtime that serves: a task that blocks a thread must not hold up the answers to others.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::task::{TaskFuture, TaskSpawner};

/// Threads for tasks: enough that one which never yields does not stop the others.
const WORKERS: usize = 2;

/// A runtime that a server without tasks never makes.
#[derive(Debug, Default)]
pub(super) struct OwnRuntime(Mutex<Option<Runtime>>);

impl OwnRuntime {
    fn runtime(&self) -> MutexGuard<'_, Option<Runtime>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TaskSpawner for OwnRuntime {
    fn spawn(&self, future: TaskFuture) {
        let mut runtime = self.runtime();
        if runtime.is_none() {
            let made = Builder::new_multi_thread()
                .worker_threads(WORKERS)
                .thread_name("mcp-task")
                .enable_all()
                .build();
            match made {
                Ok(made) => *runtime = Some(made),
                // The task is stored, and tried again when its lease has ended.
                Err(error) => tracing::error!("a task cannot be run now: {error}"),
            }
        }
        if let Some(runtime) = &*runtime {
            runtime.spawn(future);
        }
    }

    fn sleep(&self, time: Duration) -> TaskFuture {
        Box::pin(async move { tokio::time::sleep(time).await })
    }
}

impl Drop for OwnRuntime {
    fn drop(&mut self) {
        // The last to hold on to a server may be one of its own tasks, which must not wait for itself.
        if let Some(runtime) = self.runtime().take() {
            runtime.shutdown_background();
        }
    }
}
