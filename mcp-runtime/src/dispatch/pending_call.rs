//! A call whose handler waits for something.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use super::call::Call;
use super::conversation::{AskedRound, Conversation, RoundEnd};
use super::layer::LayeredCall;
use super::run::log_panic;
use super::target::CallTarget;
use super::{CallHandle, Context, Core, DispatchError};
use crate::convert::{Failure, Reply, ToolError};
use crate::jsonrpc::RawId;
use crate::panic::catch;
use crate::refusal_log::Refusal;
use crate::registry::TaskSupport;

/// An async function that holds its thread for longer is named in the log.
const LONGEST_POLL: Duration = Duration::from_millis(100);

const BLOCKED: Refusal = Refusal {
    what: "an async function blocks its thread, and with it other calls",
    option: "make it a plain `fn`, or leave the work to a thread that may block",
};

/// The future of a call, which ends with its reply.
pub type BoxFuture = Pin<Box<dyn Future<Output = Reply> + Send>>;

/// A call that is not done; dropping it stops the handler at the place where it waits.
#[derive(Debug)]
pub(crate) enum PendingCall {
    /// Of a function.
    Function(PendingFunction),
    /// Of layers around a function.
    Layered(LayeredCall),
    /// Of a function that has returned its questions, and is run again with the answers.
    Asked(PendingRound),
}

impl PendingCall {
    /// Polls the call; when it is done, gives the whole response to the request of the id.
    pub(crate) fn poll(&mut self, id: RawId<'_>, task: &mut TaskContext<'_>) -> Poll<Vec<u8>> {
        match self {
            Self::Function(call) => {
                let polled = call.poll(id, task);
                let asked = (polled.is_ready()).then(|| call.call.control.take_asked_round());
                let Some(round) = asked.flatten() else {
                    return polled;
                };
                let Call { core, control, .. } = &call.call;
                *self = Self::asked(core, control, round);
                self.poll(id, task)
            }
            Self::Layered(call) => call.poll(id, task),
            Self::Asked(call) => call.poll(id, task),
        }
    }

    /// Waits for the answers to what a function has returned.
    ///
    /// Once they have come the response is empty, and [`CallHandle::runs_again`] is true.
    pub(super) fn asked(core: &Arc<Core>, control: &Arc<CallHandle>, round: AskedRound) -> Self {
        Self::Asked(PendingRound {
            core: Arc::clone(core),
            control: Arc::clone(control),
            round,
        })
    }

    /// Returns `true` while the handler runs a step whose result is to be remembered, or stores that.
    pub(super) fn is_in_step(&self) -> bool {
        match self {
            Self::Function(call) => call.is_in_step(),
            Self::Layered(call) => call.is_in_step(),
            Self::Asked(_) => false,
        }
    }

    /// Returns `true` if the function may go on after the call has ended, as a plain one within layers may.
    pub(crate) fn may_be_outlived(&self) -> bool {
        match self {
            Self::Function(_) | Self::Asked(_) => false,
            Self::Layered(call) => call.may_be_outlived(),
        }
    }

    /// Keeps a value until a function that may outlive the call has returned.
    pub(crate) fn hold(&self, place: Arc<dyn Any + Send + Sync>) {
        match self {
            Self::Function(_) | Self::Asked(_) => {}
            Self::Layered(call) => call.hold(place),
        }
    }
}

/// Questions that a function has returned, and whose answers it is run again with.
pub(crate) struct PendingRound {
    core: Arc<Core>,
    control: Arc<CallHandle>,
    round: AskedRound,
}

impl fmt::Debug for PendingRound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PendingRound").field(&self.round).finish()
    }
}

impl PendingRound {
    fn poll(&mut self, id: RawId<'_>, task: &mut TaskContext<'_>) -> Poll<Vec<u8>> {
        let mut out = Vec::new();
        match self.round.poll(task) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Ok(earlier)) => self.control.run_again(earlier),
            Poll::Ready(Err(ToolError(failure))) => {
                let called = self.round.called().clone();
                let call = Call::new(&self.core, &self.control, called, "{}");
                call.write_failure(failure, id, &mut out);
            }
        }
        Poll::Ready(out)
    }
}

/// A function that is not done.
pub(crate) struct PendingFunction {
    call: Call<'static>,
    /// `None` once it has ended.
    future: Option<BoxFuture>,
}

impl fmt::Debug for PendingFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PendingFunction({})", self.call.called)
    }
}

impl PendingFunction {
    pub(super) fn new(call: Call<'static>, future: Option<BoxFuture>) -> Self {
        Self { call, future }
    }

    /// Polls the handler; when it is done, gives the whole response to the request of the id.
    fn poll(&mut self, id: RawId<'_>, task: &mut TaskContext<'_>) -> Poll<Vec<u8>> {
        self.call.poll(&mut self.future, id, task)
    }

    /// By which the handler asks, if it has taken it.
    pub(super) fn context(&self) -> Option<&Context> {
        self.call.context()
    }

