//! What a store of tasks has to do: little enough that one can be written for any database in an afternoon.
//!
//! Times are milliseconds since the Unix epoch, given by the caller: a store has no clock.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::{TaskId, TaskStoreError};

/// What a method of a [`TaskStore`] gives.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, TaskStoreError>> + Send + 'a>>;

/// Who works on tasks: one server in one process, of 128 random bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LeaseOwner([u8; 16]);

impl LeaseOwner {
    /// Makes an owner of 16 bytes; for a new server they have to be random.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes, for stores.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// The right to work on a task, which ends by itself if its owner does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(
    clippy::exhaustive_structs,
    reason = "a lease is whose it is and until when"
)]
pub struct TaskLease {
    /// Who has it.
    pub owner: LeaseOwner,
    /// When it ends, in milliseconds since the Unix epoch.
    pub until: u64,
}

/// A task as a store keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredTask {
    /// The id under which it is found.
    pub id: TaskId,
    /// Whose it is; `None` where callers are not told apart.
    pub principal: Option<String>,
    /// How often it was written: 0 for a new task, and one more with each [`replace`](TaskStore::replace) and each
    /// [`claim`](TaskStore::claim).
    pub version: u64,
    /// Whether there is still work to do.
    pub is_active: bool,
    /// When it may be forgotten, in milliseconds since the Unix epoch; `None` is never.
    pub expires_at: Option<u64>,
    /// Who works on it.
    pub lease: Option<TaskLease>,
    /// Everything else, as text that a store has no need to understand.
    pub content: String,
}

impl StoredTask {
    /// A new task with work to do.
    #[must_use]
    pub fn new(id: TaskId, content: impl Into<String>) -> Self {
        Self {
            id,
            principal: None,
            version: 0,
            is_active: true,
            expires_at: None,
            lease: None,
            content: content.into(),
        }
    }
}

/// How many tasks a principal may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(
    clippy::exhaustive_structs,
    reason = "a store compares these with what it counts"
)]
pub struct TaskQuota {
    /// The most that are active.
    pub active: usize,
    /// The most that are kept, active or not; the first to end makes room for a new one.
    pub stored: usize,
}

/// A place where tasks are kept.
///
/// [`MemoryTaskStore`](crate::task::MemoryTaskStore) is the default and forgets with its process;
/// `SqliteTaskStore` (feature `sqlite`) keeps them in one file. Write your own for another database.
///
/// Processes that share a store hear of each other through it alone: what one is asked of a task that another runs, an answer
/// or a cancellation, reaches the tool within a third of the [lease](crate::ServerBuilder::task_lease), and so does its news
/// those who listen to the first. `tasks/get` shows at once what stands in the store.
///
/// # What is promised
///
/// - **Durable**: when a future gives `Ok`, a crash loses nothing of it. A future that gives an error has done nothing.
/// - **One writer wins**: [`replace`](Self::replace) writes only over the version that the caller has read, so nothing
///   that was acknowledged to one is overwritten by another, in this process or elsewhere.
/// - **Nobody sees what may still be lost**: no method gives what is not durable yet.
///
/// Futures may be dropped at any time; whether their work was done is then unknown. They must not need an async runtime
/// around them, nor block the thread that polls them for long: a store over a blocking library hands its work to a thread.
pub trait TaskStore: fmt::Debug + Send + Sync + 'static {
    /// Keeps a new task, with the lease that it carries.
    ///
    /// What has expired before `now` does not count against the quota of the task's principal. Where the principal has as many
    /// tasks as are kept, those of them that are no longer active make room: the one that ended first is forgotten first.
    ///
    /// # Errors
    ///
    /// [`TooManyActive`](TaskStoreError::TooManyActive) and [`TooManyStored`](TaskStoreError::TooManyStored) if the
    /// principal has as many as the quota says and no more can make room; any other if the store fails.
    fn create(&self, task: StoredTask, quota: TaskQuota, now: u64) -> StoreFuture<'_, ()>;

    /// Reads a task; `None` if there is none of the id.
    ///
    /// # Errors
    ///
    /// The store fails.
    fn load(&self, id: TaskId) -> StoreFuture<'_, Option<StoredTask>>;

    /// Writes `content`, `is_active` and `expires_at` over a task that still has the version of `task`, and makes the
    /// version one more; `false`, and nothing is written, if it has another or is gone.
    ///
    /// The lease stays as it is, but for a task that is no longer active, which loses it.
    ///
    /// # Errors
    ///
    /// The store fails.
    fn replace(&self, task: StoredTask) -> StoreFuture<'_, bool>;

    /// Gives the lease to its owner for up to `most` active tasks that have none, or one that ended before `now`, and
    /// that have not expired; each gets a version that is one more. Gives these tasks as they are then.
    ///
    /// `except` are tasks that the owner cannot work on, since a newer program has written them: they are left to others.
    ///
    /// # Errors
    ///
    /// The store fails.
    fn claim(
        &self,
        lease: TaskLease,
        now: u64,
        most: usize,
        except: &[TaskId],
    ) -> StoreFuture<'_, Vec<StoredTask>>;

    /// Prolongs every lease of the owner, and gives the ids and versions of all tasks under them.
    ///
    /// The versions stay as they are; they tell the owner which tasks somebody else has changed.
    ///
    /// # Errors
    ///
    /// The store fails.
    fn renew(&self, lease: TaskLease) -> StoreFuture<'_, Vec<(TaskId, u64)>>;

    /// Ends every lease of an owner that stops working, or its lease of one task, so that others need not wait for their
    /// end.
    ///
    /// # Errors
    ///
    /// The store fails.
    fn release(&self, owner: LeaseOwner, only: Option<TaskId>) -> StoreFuture<'_, ()>;

    /// Forgets what has expired before `now`, and tells how much that was.
    ///
    /// # Errors
    ///
    /// The store fails.
    fn purge(&self, now: u64) -> StoreFuture<'_, usize>;
}

/// A store that is shared by several servers of one process.
impl<T: TaskStore + ?Sized> TaskStore for Arc<T> {
    fn create(&self, task: StoredTask, quota: TaskQuota, now: u64) -> StoreFuture<'_, ()> {
        (**self).create(task, quota, now)
    }

    fn load(&self, id: TaskId) -> StoreFuture<'_, Option<StoredTask>> {
        (**self).load(id)
    }

    fn replace(&self, task: StoredTask) -> StoreFuture<'_, bool> {
        (**self).replace(task)
    }

    fn claim(
        &self,
        lease: TaskLease,
        now: u64,
        most: usize,
        except: &[TaskId],
    ) -> StoreFuture<'_, Vec<StoredTask>> {
        (**self).claim(lease, now, most, except)
    }

    fn renew(&self, lease: TaskLease) -> StoreFuture<'_, Vec<(TaskId, u64)>> {
        (**self).renew(lease)
    }

    fn release(&self, owner: LeaseOwner, only: Option<TaskId>) -> StoreFuture<'_, ()> {
        (**self).release(owner, only)
    }

    fn purge(&self, now: u64) -> StoreFuture<'_, usize> {
        (**self).purge(now)
    }
}
