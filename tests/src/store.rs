//! A store of tasks that tells what it is asked to do.

use std::fmt;

use mcp_runtime::task::{
    LeaseOwner, MemoryTaskStore, StoreFuture, StoredTask, TaskId, TaskLease, TaskQuota, TaskStore,
};

/// What a store is asked to do, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "who listens is to think of each kind"
)]
pub enum RecordedRequest {
    /// To keep a new task, which its process runs if it has a lease.
    Create(TaskId, Option<LeaseOwner>),
    /// To give tasks that nobody runs.
    Claim(LeaseOwner),
    /// To prolong the leases of a process.
    Renew(LeaseOwner),
}

/// A store in memory that tells a function what it is asked to do, before it does it.
pub struct ToldStore {
    tasks: MemoryTaskStore,
    tell: Box<dyn Fn(RecordedRequest) + Send + Sync>,
}

impl ToldStore {
    /// An empty one.
    pub fn new(tell: impl Fn(RecordedRequest) + Send + Sync + 'static) -> Self {
        Self {
            tasks: MemoryTaskStore::new(),
            tell: Box::new(tell),
        }
    }
}

impl fmt::Debug for ToldStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ToldStore").field(&self.tasks).finish()
    }
}

impl TaskStore for ToldStore {
    fn create(&self, task: StoredTask, quota: TaskQuota, now: u64) -> StoreFuture<'_, ()> {
        let owner = task.lease.map(|lease| lease.owner);
        (self.tell)(RecordedRequest::Create(task.id, owner));
        self.tasks.create(task, quota, now)
    }

    fn load(&self, id: TaskId) -> StoreFuture<'_, Option<StoredTask>> {
        self.tasks.load(id)
    }

    fn replace(&self, task: StoredTask) -> StoreFuture<'_, bool> {
        self.tasks.replace(task)
    }

    fn claim(
        &self,
        lease: TaskLease,
        now: u64,
        most: usize,
        except: &[TaskId],
    ) -> StoreFuture<'_, Vec<StoredTask>> {
        (self.tell)(RecordedRequest::Claim(lease.owner));
        self.tasks.claim(lease, now, most, except)
    }

    fn renew(&self, lease: TaskLease) -> StoreFuture<'_, Vec<(TaskId, u64)>> {
        (self.tell)(RecordedRequest::Renew(lease.owner));
        self.tasks.renew(lease)
    }

    fn release(&self, owner: LeaseOwner, only: Option<TaskId>) -> StoreFuture<'_, ()> {
        self.tasks.release(owner, only)
    }

    fn purge(&self, now: u64) -> StoreFuture<'_, usize> {
        self.tasks.purge(now)
    }
}