    fn is_in_step(&self) -> bool {
        let conversation = self.call.context().and_then(Context::begun_conversation);
        conversation.is_some_and(Conversation::is_in_step)
    }
}

impl Drop for PendingFunction {
    fn drop(&mut self) {
        let asking = self.call.context().and_then(Context::begun_conversation);
        if let Some(key) = asking.and_then(Conversation::held_back) {
            tracing::warn!(
                "{} is dropped while a step runs, and its question `{key}` was never sent: a step that has \
                 spawned what asks, and waits for it, waits for ever",
                self.call.called
            );
        }
        self.call.drop_future(&mut self.future);
        self.call.end_context();
    }
}

impl Call<'_> {
    /// Polls the function; when it is done, gives the whole response to the request of the id.
    pub(super) fn poll(
        &mut self,
        future: &mut Option<BoxFuture>,
        id: RawId<'_>,
        task: &mut TaskContext<'_>,
    ) -> Poll<Vec<u8>> {
        let Some(polled) = future else {
            return Poll::Pending;
        };
        if let Some(context) = self.context() {
            context.set_poller(None);
        }
        let polled = {
            let _polled = self.context().map(Context::enter);
            let began = self.core.refusals.now();
            let polled = catch(|| polled.as_mut().poll(task));
            let spent = self.core.refusals.now().saturating_sub(began);
            if spent > LONGEST_POLL {
                self.core.refusals.record(BLOCKED, &self.called);
            }
            polled
        };
        let reply = match polled {
            Ok(Poll::Pending) => {
                let Some(end) = self.end_round(task) else {
                    return self.go_on(future, id, task);
                };
                self.drop_future(future);
                let mut out = Vec::new();
                let written = self.write_round(id, end, &mut out);
                self.or_error(written, id, &mut out);
                self.bound_answer(id, 0, &mut out);
                self.end_context();
                return Poll::Ready(out);
            }
            Ok(Poll::Ready(reply)) => reply,
            Err(panic) => {
                log_panic(&self.called, &panic);
                let mut reply = self.core.begin_reply(self.revision(), Vec::new(), id);
                reply.failure(Failure::Panic);
                reply
            }
        };
        self.drop_future(future);
        Poll::Ready(self.finish(id, 0, reply))
    }

    /// Ends the round, if all that the handler still does is to wait for answers.
    fn end_round(&self, task: &TaskContext<'_>) -> Option<RoundEnd> {
        let context = self.context()?;
        // Before the look, so that whatever is asked behind it is seen on another poll.
        context.set_poller(Some(task.waker().clone()));
        context.begun_conversation()?.end_round()
    }

    /// Waits on, or makes a task of the call, if the handler wants that.
    fn go_on(
        &mut self,
        future: &mut Option<BoxFuture>,
        id: RawId<'_>,
        task: &mut TaskContext<'_>,
    ) -> Poll<Vec<u8>> {
        match self.become_task(id) {
            None => Poll::Pending,
            Some(Ok(creation)) => {
                self.drop_future(future);
                self.end_context();
                *future = Some(creation);
                self.called = CallTarget::Tasks;
                self.poll(future, id, task)
            }
            Some(Err(error)) => {
                self.drop_future(future);
                self.end_context();
                let mut out = Vec::new();
                self.or_error(Err(error), id, &mut out);
                Poll::Ready(out)
            }
        }
    }

    /// The creation of the task that the handler wants to go on as; `None` if it does not, or not yet.
    fn become_task(&self, id: RawId<'_>) -> Option<Result<BoxFuture, DispatchError>> {
        let context = self.context()?;
        if let Some(step) = context.wants_task_within() {
            return Some(Err(DispatchError::Failed(format!(
                "{} wants to go on as a task within the step `{step}`, which later runs skip: \
                 call `into_task` before it or after it",
                self.called
            ))));
        }
        if !context.wants_task() {
            return None;
        }
        let CallTarget::Tool(tool) = &self.called else {
            return Some(Err(self.no_task()));
        };
        if tool.task != TaskSupport::Deferred {
            return Some(Err(self.no_task()));
        }
        let created = self
            .core
            .create_task(tool, &self.arguments, id, context, false);
        if created.is_none() && context.wants_task_elsewhere() {
            return Some(Err(DispatchError::Failed(format!(
                "{} wants to go on as a task in a future that it has spawned, while a step runs that may wait for \
                 it: call `into_task` in the function itself",
                self.called
            ))));
        }
        created
    }

    fn no_task(&self) -> DispatchError {
        DispatchError::Failed(format!(
            "{} cannot go on as a task; that takes `#[mcp_tool(task = \"deferred\")]`",
            self.called
        ))
    }

    /// What the handler holds may do anything when it is dropped, wherever that is.
    fn drop_future(&self, future: &mut Option<BoxFuture>) {
        let future = future.take();
        if let Err(panic) = catch(|| drop(future)) {
            log_panic(&self.called, &panic);
        }
    }
}
