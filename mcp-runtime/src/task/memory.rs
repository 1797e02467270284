//! Tasks in memory: the default, for tasks that may end with their process.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::store::{LeaseOwner, StoreFuture, StoredTask, TaskLease, TaskQuota, TaskStore};
use super::{TaskId, TaskStoreError};

/// Keeps tasks in memory, as long as the process lives.
#[derive(Default)]
pub struct MemoryTaskStore(Mutex<Tables>);

/// All tasks, and what a new one is judged by, so that nobody has to count.
#[derive(Default)]
struct Tables {
    tasks: BTreeMap<TaskId, StoredTask>,
    /// Each principal that has tasks.
    counts: HashMap<Option<String>, Count>,
    /// The tasks that expire, the first one first.
    expiries: BTreeSet<(u64, TaskId)>,
    /// The tasks that have ended, by the order of their ends.
    ends: HashMap<TaskId, u64>,
    /// How often a task has ended.
    last_end: u64,
}

/// The tasks of a principal.
#[derive(Default)]
struct Count {
    active: usize,
    stored: usize,
    /// Those that have ended, the first one first.
    ended: BTreeMap<u64, TaskId>,
}

impl fmt::Debug for MemoryTaskStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryTaskStore({} tasks)", self.kept().tasks.len())
    }
}

impl MemoryTaskStore {
    /// A store without tasks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn kept(&self) -> MutexGuard<'_, Tables> {
        // Nothing that runs under the lock panics, so no part of it is behind the others.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tables {
    fn insert(&mut self, task: StoredTask) {
        let count = self.counts.entry(task.principal.clone()).or_default();
        count.stored += 1;
        count.active += usize::from(task.is_active);
        if !task.is_active {
            self.last_end += 1;
            self.ends.insert(task.id, self.last_end);
            count.ended.insert(self.last_end, task.id);
        }
        self.expiries
            .extend(task.expires_at.map(|expires_at| (expires_at, task.id)));
        self.tasks.insert(task.id, task);
    }

    fn remove(&mut self, id: TaskId) -> Option<StoredTask> {
        let task = self.tasks.remove(&id)?;
        if let Some(count) = self.counts.get_mut(&task.principal) {
            count.stored -= 1;
            count.active -= usize::from(task.is_active);
            if let Some(end) = self.ends.remove(&id) {
                count.ended.remove(&end);
            }
            if count.stored == 0 {
                self.counts.remove(&task.principal);
            }
        }
        if let Some(expires_at) = task.expires_at {
            self.expiries.remove(&(expires_at, id));
        }
        Some(task)
    }

    /// Forgets what has expired, and tells how much that was.
    fn purge(&mut self, now: u64) -> usize {
        let mut purged = 0;
        while let Some(&(expires_at, id)) = self.expiries.first()
            && expires_at < now
        {
            self.remove(id);
            purged += 1;
        }
        purged
    }

    /// The tasks that have expired and are not forgotten yet.
    fn expired(&self, now: u64) -> impl Iterator<Item = &StoredTask> {
        let expired = self.expiries.iter().take_while(move |(at, _)| *at < now);
        expired.filter_map(|(_, id)| self.tasks.get(id))
    }

    /// What has to go for a new task, if that may come.
    fn check(
        &self,
        task: &StoredTask,
        quota: TaskQuota,
        now: u64,
    ) -> Result<Vec<TaskId>, TaskStoreError> {
        if self.tasks.contains_key(&task.id) {
            return Err(TaskStoreError::Unavailable(
                "a task of the id is there already".to_owned(),
            ));
        }
        let none = Count::default();
        let count = self.counts.get(&task.principal).unwrap_or(&none);
        let (mut active, mut stored) = (count.active, count.stored);
        // What has expired matters only to who seems to have too many.
        if active >= quota.active || stored >= quota.stored {
            let principal = &task.principal;
            for expired in self.expired(now).filter(|it| it.principal == *principal) {
                stored -= 1;
                active -= usize::from(expired.is_active);
            }
        }
        if active >= quota.active {
            return Err(TaskStoreError::TooManyActive(quota.active));
        }
        let surplus = (stored + 1).saturating_sub(quota.stored);
        if surplus > stored - active {
            return Err(TaskStoreError::TooManyStored(quota.stored));
        }
        let is_kept = |id: &&TaskId| self.tasks.get(id).is_some_and(|it| !has_expired(it, now));
        let ended = count.ended.values().filter(is_kept);
        Ok(ended.take(surplus).copied().collect())
    }
}

impl TaskStore for MemoryTaskStore {
    fn create(&self, task: StoredTask, quota: TaskQuota, now: u64) -> StoreFuture<'_, ()> {
        let mut kept = self.kept();
        let checked = kept.check(&task, quota, now);
        done(checked.map(|surplus| {
            for id in surplus {
                kept.remove(id);
            }
            kept.insert(task);
        }))
    }

    fn load(&self, id: TaskId) -> StoreFuture<'_, Option<StoredTask>> {
        done(Ok(self.kept().tasks.get(&id).cloned()))
    }

    fn replace(&self, task: StoredTask) -> StoreFuture<'_, bool> {
        let mut kept = self.kept();
        let has_version = |kept: &StoredTask| kept.version == task.version;
        let is_current = kept.tasks.get(&task.id).is_some_and(has_version);
        if is_current && let Some(before) = kept.remove(task.id) {
            kept.insert(StoredTask {
                version: task.version + 1,
                principal: before.principal,
                lease: before.lease.filter(|_| task.is_active),
                ..task
            });
        }
        done(Ok(is_current))
    }

    fn claim(
        &self,
        lease: TaskLease,
        now: u64,
        most: usize,
        except: &[TaskId],
    ) -> StoreFuture<'_, Vec<StoredTask>> {
        let except: HashSet<&TaskId> = except.iter().collect();
        let mut kept = self.kept();
        let free = kept
            .tasks
            .values_mut()
            .filter(|task| task.is_active && !has_expired(task, now))
            .filter(|task| task.lease.is_none_or(|lease| lease.until < now))
            .filter(|task| !except.contains(&task.id))
            .take(most);
        let claimed = free.map(|task| {
            task.lease = Some(lease);
            task.version += 1;
            task.clone()
        });
        done(Ok(claimed.collect()))
    }

    fn renew(&self, lease: TaskLease) -> StoreFuture<'_, Vec<(TaskId, u64)>> {
        let mut kept = self.kept();
        let held = kept.tasks.values_mut().filter_map(|task| {
            let held = task.lease.as_mut().filter(|it| it.owner == lease.owner)?;
            held.until = lease.until;
            Some((task.id, task.version))
        });
        done(Ok(held.collect()))
    }

    fn release(&self, owner: LeaseOwner, only: Option<TaskId>) -> StoreFuture<'_, ()> {
        for task in self.kept().tasks.values_mut() {
            let is_meant = only.is_none_or(|id| id == task.id);
            task.lease = task.lease.filter(|lease| lease.owner != owner || !is_meant);
        }
        done(Ok(()))
    }

    fn purge(&self, now: u64) -> StoreFuture<'_, usize> {
        done(Ok(self.kept().purge(now)))
    }
}

fn has_expired(task: &StoredTask, now: u64) -> bool {
    task.expires_at.is_some_and(|expires_at| expires_at < now)
}

/// Everything is done by the time that the future is made.
fn done<'a, T: Send + 'a>(result: Result<T, TaskStoreError>) -> StoreFuture<'a, T> {
    Box::pin(std::future::ready(result))
}
