//! Where calls run at first: on the runtime's own workers as long as these are free, else on a thread for what blocks.
//!
//! A plain function may take a microsecond or a minute. Handing each to another thread would cost more than most calls
//! do, so those that have been quick so far, and did not wait, run at once, each in a *lane*, and never on more than
//! half of the workers: the others go on serving. What is beyond that, or has not been quick, goes to threads that may
//! block.
//!
//! One thing is lost while a worker is blocked: it may have been the one that watched the sockets, and the others may
//! be asleep. The *watch*, a thread that looks at the lanes once in a millisecond while calls come in, wakes one of
//! them by an empty task when a call is found in its lane twice. Async functions run outside of the lanes, too, and any
//! may block after a wait, so each stretch that one runs has a place where the watch looks. A plain function that is
//! found in its lane for long is kept from the lanes: it waits, and maybe for a task that this very worker has kept for
//! itself.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::runtime::{Handle, RuntimeFlavor};

use super::call::Place;
use super::outbox::Queue;

/// How often the watch looks; a stalled worker is noticed after one to two of these.
const TICK: Duration = Duration::from_millis(1);
/// The watch sleeps when it has seen no call for this many ticks.
const DROWSY: u32 = 20;
/// A function that is found in its lane again so often does not run in one any more. The system may hold up the thread
/// of a quick one for some milliseconds.
const TOO_LONG: u32 = 50;

/// The lanes of an endpoint, which belong to the runtime that it is first used in.
#[derive(Debug, Default)]
pub(super) struct Lanes(OnceLock<Arc<Shared>>);

struct Shared {
    runtime: Handle,
    /// The lanes, and behind them one place for each worker.
    slots: Box<[Slot]>,
    lanes: usize,
    calls: AtomicU64,
    asleep: AtomicBool,
    watch: OnceLock<Thread>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("slots", &self.slots)
            .finish_non_exhaustive()
    }
}

/// One lane, or one place for what runs on a worker outside of them.
#[derive(Debug, Default)]
struct Slot {
    /// The number of the call in it, or of a stretch of it; 0 if there is none.
    number: AtomicU64,
    /// Whom to tell that the call takes long.
    queue: Mutex<Option<Arc<Queue>>>,
}

impl Slot {
    fn queue(&self) -> MutexGuard<'_, Option<Arc<Queue>>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stretch of a call on this worker, at which the watch looks until it is dropped.
#[derive(Debug)]
pub(super) struct Watched<'l>(&'l Slot);

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        self.0.queue().take();
        self.0.number.store(0, Ordering::Release);
    }
}

impl Lanes {
    /// Takes a lane, if one is free: the right to run a plain function on this worker. To be called in a task.
    pub(super) fn enter(&self, queue: &Arc<Queue>) -> Option<Watched<'_>> {
        let shared = self.here(queue)?;
        shared.take(&shared.slots[..shared.lanes], queue)
    }

    /// Has the watch look at what runs now, be it in a lane or not. To be called in a task.
    pub(super) fn watch(&self, queue: &Arc<Queue>) -> Option<Watched<'_>> {
        let shared = self.here(queue)?;
        shared.take(&shared.slots[shared.lanes..], queue)
    }

    fn here(&self, queue: &Queue) -> Option<&Shared> {
        let shared = self.0.get_or_init(|| Shared::start(&Handle::current()));
        // A service that was moved to another runtime knows nothing of its workers; a connection cannot be moved.
        let is_here = || match queue.place() {
            Place::Task(_) => Handle::current().id() == shared.runtime.id(),
            Place::Line(_) => true,
        };
        (shared.lanes > 0 && is_here()).then_some(&**shared)
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        if let Some(shared) = self.0.take() {
            // The watch holds no lanes; it ends when it finds them gone.
            let watch = shared.watch.get().cloned();
            drop(shared);
            if let Some(watch) = watch {
                watch.unpark();
            }
        }
    }
}

