//! The async runtime, made when the first async handler is called.

use std::io;
use std::sync::{Mutex, OnceLock, PoisonError};

use tokio::runtime::{Builder, Handle, Runtime};

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
    pub(super) fn handle(&self) -> io::Result<&Handle> {
        if let Some(handle) = self.handle.get() {
            return Ok(handle);
        }
        let mut runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        if runtime.is_none() {
            *runtime = Some(
                Builder::new_multi_thread()
                    .worker_threads(WORKERS)
                    .thread_name("mcp-async")
                    .enable_all()
                    .build()?,
            );
        }
        match &*runtime {
            Some(runtime) => Ok(self.handle.get_or_init(|| runtime.handle().clone())),
            None => unreachable!("the runtime was made above"),
        }
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
