//! Where tasks are kept (extension `io.modelcontextprotocol/tasks`): ids, leases, and stores that survive a crash.
//!
//! Deliberately not here: what a task does, which is the business of `dispatch`. A store keeps text under
//! an id and never looks into it.

mod error;
mod id;
mod memory;
#[cfg(feature = "sqlite")]
mod reply;
mod spawner;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
#[cfg(test)]
pub(crate) mod tests;

pub use self::error::TaskStoreError;
pub use self::id::{NotATaskId, TaskId};
pub use self::memory::MemoryTaskStore;
pub use self::spawner::{TaskFuture, TaskSpawner};
#[cfg(feature = "sqlite")]
pub use self::sqlite::SqliteTaskStore;
pub use self::store::{LeaseOwner, StoreFuture, StoredTask, TaskLease, TaskQuota, TaskStore};
