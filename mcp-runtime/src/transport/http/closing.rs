//! How a server tells its connections that it stops, and learns when they have gone.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::Context;

use tokio::sync::futures::Notified;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// How far the end of a server has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// It serves.
    Serving,
    /// It takes no more requests and finishes what runs.
    Draining,
    /// It drops what still runs.
    Dropped,
}

/// The end of a server, as its connections see it.
#[derive(Debug)]
pub(super) struct Closing {
    stage: AtomicU8,
    told: Notify,
}

/// How many connections there may be.
#[derive(Debug)]
pub(super) struct Room {
    free: Arc<Semaphore>,
    size: u32,
}

/// One connection's share of the room, until it is dropped.
#[derive(Debug)]
pub(super) struct Guard {
    _permit: Option<OwnedSemaphorePermit>,
}

impl Room {
    /// Room for so many, and for one at least.
    pub(super) fn new(most: usize) -> Self {
        let size = u32::try_from(most.clamp(1, Semaphore::MAX_PERMITS)).unwrap_or(u32::MAX);
        Self {
            free: Arc::new(Semaphore::new(size as usize)),
            size,
        }
    }

    /// Returns `true` if one more has to wait.
    pub(super) fn is_full(&self) -> bool {
        self.free.available_permits() == 0
    }

    /// Waits until there is room for one more.
    pub(super) async fn enter(&self) -> Guard {
        Guard {
            // It fails for closed semaphores alone, and this one is never closed.
            _permit: Arc::clone(&self.free).acquire_owned().await.ok(),
        }
    }

    /// Waits until all have gone.
    pub(super) async fn empty(&self) {
        // As above.
        let _all = self.free.acquire_many(self.size).await;
    }
}

impl Closing {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            stage: AtomicU8::new(Stage::Serving as u8),
            told: Notify::new(),
        })
    }

    /// Tells all connections.
    pub(super) fn enter(&self, stage: Stage) {
        self.stage.store(stage as u8, Ordering::SeqCst);
        self.told.notify_waiters();
    }

    /// Listens in one task, whose waker is always the same.
    pub(super) fn listen(&self) -> Signal<'_> {
        Signal {
            closing: self,
            seen: Stage::Serving,
            told: None,
        }
    }

    fn stage(&self) -> Stage {
        let stage = self.stage.load(Ordering::SeqCst);
        [Stage::Dropped, Stage::Draining]
            .into_iter()
            .find(|other| *other as u8 == stage)
            .unwrap_or(Stage::Serving)
    }
}

/// Drops all connections with the future that serves them, if it is dropped before its end.
#[derive(Debug)]
pub(super) struct Tied(pub(super) Arc<Closing>);

impl Drop for Tied {
    fn drop(&mut self) {
        self.0.enter(Stage::Dropped);
    }
}

/// What one connection has heard of the end of its server.
#[derive(Debug)]
pub(super) struct Signal<'c> {
    closing: &'c Closing,
    seen: Stage,
    /// Set once the task has left its waker, so that most looks cost nothing but a load.
    told: Option<Pin<Box<Notified<'c>>>>,
}

impl Signal<'_> {
    /// The stage, if it is another than before.
    pub(super) fn poll_stage(&mut self, context: &mut Context<'_>) -> Option<Stage> {
        if self.told.is_some() && self.closing.stage() == self.seen {
            return None;
        }
        self.wait(context);
        // What is told from here on wakes the task.
        let stage = self.closing.stage();
        (stage != self.seen).then(|| {
            self.seen = stage;
            stage
        })
    }

    fn wait(&mut self, context: &mut Context<'_>) {
        loop {
            let mut told = Box::pin(self.closing.told.notified());
            if told.as_mut().poll(context).is_pending() {
                self.told = Some(told);
                return;
            }
        }
    }
}
