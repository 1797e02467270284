//! What the builder and the server have to say about tasks.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::selection::Chosen;
use super::{Server, ServerBuilder, drive};
use crate::convert::ToolError;
use crate::dispatch::{Context, Core, Options, TaskOptions, Tasks};
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

    /// Adds plain tools for clients that do not know tasks: `task_status`, `task_result`, `task_answer` and `task_cancel`.
    ///
    /// A call of a tool with the key `task` by such a client then returns at once, with the id of its task and a sentence for
    /// the model, so that a long job survives the end of the process in any host. These tools publish no output schema,
    /// since their calls return the sentence.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    ///
    /// /// Build everything.
    /// #[mcp_tool(task)]
    /// async fn build_all() -> &'static str {
    ///     "built"
    /// }
    ///
    /// # fn main() -> Result<(), BuildError> {
    /// let server = mcp_runtime::server!().task_tools().build()?;
    /// let begun = server.call_blocking("build_all", serde_json::json!({}));
    /// assert!(begun.text().contains("task_status"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn task_tools(mut self) -> Self {
        if std::mem::replace(&mut self.tasks.options.has_tools, true) {
            return self;
        }
        let id = || json!({"type": "string", "description": "The id of the task."});
        let of_id = || json!({"type": "object", "properties": {"id": id()}, "required": ["id"], "additionalProperties": false});
        let text =
            |arguments: &Value, name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
        self.register_tool(
            "task_status",
            "Tell how a task stands: its status, and the questions that it waits for.",
            of_id(),
            move |arguments: Value, context: Context| async move {
                context.task_status(&text(&arguments, "id")).await
            },
        )
        .register_tool(
            "task_result",
            "Give the result of a task that is completed.",
            of_id(),
            move |arguments: Value, context: Context| async move {
                context.task_result(&text(&arguments, "id")).await
            },
        )
        .register_tool(
            "task_cancel",
            "Cancel a task.",
            of_id(),
            move |arguments: Value, context: Context| async move {
                context.cancel_task(&text(&arguments, "id")).await?;
                Ok::<_, ToolError>("The task is cancelled.")
            },
        )
        .register_tool(
            "task_answer",
            "Answer a question of a task that waits for input.",
            json!({
                "type": "object",
                "properties": {
                    "id": id(),
                    "key": {"type": "string", "description": "The key of the question among the task's inputRequests."},
                    "action": {"type": "string", "enum": ["accept", "decline", "cancel"], "description": "What the user does with the question."},
                    "content": {"type": "object", "properties": {}, "description": "The answer to a form that is accepted: its fields."},
                },
                "required": ["id", "key", "action"],
                "additionalProperties": false,
            }),
            move |arguments: Value, context: Context| async move {
                let mut answer = json!({"action": arguments["action"]});
                if let Some(content) = arguments.get("content") {
                    answer["content"] = content.clone();
                }
                let key = text(&arguments, "key");
                let is_asked = context
                    .answer_task(&text(&arguments, "id"), &key, &answer)
                    .await?;
                if is_asked {
                    Ok("The answer is passed on.")
                } else {
                    Err(ToolError::new(format!("the task does not ask under the key `{key}`")))
                }
            },
        )
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
    /// Whether clients without tasks have plain tools for them.
    pub(super) fn has_tools(&self) -> bool {
        self.options.has_tools
    }

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