impl Shared {
    /// Takes one of these slots, if one is free.
    fn take<'l>(&self, slots: &'l [Slot], queue: &Arc<Queue>) -> Option<Watched<'l>> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let slot = slots.iter().find(|slot| {
            slot.number
                .compare_exchange(0, number, Ordering::SeqCst, Ordering::Relaxed)
                .is_ok()
        })?;
        *slot.queue() = Some(Arc::clone(queue));
        if self.asleep.load(Ordering::SeqCst) && self.asleep.swap(false, Ordering::SeqCst) {
            self.wake();
        }
        Some(Watched(slot))
    }

    fn start(runtime: &Handle) -> Arc<Self> {
        let workers = match runtime.runtime_flavor() {
            RuntimeFlavor::MultiThread => runtime.metrics().num_workers(),
            // One thread, or a kind that is not known here.
            _ => 1,
        };
        let mut lanes = workers / 2;
        let build = |lanes| {
            Arc::new(Self {
                runtime: runtime.clone(),
                slots: (0..lanes + workers).map(|_| Slot::default()).collect(),
                lanes,
                calls: AtomicU64::new(0),
                asleep: AtomicBool::new(false),
                watch: OnceLock::new(),
            })
        };
        let mut shared = build(lanes);
        if lanes > 0 {
            let watched = Arc::downgrade(&shared);
            let watch = thread::Builder::new()
                .name("mcp-http-watch".into())
                .spawn(move || watch(&watched));
            match watch {
                Ok(watch) => {
                    // It was just made and is set here alone.
                    let _ = shared.watch.set(watch.thread().clone());
                }
                Err(error) => {
                    tracing::warn!("every call is handed to another thread: {error}");
                    lanes = 0;
                    shared = build(lanes);
                }
            }
        }
        shared
    }

    fn wake(&self) {
        if let Some(watch) = self.watch.get() {
            watch.unpark();
        }
    }
}

/// The call that the watch saw in a lane when it last looked.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// The number of a call, or 0.
    number: u64,
    /// How often it was found again.
    again: u32,
}

impl Seen {
    /// Whether nothing more is to be done about the call with this number.
    fn is_done_with(self, number: u64) -> bool {
        number == 0 || (self.number == number && self.again > TOO_LONG)
    }
}

impl Slot {
    /// Looks whether the call that was seen here is here still, and acts on it.
    fn look(&self, seen: &mut Seen, runtime: &Handle) {
        let number = self.number.load(Ordering::SeqCst);
        if number == 0 || number != seen.number {
            *seen = Seen { number, again: 0 };
            return;
        }
        if !matches!(seen.again, 0 | TOO_LONG) {
            seen.again = seen.again.saturating_add(1);
            return;
        }
        // The thread may have been held up between its first step into the lane and its second.
        let queue = self.queue().clone();
        let Some(queue) = queue else {
            return;
        };
        if seen.again == 0 {
            // By now the lane may hold the next call, which then sets a timer without need.
            let _within = runtime.enter();
            queue.tell_blocked();
            runtime.spawn(async {});
        } else if self.number.load(Ordering::SeqCst) == number {
            queue.distrust();
        }
        seen.again += 1;
    }
}

/// Looks at the lanes until they are gone.
fn watch(lanes: &Weak<Shared>) {
    let mut seen = Vec::new();
    let mut calls = 0;
    let mut quiet = 0;
    while let Some(shared) = lanes.upgrade() {
        seen.resize(shared.slots.len(), Seen::default());
        for (slot, seen) in shared.slots.iter().zip(&mut seen) {
            slot.look(seen, &shared.runtime);
        }
        let now = shared.calls.load(Ordering::Relaxed);
        quiet = if now == calls { quiet + 1 } else { 0 };
        calls = now;
        if quiet >= DROWSY {
            shared.asleep.store(true, Ordering::SeqCst);
            // A call that came before the line above has not seen that this thread sleeps.
            let missed = shared.slots.iter().zip(&seen).any(|(slot, seen)| {
                let number = slot.number.load(Ordering::SeqCst);
                !seen.is_done_with(number)
            });
            if !missed {
                drop(shared);
                thread::park();
                quiet = 0;
                continue;
            }
            shared.asleep.store(false, Ordering::SeqCst);
        }
        drop(shared);
        thread::park_timeout(TICK);
    }
}

#[cfg(test)]
mod tests {
    use super::super::outbox::tests::queue;
    use super::*;

    #[tokio::test]
    async fn a_call_that_has_not_come_all_the_way_into_its_lane_is_told_when_it_has() {
        let (slot, mut seen) = (Slot::default(), Seen::default());
        slot.number.store(1, Ordering::SeqCst);
        for _ in 0..3 {
            slot.look(&mut seen, &Handle::current());
            assert_eq!((seen.number, seen.again), (1, 0));
        }
        let queue = Arc::new(queue());
        *slot.queue() = Some(Arc::clone(&queue));
        assert!(!queue.is_slow());
        slot.look(&mut seen, &Handle::current());
        assert!(queue.is_slow());
        assert_eq!((seen.number, seen.again), (1, 1));
    }
}
