//! A timer for futures that are polled anywhere: the spawner of tasks rings when it is time.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use crate::dispatch::Core;

/// Who waits for the time, and whether it has come.
#[derive(Debug, Default)]
struct Timer {
    rung: bool,
    waker: Option<Waker>,
}

/// Rings when it is dropped, which a spawner that cannot run anything does, too.
struct TimerGuard(Arc<Mutex<Timer>>);

impl Drop for TimerGuard {
    fn drop(&mut self) {
        let waker = {
            let mut bell = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            bell.rung = true;
            bell.waker.take()
        };
        // Whoever is woken may look at the bell before this returns.
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Waits for a time; not at all on a server without tasks, which has nothing to wait for.
pub(crate) async fn pause(core: &Core, time: Duration) {
    let Some(tasks) = &core.tasks else { return };
    let bell = Arc::<Mutex<Timer>>::default();
    let ringer = TimerGuard(Arc::clone(&bell));
    let spawner = Arc::clone(tasks.spawner());
    tasks.spawner().spawn(Box::pin(async move {
        let _ringer = ringer;
        spawner.sleep(time).await;
    }));
    poll_fn(|context| {
        let waker = context.waker().clone();
        let mut bell = bell.lock().unwrap_or_else(PoisonError::into_inner);
        if bell.rung {
            return Poll::Ready(());
        }
        let other = bell.waker.replace(waker);
        drop(bell);
        drop(other);
        Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::task::Wake;

    use super::*;

    /// Looks whether the bell can be had by whoever is woken.
    struct Look {
        bell: Arc<Mutex<Timer>>,
        found_free: AtomicBool,
    }

    impl Wake for Look {
        fn wake(self: Arc<Self>) {
            let is_free = self.bell.try_lock().is_ok();
            self.found_free.store(is_free, Ordering::Relaxed);
        }
    }

    #[test]
    fn who_is_woken_may_look_at_once() {
        let bell = Arc::<Mutex<Timer>>::default();
        let look = Arc::new(Look {
            bell: Arc::clone(&bell),
            found_free: AtomicBool::new(false),
        });
        bell.lock().unwrap().waker = Some(Waker::from(Arc::clone(&look)));
        drop(TimerGuard(bell));
        assert!(look.found_free.load(Ordering::Relaxed));
    }
}
