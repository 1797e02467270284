//! Waits on the calling thread, without an async runtime.

#[cfg(not(any(feature = "stdio", feature = "http")))]
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

#[cfg(not(any(feature = "stdio", feature = "http")))]
use crate::bound::Permit;
#[cfg(not(any(feature = "stdio", feature = "http")))]
use crate::dispatch::{Answer, CallHandle, Core, Opened, PendingCall, Permitted, Request};

/// Wakes a thread that is parked.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future, but no longer than a time; `None` if it is not done by then.
pub(crate) fn wait<T>(future: impl Future<Output = T>, time: Duration) -> Option<T> {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    let deadline = Instant::now().checked_add(time);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return Some(value);
        }
        match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
            None => thread::park(),
            Some(Duration::ZERO) => return None,
            Some(left) => thread::park_timeout(left),
        }
    }
}

/// Controls a call that is driven by [`to_end`].
#[cfg(not(any(feature = "stdio", feature = "http")))]
pub(super) fn control() -> CallHandle {
    CallHandle::default()
}

/// Controls a call of a connection in memory, which is polled where its message was received.
#[cfg(not(any(feature = "stdio", feature = "http")))]
pub(crate) fn control_here() -> CallHandle {
    control()
}

/// Polls on the calling thread, again when it is woken and at each deadline that the poll gives, until there is a value.
#[cfg(not(any(feature = "stdio", feature = "http")))]
pub(crate) fn park<T>(mut poll: impl FnMut(&mut Context<'_>) -> Result<T, Option<Instant>>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match poll(&mut context) {
            Ok(value) => return value,
            Err(None) => thread::park(),
            Err(Some(deadline)) => {
                thread::park_timeout(deadline.saturating_duration_since(Instant::now()));
            }
        }
    }
}

/// A deadline, which is kept by waiting on a thread alone: no runtime drives a timer.
#[cfg(not(any(feature = "stdio", feature = "http")))]
#[derive(Debug)]
pub(crate) struct Timer(Instant);

#[cfg(not(any(feature = "stdio", feature = "http")))]
impl Timer {
    pub(crate) fn new(deadline: Instant) -> Self {
        Self(deadline)
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.0
    }

    pub(crate) fn poll(&mut self, _: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

/// Runs what may start a runtime; here there is none that could forbid it.
#[cfg(not(any(feature = "stdio", feature = "http")))]
pub(crate) fn outside_runtimes<T>(run: impl FnOnce() -> T) -> T {
    run()
}

/// What a caller permits that polls calls itself.
#[cfg(not(any(feature = "stdio", feature = "http")))]
pub(super) fn permitted_here() -> Permitted {
    Permitted::All
}

/// Answers a call, as often as its function is to be run again.
#[cfg(not(any(feature = "stdio", feature = "http")))]
pub(crate) async fn answer_on_thread(
    core: &Arc<Core>,
    message: &[u8],
    control: &Arc<CallHandle>,
    _memory: Permit,
) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    loop {
        let mut readable = Vec::new();
        let Opened::Request(request) = core.open(message, &mut readable) else {
            unreachable!("the message was opened as a request before");
        };
        if let Answer::Pending(mut call) = core.answer(&request, control, &mut out) {
            out = poll_fn(|context| call.poll(request.id, context)).await;
        }
        if !control.runs_again() {
            return Some(out);
        }
    }
}

/// Polls the call until it is done or its time is up, and appends its response.
#[cfg(not(any(feature = "stdio", feature = "http")))]
pub(super) fn to_end(
    core: &Core,
    request: &Request<'_>,
    mut call: PendingCall,
    control: &CallHandle,
    out: &mut Vec<u8>,
) {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let deadline = control
        .timeout()
        .and_then(|timeout| Instant::now().checked_add(timeout));
    loop {
        if let Poll::Ready(mut frame) = call.poll(request.id, &mut context) {
            out.append(&mut frame);
            return;
        }
        match deadline {
            None => thread::park(),
            Some(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    control.cancel();
                    core.time_out(request.id, out);
                    return;
                }
                thread::park_timeout(left);
            }
        }
    }
}
