//! One value from one thread to one future: how the thread of a blocking store answers.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// The two ends of a way for one value.
pub(super) fn reply<T>() -> (Sender<T>, Receiver<T>) {
    let slot = Arc::new(Mutex::new(Slot::Waiting(None)));
    (Sender(Arc::clone(&slot)), Receiver(slot))
}

#[derive(Debug)]
enum Slot<T> {
    Waiting(Option<Waker>),
    Sent(T),
    /// Nothing comes any more: the sender is gone, or the value was taken.
    RoundEnded,
}

/// Sends the value.
#[derive(Debug)]
pub(super) struct Sender<T>(Arc<Mutex<Slot<T>>>);

/// Waits for the value; `None` if the sender was dropped without sending one.
#[derive(Debug)]
pub(super) struct Receiver<T>(Arc<Mutex<Slot<T>>>);

impl<T> Sender<T> {
    pub(super) fn send(self, value: T) {
        self.end(Slot::Sent(value));
    }

    fn end(&self, slot: Slot<T>) {
        let before = std::mem::replace(&mut *lock(&self.0), slot);
        if let Slot::Waiting(Some(waker)) = before {
            waker.wake();
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let waits = matches!(*lock(&self.0), Slot::Waiting(_));
        if waits {
            self.end(Slot::RoundEnded);
        }
    }
}

impl<T> Future for Receiver<T> {
    type Output = Option<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        let mut slot = lock(&self.0);
        match std::mem::replace(&mut *slot, Slot::RoundEnded) {
            Slot::Waiting(_) => {
                *slot = Slot::Waiting(Some(context.waker().clone()));
                Poll::Pending
            }
            Slot::Sent(value) => Poll::Ready(Some(value)),
            Slot::RoundEnded => Poll::Ready(None),
        }
    }
}

/// A slot is replaced as a whole, so it is never seen half changed.
fn lock<T>(slot: &Mutex<Slot<T>>) -> MutexGuard<'_, Slot<T>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn the_future_is_woken_by_the_value_and_by_its_loss() {
        for sends in [true, false] {
            let count = Arc::new(Count::default());
            let waker = Waker::from(Arc::clone(&count));
            let mut context = Context::from_waker(&waker);
            let (sender, receiver) = reply();
            let mut receiver = pin!(receiver);
            assert_eq!(receiver.as_mut().poll(&mut context), Poll::Pending);
            if sends {
                sender.send(7);
            } else {
                drop(sender);
            }
            assert_eq!(count.0.load(Ordering::Relaxed), 1);
            let came = receiver.poll(&mut context);
            assert_eq!(came, Poll::Ready(sends.then_some(7)));
        }
    }

    #[test]
    fn nobody_need_wait() {
        let (sender, receiver) = reply();
        drop(receiver);
        sender.send(7);
    }
}
