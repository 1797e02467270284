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
    /// Replacements wait before they are done.
    pub(super) holds_replacements: Arc<AtomicBool>,
    /// The answers to renewals wait.
    holds_renewals: Arc<AtomicBool>,
    /// Claims wait before they are done.
    holds_claims: Arc<AtomicBool>,
    /// The answers to claims wait.
    holds_claimed: Arc<AtomicBool>,
    /// The answers to creations wait.
    holds_created: Arc<AtomicBool>,
    /// Renewals panic.
    panics: AtomicBool,
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
            let created = self.store.create(task, quota, now).await;
            held(&self.holds_created).await;
            created
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
        Box::pin(async move {
            held(&self.holds_replacements).await;
            self.store.replace(task).await
        })
    }

    fn claim(
        &self,
        lease: TaskLease,
        now: u64,
        most: usize,
        except: &[TaskId],
    ) -> StoreFuture<'_, Vec<StoredTask>> {
        let except = except.to_vec();
        Box::pin(async move {
            held(&self.holds_claims).await;
            let claimed = self.store.claim(lease, now, most, &except).await;
            held(&self.holds_claimed).await;
            claimed
        })
    }

    fn renew(&self, lease: TaskLease) -> StoreFuture<'_, Vec<(TaskId, u64)>> {
        assert!(!self.panics.load(Ordering::Relaxed), "as told");
        let renewed = self.store.renew(lease);
        Box::pin(async move {
            held(&self.holds_renewals).await;
            renewed.await
        })
    }

    fn release(&self, owner: LeaseOwner, only: Option<TaskId>) -> StoreFuture<'_, ()> {
        self.store.release(owner, only)
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

/// Begins a task, kills its process, and lets its lease end.
fn orphan(store: &Arc<dyn TaskStore>, world: &Arc<World>) -> String {
    let process = Process::on(store, world);
    let id = process.begin("pass", json!({}));
    process.bench.settle();
    drop(process);
    world.now.fetch_add(60_000, Ordering::Relaxed);
    id
}

#[test]
fn what_is_claimed_behind_the_stop_is_given_back() {
    let (failing, world) = (Arc::new(Failing::default()), world());
    let store: Arc<dyn TaskStore> = Arc::clone(&failing) as Arc<_>;
    let id = orphan(&store, &world);
    let (first, second) = (Process::on(&store, &world), Process::on(&store, &world));
    failing.holds_claims.store(true, Ordering::Relaxed);
    first.core.start_tasks();
    first.bench.settle();
    first.stop();
    failing.holds_claims.store(false, Ordering::Relaxed);
    first.bench.settle();
    second.gate.add_permits(1);
    second.core.start_tasks();
    second.bench.settle();
    assert_eq!(second.get(&id)["status"], "completed");
}

#[test]
fn a_keeper_of_before_the_stop_leaves_alone_what_the_next_one_does() {
    let (failing, world) = (Arc::new(Failing::default()), world());
    let store: Arc<dyn TaskStore> = Arc::clone(&failing) as Arc<_>;
    let id = orphan(&store, &world);
    let (first, other) = (Process::on(&store, &world), Process::on(&store, &world));
    failing.holds_claims.store(true, Ordering::Relaxed);
    first.core.start_tasks();
    first.bench.settle();
    first.stop();
    first.core.start_tasks();
    // The old keeper comes last.
    first.bench.settle();
    first.bench.futures.lock().unwrap().reverse();
    failing.holds_claims.store(false, Ordering::Relaxed);
    first.bench.settle();
    other.gate.add_permits(1);
    other.core.start_tasks();
    other.bench.settle();
    first.gate.add_permits(1);
    first.bench.settle();
    assert_eq!(first.get(&id)["status"], "completed");
    assert_eq!(other.gate.available_permits(), 1, "nobody has passed there");
}

#[test]
fn a_keeper_that_is_lost_is_replaced() {
    let (store, world) = (memory(), world());
    let (first, second) = (Process::on(&store, &world), Process::on(&store, &world));
    first.core.start_tasks();
    // As a spawner does that cannot run anything now.
    first.bench.futures.lock().unwrap().clear();
    let id = first.begin("pass", json!({}));
    second.gate.add_permits(1);
    second.core.start_tasks();
    for _ in 0..60 {
        first.pass(Duration::from_secs(1));
        second.bench.settle();
    }
    assert_eq!(second.get(&id)["status"], "working");
    assert_eq!(
        second.gate.available_permits(),
        1,
        "nobody has passed there"
    );
}

#[test]
fn a_store_that_panics_does_not_end_the_keeper() {
    let (failing, world) = (Arc::new(Failing::default()), world());
    let store: Arc<dyn TaskStore> = Arc::clone(&failing) as Arc<_>;
    let (first, second) = (Process::on(&store, &world), Process::on(&store, &world));
    let id = first.begin("pass", json!({}));
    first.bench.settle();
    failing.panics.store(true, Ordering::Relaxed);
    first.pass(Duration::from_secs(6));
    failing.panics.store(false, Ordering::Relaxed);
    second.gate.add_permits(1);
    second.core.start_tasks();
    for _ in 0..60 {
        first.pass(Duration::from_secs(1));
        second.bench.settle();
    }
    assert_eq!(second.get(&id)["status"], "working");
}

#[test]
fn a_creation_that_is_given_up_late_takes_no_run_away() {
    let store = Arc::new(Failing::default());
    let process = Process::on(&(Arc::clone(&store) as Arc<_>), &world());
    // The keeper has something to renew.
    process.begin("pass", json!({}));
    store.holds_created.store(true, Ordering::Relaxed);
    let params = json!({"name": "hurry"});
    let Sent::Waiting(call) = process.send(None, "tools/call", params, both_capabilities()) else {
        panic!("the store takes its time");
    };
    // It is stored by now, and another owner takes it up.
    process.stop();
    process.core.start_tasks();
    process.bench.settle();
    assert_eq!(process.effects.0.lock().unwrap().len(), 1);
    drop(call);
    process.pass(Duration::from_secs(12));
    assert_eq!(process.effects.0.lock().unwrap().len(), 1, "it has one run");
}

#[test]
fn what_comes_between_a_claim_and_its_run_is_heard_at_once() {
    let store = Arc::new(Failing::default());
    let (shared, world) = (Arc::clone(&store) as Arc<dyn TaskStore>, world());
    let first = Process::on(&shared, &world);
    let id = first.begin("act", json!({}));
    first.bench.settle();
    first.stop();
    let second = Process::on(&shared, &world);
    store.holds_claimed.store(true, Ordering::Relaxed);
    second.core.start_tasks();
    second.bench.settle();
    second.cancel(&id);
    store.holds_claimed.store(false, Ordering::Relaxed);
    second.bench.settle();
    assert_eq!(second.get(&id)["status"], "cancelled");
}
