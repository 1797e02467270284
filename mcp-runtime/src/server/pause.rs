//! A timer for futures that are polled anywhere: the spawner of tasks rings when it is time.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use crate::dispatch::Core;

/// Who waits for the time, and whether it has come.
#[derive(Debug, Default)]
struct Bell {
    rung: bool,
    waker: Option<Waker>,
}

/// Rings when it is dropped, which a spawner that cannot run anything does, too.
struct Ringer(Arc<Mutex<Bell>>);

impl Drop for Ringer {
    fn drop(&mut self) {
        let mut bell = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bell.rung = true;
        if let Some(waker) = bell.waker.take() {
            waker.wake();
        }
    }
}

/// Waits for a time; not at all on a server without tasks, which has nothing to wait for.
pub(super) async fn pause(core: &Core, time: Duration) {
    let Some(tasks) = &core.tasks else { return };
    let bell = Arc::<Mutex<Bell>>::default();
    let ringer = Ringer(Arc::clone(&bell));
    let spawner = Arc::clone(tasks.spawner());
    tasks.spawner().spawn(Box::pin(async move {
        let _ringer = ringer;
        spawner.sleep(time).await;
    }));
    poll_fn(|context| {
        let mut bell = bell.lock().unwrap_or_else(PoisonError::into_inner);
        if bell.rung {
            return Poll::Ready(());
        }
        bell.waker = Some(context.waker().clone());
        Poll::Pending
    })
    .await;
}
