//! The async runtime, made when the first async handler is called.

use std::io;
use std::panic::catch_unwind;
use std::sync::mpsc::channel;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::AbortHandle;

use crate::dispatch::{NoSurroundings, Surroundings};

/// Threads for handlers that wait: enough that one which never yields does not stop the others.
const WORKERS: usize = 2;

/// A runtime that a server of sync tools never makes.
#[derive(Debug, Default)]
pub(super) struct LazyRuntime {
    handle: OnceLock<Handle>,
    runtime: Mutex<Option<Runtime>>,
}

impl LazyRuntime {
    /// The runtime, made now if this is the first use.
    fn handle(&self) -> io::Result<&Handle> {
        if let Some(handle) = self.handle.get() {
            return Ok(handle);
        }
        let mut runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        if runtime.is_none() {
            find_threads()?;
            // Tokio panics where the system has no threads for it; that is one failed call, and the next tries again.
            let built = catch_unwind(|| {
                Builder::new_multi_thread()
                    .worker_threads(WORKERS)
                    .thread_name("mcp-async")
                    .enable_all()
                    .build()
            });
            let no_threads = |_| Err(io::Error::other("there are no threads for it"));
            *runtime = Some(built.unwrap_or_else(no_threads)?);
        }
        match &*runtime {
            Some(runtime) => Ok(self.handle.get_or_init(|| runtime.handle().clone())),
            None => unreachable!("the runtime was made above"),
        }
    }

    /// Lets a call that waits go on; gives what stops it.
    pub(super) fn spawn(
        &self,
        call: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<AbortHandle> {
        Ok(self.handle()?.spawn(call).abort_handle())
    }

    /// Drops all tasks without waiting for those that do not yield.
    pub(super) fn shut_down(&self) {
        let runtime = self
            .runtime
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
    }
}

/// Fails unless the system has threads for the workers: tokio, if it gets some of them only, waits for these for ever.
fn find_threads() -> io::Result<()> {
    thread::scope(|scope| {
        let mut held = Vec::with_capacity(WORKERS);
        for _ in 0..WORKERS {
            let (hold, released) = channel::<()>();
            let wait = move || {
                // The end of the channel is what is waited for.
                let _released = released.recv();
            };
            thread::Builder::new().spawn_scoped(scope, wait)?;
            held.push(hold);
        }
        Ok(())
    })
}

impl Surroundings for LazyRuntime {
    fn enter(&self, run: &mut dyn FnMut()) -> Result<(), NoSurroundings> {
        match self.handle() {
            Ok(handle) => {
                let _inside = handle.enter();
                run();
                Ok(())
            }
            Err(error) => {
                tracing::error!("could not start an async runtime: {error}");
                Err(NoSurroundings)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_looked_for_and_given_back() {
        // Were they not, this would not end.
        find_threads().unwrap();
    }
}
