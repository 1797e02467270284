//! Tasks in one SQLite file: they survive the process and its crash, and several processes may share the file.
//!
//! Deliberately not here: a pool of connections. SQLite has one writer, so one thread writes, and one commit, with its
//! one wait for the disk, serves everybody who came while the last one was under way.

mod layout;
mod statement;
mod worker;

use std::fmt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use self::worker::{Access, Worker};
use super::store::{LeaseOwner, StoreFuture, StoredTask, TaskLease, TaskQuota, TaskStore};
use super::{TaskId, TaskStoreError};

/// Keeps tasks in one SQLite file (feature `sqlite`).
///
/// The file is made if it is not there, readable by its owner alone. It is written ahead (WAL) and with
/// `synchronous=FULL`: what was acknowledged survives a crash of the process, of the system, and a loss of power.
/// SQLite puts two files beside it, `-wal` and `-shm`; the three belong together.
///
/// A lock that another process holds is waited for during five seconds; tasks can be looked at meanwhile.
///
/// A file that is deleted, moved away or replaced while it is open is noticed when something is to be stored, such as the
/// next lease. Nothing is stored then, and the log names the file: what is written to a file without a name is lost.
///
/// Processes that share the file hear of each other's answers and cancellations within a third of the
/// [lease](crate::ServerBuilder::task_lease).
///
/// ```
/// use mcp_runtime::task::SqliteTaskStore;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("mcp-task-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let store = SqliteTaskStore::open(folder.join("tasks.sqlite"))?;
/// # drop(store);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
pub struct SqliteTaskStore {
    path: PathBuf,
    worker: Worker,
}

impl fmt::Debug for SqliteTaskStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SqliteTaskStore").field(&self.path).finish()
    }
}

impl SqliteTaskStore {
    /// Opens the file, and makes it if it is not there.
    ///
    /// # Errors
    ///
    /// The file cannot be used, is locked for more than five seconds, is damaged, was written by a newer version of
    /// this library, or is something else. Nothing in it is changed then.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TaskStoreError> {
        let path = path.as_ref();
        let (connection, files) = layout::open(path)?;
        Ok(Self {
            path: path.to_owned(),
            worker: Worker::start(connection, files)?,
        })
    }

    /// Has the worker write something within the next transaction.
    fn submit<'a, T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, TaskStoreError> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        self.submit_to(Access::Write, work)
    }

    fn submit_to<'a, T: Send + 'static>(
        &self,
        access: Access,
        work: impl FnMut(&Connection) -> Result<T, TaskStoreError> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        let receiver = self.worker.submit(access, work);
        Box::pin(async move {
            receiver.await.unwrap_or_else(|| {
                Err(TaskStoreError::Unavailable(
                    "its thread has ended".to_owned(),
                ))
            })
        })
    }
}

impl TaskStore for SqliteTaskStore {
    fn create(&self, task: StoredTask, quota: TaskQuota, now: u64) -> StoreFuture<'_, ()> {
        self.submit(move |connection| statement::create(connection, &task, quota, now))
    }

    fn load(&self, id: TaskId) -> StoreFuture<'_, Option<StoredTask>> {
        self.submit_to(Access::Read, move |connection| {
            statement::load(connection, id)
        })
    }

    fn replace(&self, task: StoredTask) -> StoreFuture<'_, bool> {
        self.submit(move |connection| statement::replace(connection, &task))
    }

    fn claim(
        &self,
        lease: TaskLease,
        now: u64,
        most: usize,
        except: &[TaskId],
    ) -> StoreFuture<'_, Vec<StoredTask>> {
        let except = except.to_vec();
        self.submit(move |connection| statement::claim(connection, lease, now, most, &except))
    }

    fn renew(&self, lease: TaskLease) -> StoreFuture<'_, Vec<(TaskId, u64)>> {
        self.submit(move |connection| statement::renew(connection, lease))
    }

    fn release(&self, owner: LeaseOwner, only: Option<TaskId>) -> StoreFuture<'_, ()> {
        self.submit(move |connection| statement::release(connection, owner, only))
    }

    fn purge(&self, now: u64) -> StoreFuture<'_, usize> {
        self.submit(move |connection| statement::purge(connection, now))
    }
}

#[cfg(test)]
pub(super) mod tests;
