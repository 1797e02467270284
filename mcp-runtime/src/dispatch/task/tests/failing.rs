//! Stores that fail, and clients that go away.

use serde_json::{Value, json};

use super::*;
use crate::task::{
    LeaseOwner, MemoryTaskStore, StoreFuture, StoredTask, TaskId, TaskLease, TaskQuota, TaskStore,
    TaskStoreError,
};

/// A store that fails as often as it is told, and takes its time.
#[derive(Debug, Default)]
pub(super) struct Failing {
    store: MemoryTaskStore,
    /// How often a task was read.
    pub(super) loads: AtomicU64,
    creations: AtomicU64,
    replacements: AtomicU64,
    /// Creations wait before they are done.
    holds_creations: Arc<AtomicBool>,
    /// The answers to renewals wait.
    holds_renewals: Arc<AtomicBool>,
}

impl Failing {
    fn fails(count: &AtomicU64) -> bool {
        let left = count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(1)
        });
        left.is_ok()
    }
}

/// Waits as long as something is held.
fn held(holds: &Arc<AtomicBool>) -> impl Future<Output = ()> + Send + use<> {
    let holds = Arc::clone(holds);
    std::future::poll_fn(move |_| {
        if holds.load(Ordering::Relaxed) {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    })
}

fn full<'a, T: Send + 'a>() -> StoreFuture<'a, T> {
    let error = TaskStoreError::Full("/secret/path".to_owned());
    Box::pin(std::future::ready(Err(error)))
}

impl TaskStore for Failing {
    fn create(&self, task: StoredTask, quota: TaskQuota, now: u64) -> StoreFuture<'_, ()> {
        if Self::fails(&self.creations) {
            return full();
        }
        Box::pin(async move {
            held(&self.holds_creations).await;
            self.store.create(task, quota, now).await
        })
    }

    fn load(&self, id: TaskId) -> StoreFuture<'_, Option<StoredTask>> {
        self.loads.fetch_add(1, Ordering::Relaxed);
        self.store.load(id)
    }

    fn replace(&self, task: StoredTask) -> StoreFuture<'_, bool> {
        if Self::fails(&self.replacements) {
            return full();
        }
        self.store.replace(task)
    }

    fn claim(&self, lease: TaskLease, now: u64, most: usize) -> StoreFuture<'_, Vec<StoredTask>> {
        self.store.claim(lease, now, most)
    }

    fn renew(&self, lease: TaskLease) -> StoreFuture<'_, Vec<(TaskId, u64)>> {
        let renewed = self.store.renew(lease);
        Box::pin(async move {
            held(&self.holds_renewals).await;
            renewed.await
        })
    }

    fn release(&self, owner: LeaseOwner) -> StoreFuture<'_, ()> {
        self.store.release(owner)
    }

    fn purge(&self, now: u64) -> StoreFuture<'_, usize> {
        self.store.purge(now)
    }
}

#[test]
fn a_task_that_cannot_be_stored_is_not_begun() {
    let store = Arc::new(Failing::default());
    let process = Process::on(&(Arc::clone(&store) as Arc<_>), &world());
    store.creations.store(1, Ordering::Relaxed);
    let call = json!({"name": "greet", "arguments": {"name": "Ada"}});
    let refused = process.ask("tools/call", call);
    assert_eq!(
        refused["error"],
        json!({"code": -32_603, "message": "tasks cannot be stored now"})
    );
    assert!(process.core.tasks.as_ref().unwrap().state().runs.is_empty());
    process.begin("greet", json!({"name": "Ada"}));
}

#[test]
fn a_result_that_cannot_be_stored_waits_until_it_can() {
    let store = Arc::new(Failing::default());
    let process = Process::on(&(Arc::clone(&store) as Arc<_>), &world());
    store.replacements.store(4, Ordering::Relaxed);
    let id = process.begin("greet", json!({"name": "Ada"}));
    process.pass(Duration::from_secs(6));
    assert_eq!(process.get(&id)["status"], "working");
    process.pass(Duration::from_secs(6));
    assert_eq!(
        process.get(&id)["result"]["content"][0]["text"],
        "Hello, Ada!"
    );
}

#[test]
fn a_creation_that_is_given_up_halfway_leaves_no_task_behind_that_nobody_runs() {
    let process = Process::on(&memory(), &world());
    let id = process.begin("pass", json!({}));
    process.bench.settle();
    // As if the client had gone between the store and the first step.
    let tasks = process.core.tasks.as_ref().unwrap();
    let run = tasks.state().runs.remove(&id.parse().unwrap()).unwrap();
    run.abandon();
    process.gate.add_permits(1);
    let other = process.begin("watch", json!({}));
    process.pass(Duration::from_secs(6));
    assert_eq!(process.get(&id)["status"], "completed");
    assert_eq!(process.get(&other)["status"], "working");
}

#[test]
fn a_task_that_is_created_while_leases_are_renewed_is_not_let_go() {
    let store = Arc::new(Failing::default());
    let process = Process::on(&(Arc::clone(&store) as Arc<_>), &world());
    process.begin("watch", json!({}));
    store.holds_creations.store(true, Ordering::Relaxed);
    let call = json!({"name": "pass", "arguments": {}});
    let Sent::Waiting(mut creation) = process.send(None, "tools/call", call, both_capabilities())
    else {
        panic!("it is created already");
    };
    store.holds_renewals.store(true, Ordering::Relaxed);
    process.pass(Duration::from_secs(6));
    store.holds_creations.store(false, Ordering::Relaxed);
    let created: Value = serde_json::from_slice(&poll_through(&mut creation, RawId::NULL)).unwrap();
    store.holds_renewals.store(false, Ordering::Relaxed);
    process.bench.settle();
    process.gate.add_permits(1);
    process.bench.settle();
    let id = created["result"]["taskId"].as_str().unwrap();
    assert_eq!(process.get(id)["status"], "completed");
}
