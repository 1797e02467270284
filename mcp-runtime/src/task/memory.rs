//! Tasks in memory: the default, for tasks that may end with their process.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::store::{LeaseOwner, StoreFuture, StoredTask, TaskLease, TaskQuota, TaskStore};
use super::{TaskId, TaskStoreError};

/// Keeps tasks in memory, as long as the process lives.
#[derive(Default)]
pub struct MemoryTaskStore(Mutex<BTreeMap<TaskId, StoredTask>>);

impl fmt::Debug for MemoryTaskStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryTaskStore({} tasks)", self.tasks().len())
    }
}

impl MemoryTaskStore {
    /// A store without tasks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn tasks(&self) -> MutexGuard<'_, BTreeMap<TaskId, StoredTask>> {
        // Nothing that runs under the lock can leave the map half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TaskStore for MemoryTaskStore {
    fn create(&self, task: StoredTask, quota: TaskQuota, now: u64) -> StoreFuture<'_, ()> {
        let mut tasks = self.tasks();
        let created = check(&tasks, &task, quota, now).map(|()| {
            tasks.insert(task.id, task);
        });
        done(created)
    }

    fn load(&self, id: TaskId) -> StoreFuture<'_, Option<StoredTask>> {
        done(Ok(self.tasks().get(&id).cloned()))
    }

    fn replace(&self, task: StoredTask) -> StoreFuture<'_, bool> {
        let mut tasks = self.tasks();
        let replaced = match tasks.get_mut(&task.id) {
            Some(kept) if kept.version == task.version => {
                let lease = kept.lease.filter(|_| task.is_active);
                *kept = StoredTask {
                    version: task.version + 1,
                    principal: kept.principal.take(),
                    lease,
                    ..task
                };
                true
            }
            _ => false,
        };
        done(Ok(replaced))
    }

    fn claim(&self, lease: TaskLease, now: u64, most: usize) -> StoreFuture<'_, Vec<StoredTask>> {
        let mut tasks = self.tasks();
        let free = tasks
            .values_mut()
            .filter(|task| task.is_active && !has_expired(task, now))
            .filter(|task| task.lease.is_none_or(|lease| lease.until < now))
            .take(most);
        let claimed = free.map(|task| {
            task.lease = Some(lease);
            task.version += 1;
            task.clone()
        });
        done(Ok(claimed.collect()))
    }

    fn renew(&self, lease: TaskLease) -> StoreFuture<'_, Vec<(TaskId, u64)>> {
        let mut tasks = self.tasks();
        let held = tasks.values_mut().filter_map(|task| {
            let held = task.lease.as_mut().filter(|it| it.owner == lease.owner)?;
            held.until = lease.until;
            Some((task.id, task.version))
        });
        done(Ok(held.collect()))
    }

    fn release(&self, owner: LeaseOwner) -> StoreFuture<'_, ()> {
        for task in self.tasks().values_mut() {
            task.lease = task.lease.filter(|lease| lease.owner != owner);
        }
        done(Ok(()))
    }

    fn purge(&self, now: u64) -> StoreFuture<'_, usize> {
        let mut tasks = self.tasks();
        let before = tasks.len();
        tasks.retain(|_, task| !has_expired(task, now));
        done(Ok(before - tasks.len()))
    }
}

fn has_expired(task: &StoredTask, now: u64) -> bool {
    task.expires_at.is_some_and(|expires_at| expires_at < now)
}

fn check(
    tasks: &BTreeMap<TaskId, StoredTask>,
    task: &StoredTask,
    quota: TaskQuota,
    now: u64,
) -> Result<(), TaskStoreError> {
    if tasks.contains_key(&task.id) {
        return Err(TaskStoreError::Unavailable(
            "a task of the id is there already".to_owned(),
        ));
    }
    // Who has few tasks among all is not counted.
    if tasks.len() < quota.active.min(quota.stored) {
        return Ok(());
    }
    let (mut active, mut stored) = (0, 0);
    for other in tasks.values() {
        if other.principal == task.principal && !has_expired(other, now) {
            stored += 1;
            active += usize::from(other.is_active);
        }
    }
    if active >= quota.active {
        Err(TaskStoreError::TooManyActive(quota.active))
    } else if stored >= quota.stored {
        Err(TaskStoreError::TooManyStored(quota.stored))
    } else {
        Ok(())
    }
}

/// Everything is done by the time that the future is made.
fn done<'a, T: Send + 'a>(result: Result<T, TaskStoreError>) -> StoreFuture<'a, T> {
    Box::pin(std::future::ready(result))
}
