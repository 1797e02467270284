//! What the builder and the server have to say about tasks.

use std::sync::Arc;
use std::time::Duration;

use super::selection::Chosen;
use super::{Server, ServerBuilder, drive};
use crate::dispatch::{Core, Options, TaskOptions, Tasks};
use crate::registry::{Problem, TaskSupport};
use crate::task::{MemoryTaskStore, TaskSpawner, TaskStore};

/// What the builder was told about tasks.
#[derive(Debug, Default)]
pub(super) struct TaskChoice {
    store: Option<Arc<dyn TaskStore>>,
    spawner: Option<Arc<dyn TaskSpawner>>,
    options: TaskOptions,
}

/// Tasks (extension `io.modelcontextprotocol/tasks`), for tools with the key `task`.
impl ServerBuilder {
    /// Keeps tasks in this store; in memory unless set, where they end with the process.
    pub fn task_store(mut self, store: impl TaskStore) -> Self {
        self.tasks.store = Some(Arc::new(store));
        self
    }

    /// Runs tasks with this; see [`TaskSpawner`] for when that is necessary.
    pub fn task_spawner(mut self, spawner: impl TaskSpawner) -> Self {
        self.tasks.spawner = Some(Arc::new(spawner));
        self
    }

    /// Sets how long a task and its result are kept, counted from its beginning; 24 hours unless set, `None` is for as
    /// long as [`tasks_stored`](Self::tasks_stored) has room.
    ///
    /// A task that still runs then is dropped and forgotten like the others.
    pub fn task_ttl(mut self, time: impl Into<Option<Duration>>) -> Self {
        self.tasks.options.ttl = time.into();
        self
    }

    /// Sets how often clients are asked to look at a task; every second unless set, and at least every millisecond.
    pub fn task_poll_interval(mut self, time: Duration) -> Self {
        self.tasks.options.poll_interval = time.max(Duration::from_millis(1));
        self
    }

    /// Sets how long a task waits after its process has died until another takes it up; 15 seconds unless set, and at
    /// least 30 milliseconds.
    ///
    /// A process that lives says so three times in this time, and looks as often for tasks of dead ones, for answers and
    /// cancellations that other processes were sent, and for what clients here listen to there. All processes that share a
    /// store should agree on it, and their clocks should differ by much less.
    pub fn task_lease(mut self, time: Duration) -> Self {
        self.tasks.options.lease = time.max(Duration::from_millis(30));
        self
    }

    /// Bounds what a task may remember, in bytes of JSON: answers and results of [`once`](crate::Context::once); 1 MiB unless
    /// set. What it asks at one time may have as many bytes beside that, and at least 1 MiB.
    ///
    /// The step or the question that would exceed it fails, and with it the task (−32603) unless the tool goes on. Each step
    /// and each answer has everything written again that the task remembers, so a task of many steps is quick only if they
    /// are small: give large results a place of their own, and keep their names.
    pub fn task_journal(mut self, bytes: usize) -> Self {
        self.tasks.options.journal = bytes;
        self
    }

    /// Bounds the tasks of one principal that run at one time; 100 unless set.
    ///
    /// Where callers are not told apart, they share it.
    pub fn tasks_running(mut self, tasks: usize) -> Self {
        self.tasks.options.quota.active = tasks;
        self
    }

    /// Bounds the tasks of one principal that are kept, running or ended; 1,000 unless set.
    ///
    /// When there are as many, a new task takes the place of the one that ended first, whose result is gone then, even if it
    /// would be kept for longer by [`task_ttl`](Self::task_ttl). Where callers are not told apart, they share the bound.
    pub fn tasks_stored(mut self, tasks: usize) -> Self {
        self.tasks.options.quota.stored = tasks;
        self
    }
}

impl TaskChoice {
    /// The tasks of a server with these tools, if there can be any.
    pub(super) fn settle(
        self,
        chosen: &Chosen,
        options: &Options,
    ) -> Result<Option<Tasks>, Problem> {
        let mut tools = chosen
            .tools
            .iter()
            .filter(|tool| tool.task != TaskSupport::Forbidden)
            .peekable();
        if tools.peek().is_none() || !options.profile.answers().has_all_methods {
            return Ok(None);
        }
        let Some(spawner) = self.spawner.or_else(own_spawner) else {
            return Err(Problem::NoTaskSpawner {
                tools: tools.map(|tool| tool.place()).collect(),
            });
        };
        let store = self
            .store
            .unwrap_or_else(|| Arc::new(MemoryTaskStore::new()));
        Ok(Some(Tasks::new(store, spawner, self.options)))
    }
}

#[cfg(any(feature = "stdio", feature = "http"))]
fn own_spawner() -> Option<Arc<dyn TaskSpawner>> {
    Some(Arc::new(super::spawner::OwnRuntime::default()))
}

#[cfg(not(any(feature = "stdio", feature = "http")))]
fn own_spawner() -> Option<Arc<dyn TaskSpawner>> {
    None
}

impl Server {
    /// Takes up the tasks of earlier processes now, where no transport does it, and goes on after a
    /// [`stop_tasks`](Self::stop_tasks).
    ///
    /// Without this, a server that is only called in process takes them up when it is first asked for a task.
    pub fn resume_tasks(&self) {
        self.core().start_tasks();
    }

    /// Has tasks begin no step of [`once`](crate::Context::once) any more, and waits until the running steps are
    /// committed: the first half of an orderly end, to be bounded by a time and followed by
    /// [`stop_tasks`](Self::stop_tasks).
    ///
    /// Tools that run no step are dropped where they wait. The ready-made transports do both when they end.
    pub async fn drain_tasks(&self) {
        self.core().drain_tasks().await;
    }

    /// Drains tasks for no longer than a time, and stops them, on the calling thread.
    pub(crate) fn stop_tasks_within(core: &Core, drain: Duration, time: Duration) {
        if drive::wait(core.drain_tasks(), drain).is_none() {
            tracing::warn!("steps of tasks that did not end in time run again");
        }
        if drive::wait(core.stop_tasks(), time).is_none() {
            tracing::warn!(
                "the task store did not answer in time; tasks wait for the end of their leases"
            );
        }
    }

    /// Runs the shutdown hooks, on the calling thread's time but on no more than this.
    #[cfg(feature = "stdio")]
    pub(crate) fn shut_down_within(&self, time: Duration) {
        if drive::wait(self.shut_down(), time).is_none() {
            tracing::warn!("a shutdown hook did not return in time");
        }
    }

    /// Ends the work on tasks, so that this or another server on the same store can take them up at once.
    ///
    /// Tools are dropped where they wait, and lose nothing that was acknowledged. The ready-made transports do this when
    /// they end; a server that is mounted in a router, or only called in process, has to be told.
    ///
    /// From then on its clients can look at tasks, answer and cancel them, as far as that is done in the store, and calls that
    /// would begin a task are refused (−32603), until [`resume_tasks`](Self::resume_tasks) or a transport that is begun.
    pub async fn stop_tasks(&self) {
        self.core().stop_tasks().await;
    }
}
