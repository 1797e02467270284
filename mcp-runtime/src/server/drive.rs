//! Drives a pending call on the calling thread, for programs without an async runtime.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use crate::dispatch::{CallControl, Core, PendingCall, Request};

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

/// Polls the call until it is done or its time is up, and appends its response.
pub(super) fn to_end(
    core: &Core,
    request: &Request<'_>,
    mut call: PendingCall,
    control: &CallControl,
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
