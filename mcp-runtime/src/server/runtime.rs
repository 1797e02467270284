//! The async runtime, made when the first async handler is called, and the way of calls in process through one of their own.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;
use std::{io, panic, thread};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::spawn_blocking;
use tokio::time::{Sleep, sleep_until};

use super::spawner::MAX_BLOCKING_THREADS;
use crate::bound::Permit;
use crate::dispatch::{
    Answer, CallHandle, Core, NoRuntimeContext, Opened, PendingCall, Permitted, Request,
    RuntimeContext,
};
use crate::exec::Execution;

/// Threads for handlers that wait: enough that one which never yields leaves another.
///
/// That alone is not enough, if the one was woken by the thread that waits for timers and sockets: nobody waits for them then,
/// until something is spawned from outside.
const WORKERS: usize = 2;

/// The runtime of all calls in process.
///
/// It lasts as long as the process, like that of a server which serves: what a function leaves running goes on.
static IN_PROCESS: LazyLock<Arc<InProcess>> =
    LazyLock::new(|| Arc::new(InProcess(LazyRuntime::new(MAX_BLOCKING_THREADS))));

/// Controls a call that is driven by [`to_end`].
pub(super) fn control() -> CallHandle {
    CallHandle::within(Arc::<InProcess>::clone(&IN_PROCESS))
}

/// Controls a call of a connection in memory, which is polled where its message was received.
pub(crate) fn control_here() -> CallHandle {
    match Handle::try_current() {
        Ok(_) => {
            let control = CallHandle::default();
            control.permit(Permitted::NonBlocking);
            control
        }
        Err(_) => control(),
    }
}

/// Waits for a future on the calling thread, which drives no runtime; `None` if there can be none.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> Option<T> {
    match IN_PROCESS.0.handle() {
        Ok(handle) => Some(handle.block_on(future)),
        Err(error) => {
            tracing::error!("could not start an async runtime: {error}");
            None
        }
    }
}

