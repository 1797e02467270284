//! What a function has to say of the task that it is, or wants to become.

use std::convert::Infallible;
use std::future::poll_fn;
use std::task::Poll;

use serde_json::Value;

use super::wakers::Wishes;
use super::{Context, Waiting};
use crate::convert::ToolError;
use crate::dispatch::TraceContext;
use crate::dispatch::conversation::RoundEnded;
use crate::dispatch::conversation::{enclosing_step, failed};
use crate::protocol::TASKS_EXTENSION;
use crate::protocol::{Capability, PROTOCOL_VERSION, key};

/// A wish to go on as a task, until nobody waits for it any longer.
struct Wish<'c> {
    context: &'c Context,
    is_spawned: bool,
}

impl<'c> Wish<'c> {
    fn new(context: &'c Context) -> Self {
        let is_spawned = !context.is_polled_here();
        *Self::count(&mut context.watch().wishes, is_spawned) += 1;
        Self {
            context,
            is_spawned,
        }
    }

    fn count(wishes: &mut Wishes, is_spawned: bool) -> &mut usize {
        if is_spawned {
            &mut wishes.spawned
        } else {
            &mut wishes.own
        }
    }
}

impl Drop for Wish<'_> {
    fn drop(&mut self) {
        *Self::count(&mut self.context.watch().wishes, self.is_spawned) -= 1;
    }
}

/// Tasks.
impl Context {
    /// Goes on as a task, if the client can do with one: the call is answered, and what follows runs beside others.
    ///
    /// For tools with `#[mcp_tool(task = "deferred")]`, which have something to ask or to check before they know that there
    /// is a long way to go. The function runs again from the top, inside the task, and comes here with all answers and
    /// results of [`once`](Self::once) in its hands. With a client that does not know tasks, it goes on as the call.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    ///
    /// /// Deploy a release.
    /// #[mcp_tool(task = "deferred")]
    /// async fn deploy(release: String, ctx: &Context) -> Result<String, ToolError> {
    ///     let checked = ctx.once("check", async { Ok::<_, ToolError>(!release.is_empty()) }).await?;
    ///     if !checked {
    ///         return Err(ToolError::new("there is no such release"));
    ///     }
    ///     ctx.into_task().await?;
    ///     ctx.status("copying");
    ///     Ok(format!("{release} is deployed"))
    /// }
    ///
    /// # fn main() -> Result<(), BuildError> {
    /// let server = mcp_runtime::server!().build()?;
    /// // This client does not know tasks.
    /// assert_eq!(server.call_blocking("deploy", serde_json::json!({"release": "1.2"})).text(), "1.2 is deployed");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A call of another tool fails here (−32603), whatever the client, since nobody was told that it may become a task; and so does one that comes
    /// here within a [`once`](Self::once), which its next run would skip. So does one whose task
    /// cannot be created, since too many run or the store fails. Like any call that fails it loses the steps of its own round,
    /// which a client that sends the round once more has run again: what must not happen twice belongs behind this line.
    ///
    /// # Errors
    ///
    /// None in the function itself, which is dropped here where it does not go on. A future that it has spawned outlives its
    /// call, and is told so (−32603); inside the task, the function spawns another one. While a step runs, which
    /// may wait for that future, the call fails instead of waiting for both.
    pub async fn into_task(&self) -> Result<(), ToolError> {
        if let Some(step) = self.begun_conversation().and_then(enclosing_step) {
            // The call fails where it is polled, if it has not already.
            let _ = self.0.wants_task_within.set(step);
            return Err(self.wait_for_task().await);
        }
        let extension = Capability::extension(TASKS_EXTENSION);
        // Who has not said that it may be a task fails with every client, so that a test shows it, too.
        let is_call = self.0.may_be_task && !self.supports(&extension);
        if is_call || self.0.control.task().is_some() {
            return Ok(());
        }
        let _wish = Wish::new(self);
        Err(self.wait_for_task().await)
    }

    /// Waits for whoever polls the call, who does not come back here; what the function has spawned hears of the end of the
    /// call.
    async fn wait_for_task(&self) -> ToolError {
        let mut waiting = Waiting::new(self);
        let ended = poll_fn(|task| {
            waiting.poll(task, |context, _| {
                context.attend();
                Poll::<Infallible>::Pending
            })
        });
        match ended.await {
            Err(RoundEnded) => failed(
                "the call that was to go on as a task has ended, or goes on as one, in which its function runs \
                 again from the top: what it had spawned before goes on in neither"
                    .to_owned(),
            ),
        }
    }

    /// The step within which the function wants to go on as a task.
    pub(in crate::dispatch) fn wants_task_within(&self) -> Option<&str> {
        self.0.wants_task_within.get().map(String::as_str)
    }

    /// Whether the function, or what it has spawned, wants to go on as a task.
    pub(in crate::dispatch) fn wants_task(&self) -> bool {
        let Wishes { own, spawned } = self.watch().wishes;
        own + spawned > 0
    }

    /// Whether what the function has spawned wants to, for which it may be waiting.
    pub(in crate::dispatch) fn wants_task_elsewhere(&self) -> bool {
        self.watch().wishes.spawned > 0
    }

    /// The metadata of the request, without what belongs to one exchange alone: progress and log messages.
    pub(in crate::dispatch) fn lasting_meta(&self) -> Value {
        let mut meta = self.0.other_meta.clone().unwrap_or_default();
        let fields = self.trace_context().into_iter();
        for (name, value) in fields.flat_map(TraceContext::fields) {
            meta.insert(name.to_owned(), value.into());
        }
        meta.insert(key::PROTOCOL_VERSION.to_owned(), PROTOCOL_VERSION.into());
        let capabilities = self.client_capabilities();
        meta.insert(key::CLIENT_CAPABILITIES.to_owned(), capabilities);
        if let Some(info) = &self.0.client_info
            && let Ok(info) = serde_json::from_str(info)
        {
            meta.insert(key::CLIENT_INFO.to_owned(), info);
        }
        meta.into()
    }

    /// Tells clients that watch the task what it is at, in words for people; in a plain call it does nothing.
    ///
    /// It never waits. The text is kept with the task when the tool next waits for something, so of several in a row the
    /// last one is. Of a text of more than 1,024 bytes the beginning is kept, with an ellipsis: clients get it whenever they look
    /// at the task.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    ///
    /// /// Build everything.
    /// #[mcp_tool(task)]
    /// async fn build_all(parts: Vec<String>, ctx: &Context) -> String {
    ///     for part in &parts {
    ///         ctx.status(format!("building {part}"));
    ///     }
    ///     format!("built {} parts", parts.len())
    /// }
    /// ```
    pub fn status(&self, text: impl Into<String>) {
        if let Some(task) = self.0.control.task() {
            task.set_status(text.into());
        }
    }
}
