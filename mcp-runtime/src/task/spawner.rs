//! What runs tasks beside the calls.
//!
//! Deliberately not here: which runtime that is. A server with a transport brings one; any other can be given.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// A future that is run to its end by somebody else.
pub type TaskFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Runs the tasks of a server.
///
/// With the feature `stdio` or `http` a server has one of its own, over tokio runtimes that it makes when they are needed: two
/// threads for tasks and one for their leases. A tool that blocks its thread keeps its lease, and holds up other tasks; what
/// blocks for long belongs into `tokio::task::spawn_blocking`.
/// Programs with another runtime give theirs to [`ServerBuilder::task_spawner`](crate::ServerBuilder::task_spawner):
///
/// ```
/// use std::time::Duration;
/// use mcp_runtime::task::{TaskFuture, TaskSpawner};
///
/// #[derive(Debug)]
/// struct OfTokio(tokio::runtime::Handle);
///
/// impl TaskSpawner for OfTokio {
///     fn spawn(&self, future: TaskFuture) {
///         self.0.spawn(future);
///     }
///
///     fn sleep(&self, time: Duration) -> TaskFuture {
///         Box::pin(async move { tokio::time::sleep(time).await })
///     }
/// }
/// ```
///
/// A future that is dropped before its end loses nothing that was acknowledged: its task is run again by the next server
/// on the same store, or by this one once the task's lease has ended.
pub trait TaskSpawner: fmt::Debug + Send + Sync + 'static {
    /// Runs the future, on any thread, beside whoever calls this.
    fn spawn(&self, future: TaskFuture);

    /// Runs the future that renews the leases of this server's tasks, as [`spawn`](Self::spawn) does unless it is written.
    ///
    /// A process that does not renew in time counts as dead, and another one on the same store runs its tasks a second time.
    /// Where tasks may block all threads that run them, this has to be a thread of its own. The server's own spawner has one.
    fn spawn_keeper(&self, future: TaskFuture) {
        self.spawn(future);
    }

    /// A future that ends after a time. It is polled only within futures that were given to [`spawn`](Self::spawn) or
    /// [`spawn_keeper`](Self::spawn_keeper).
    fn sleep(&self, time: Duration) -> TaskFuture;
}