/// A timer that can be polled anywhere: the runtime of calls in process drives it.
#[derive(Debug)]
pub(crate) struct Timer {
    deadline: Instant,
    /// `None` if there can be no runtime.
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Timer {
    pub(crate) fn new(deadline: Instant) -> Self {
        let sleep = match IN_PROCESS.0.handle() {
            Ok(handle) => {
                let _inside = handle.enter();
                Some(Box::pin(sleep_until(deadline.into())))
            }
            Err(error) => {
                tracing::error!("could not start an async runtime: {error}");
                None
            }
        };
        Self { deadline, sleep }
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Ready once the deadline has passed.
    pub(crate) fn poll(&mut self, task: &mut Context<'_>) -> Poll<()> {
        match &mut self.sleep {
            Some(sleep) => sleep.as_mut().poll(task),
            None => Poll::Pending,
        }
    }
}

/// Waits on the calling thread until the call is done or its time is up, and appends its response.
pub(super) fn to_end(
    core: &Core,
    request: &Request<'_>,
    mut call: PendingCall,
    control: &CallHandle,
    out: &mut Vec<u8>,
) {
    let Ok(handle) = IN_PROCESS.0.handle() else {
        // The handler was begun inside the runtime, so there is one; were there none, nobody could go on.
        return core.time_out(request.id, out);
    };
    let response = poll_fn(|context| call.poll(request.id, context));
    let response = handle.block_on(async {
        match control.timeout() {
            Some(limit) => tokio::time::timeout(limit, response).await.ok(),
            None => Some(response.await),
        }
    });
    match response {
        Some(mut frame) => out.append(&mut frame),
        None => {
            control.cancel();
            core.time_out(request.id, out);
        }
    }
}

/// Cancels a call when the future that waits for it is dropped.
struct CancelWhenDropped(Arc<CallHandle>);

impl Drop for CancelWhenDropped {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// What a caller permits that polls calls itself: within a runtime nothing that blocks it.
pub(super) fn permitted_here() -> Permitted {
    match Handle::try_current() {
        Ok(_) => Permitted::NonBlocking,
        Err(_) => Permitted::All,
    }
}

/// Answers a call of a plain function on a thread of the caller's runtime that may block; the memory is held until the
/// function has returned.
///
/// `None` if the runtime shuts down before the function has run.
pub(crate) async fn answer_on_thread(
    core: &Arc<Core>,
    message: &[u8],
    control: &Arc<CallHandle>,
    memory: Permit,
) -> Option<Vec<u8>> {
    control.permit(Permitted::All);
    let _cancel = CancelWhenDropped(Arc::clone(control));
    let (core, message, control) = (Arc::clone(core), message.to_vec(), Arc::clone(control));
    let answered = spawn_blocking(move || {
        let _memory = memory;
        let mut out = Vec::new();
        loop {
            // It may have waited for a thread for longer than its caller has.
            if control.is_cancelled() {
                return out;
            }
            let mut readable = Vec::new();
            let Opened::Request(request) = core.open(&message, &mut readable) else {
                unreachable!("the message was opened as a request before");
            };
            // The function may have been replaced by an async one since its request was read, or ask by returning.
            if let Answer::Pending(mut call) = core.answer(&request, &control, &mut out) {
                let response = poll_fn(|context| call.poll(request.id, context));
                out = Handle::current().block_on(response);
            }
            if !control.runs_again() {
                return out;
            }
        }
    });
    match answered.await {
        Ok(out) => Some(out),
        Err(error) => match error.try_into_panic() {
            Ok(panic) => panic::resume_unwind(panic),
            Err(_) => None,
        },
    }
}

/// Runs what may start a runtime of its own, which is not possible on a thread that drives one, as under `#[tokio::main]`.
pub(crate) fn outside_runtimes<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    if Handle::try_current().is_err() {
        return run();
    }
    thread::scope(|scope| match scope.spawn(run).join() {
        Ok(value) => value,
        Err(panic) => panic::resume_unwind(panic),
    })
}

/// A runtime that is made when the first function is called.
#[derive(Debug)]
pub(crate) struct LazyRuntime {
    max_blocking_threads: usize,
    handle: OnceLock<Handle>,
    runtime: Mutex<Option<Runtime>>,
    /// Changes under the lock of the runtime.
    is_shut_down: AtomicBool,
}

impl LazyRuntime {
    /// A runtime that is not made yet, with this many threads for plain functions.
    pub(crate) fn new(max_blocking_threads: usize) -> Self {
        Self {
            max_blocking_threads: max_blocking_threads.max(1),
            handle: OnceLock::new(),
            runtime: Mutex::default(),
            is_shut_down: AtomicBool::new(false),
        }
    }

    /// The runtime, made now if this is the first use.
    fn handle(&self) -> io::Result<&Handle> {
        self.look_whether_it_serves()?;
        if let Some(handle) = self.handle.get() {
            return Ok(handle);
        }
        let mut runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        if runtime.is_none() {
            self.look_whether_it_serves()?;
            // A failure is one failed call, and the next tries again.
            *runtime = Some(build(WORKERS, self.max_blocking_threads, "mcp-async")?);
        }
        match &*runtime {
            Some(runtime) => Ok(self.handle.get_or_init(|| runtime.handle().clone())),
            None => unreachable!("the runtime was made above"),
        }
    }

    /// Fails once it is shut down: nobody would end another runtime.
    fn look_whether_it_serves(&self) -> io::Result<()> {
        if self.is_shut_down.load(Ordering::Relaxed) {
            return Err(io::Error::other("serving has ended"));
        }
        Ok(())
    }

    /// Runs a future on the workers.
    #[cfg(feature = "stdio")]
    pub(crate) fn spawn(
        &self,
        future: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        drop(self.handle()?.spawn(future));
        Ok(())
    }

    /// Runs a function on a thread that may block; fails if there is none and the system gives none.
    #[cfg(feature = "stdio")]
    pub(crate) fn spawn_blocking(&self, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let handle = self.handle()?;
        // Tokio panics where the system has no thread.
        let spawned = panic::catch_unwind(panic::AssertUnwindSafe(|| {
            drop(handle.spawn_blocking(run));
        }));
        spawned.map_err(|_| io::Error::other("there are no threads for it"))
    }

    /// Drops all tasks without waiting for those that do not yield.
    #[cfg(feature = "stdio")]
    pub(crate) fn shut_down(&self) {
        let runtime = {
            let mut runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
            self.is_shut_down.store(true, Ordering::Relaxed);
            runtime.take()
        };
        if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
    }
}

/// Makes a runtime with so many workers and blocking threads of this name; fails where the system has no threads for it, on which tokio panics.
pub(super) fn build(
    workers: usize,
    max_blocking_threads: usize,
    name: &str,
) -> io::Result<Runtime> {
    find_threads(workers)?;
    let built = panic::catch_unwind(|| {
        Builder::new_multi_thread()
            .worker_threads(workers)
            .max_blocking_threads(max_blocking_threads)
            .thread_name(name)
            .enable_all()
            .build()
    });
    built.unwrap_or_else(|_| Err(io::Error::other("there are no threads for it")))
}

/// Fails unless the system has threads for the workers: tokio, if it gets some of them only, waits for these for ever.
fn find_threads(workers: usize) -> io::Result<()> {
    thread::scope(|scope| {
        let mut held = Vec::with_capacity(workers);
        for _ in 0..workers {
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

impl LazyRuntime {
    /// The runtime as the surroundings of a function.
    fn surroundings(&self) -> Result<&Handle, NoRuntimeContext> {
        self.handle().map_err(|error| {
            tracing::error!("could not start an async runtime: {error}");
            NoRuntimeContext
        })
    }
}

impl RuntimeContext for LazyRuntime {
    fn enter(&self, _: Execution, run: &mut dyn FnMut()) -> Result<(), NoRuntimeContext> {
        let _inside = self.surroundings()?.enter();
        run();
        Ok(())
    }
}

/// The runtime of calls in process, whose async functions are polled on the thread of the caller.
#[derive(Debug)]
struct InProcess(LazyRuntime);

impl RuntimeContext for InProcess {
    fn enter(&self, execution: Execution, run: &mut dyn FnMut()) -> Result<(), NoRuntimeContext> {
        if execution == Execution::Async && Handle::try_current().is_err() {
            // So that it can no more block on the runtime than where a transport polls it. Within layers it is polled on
            // the runtime already.
            self.0.surroundings()?.block_on(async { run() });
            return Ok(());
        }
        self.0.enter(execution, run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_looked_for_and_given_back() {
        // Were they not, this would not end.
        find_threads(WORKERS).unwrap();
    }

    #[cfg(feature = "stdio")]
    #[test]
    fn what_is_shut_down_stays_so() {
        for is_used in [false, true] {
            let runtime = LazyRuntime::new(1);
            assert!(!is_used || runtime.enter(Execution::Inline, &mut || ()).is_ok());
            runtime.shut_down();
            assert!(runtime.enter(Execution::Inline, &mut || ()).is_err());
            assert!(runtime.spawn(async {}).is_err());
        }
    }
}
