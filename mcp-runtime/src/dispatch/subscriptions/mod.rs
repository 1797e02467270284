//! `subscriptions/listen` (basic/patterns/subscriptions): streams of notifications that stay open.
//!
//! [`filter`] is what a client asks for, [`hub`] knows who listens, [`notifier`] is the handle that tells them, and
//! [`listener`] is the stream that a transport reads from. Nothing here waits or looks at a clock: a transport is woken,
//! and takes what there is to tell when it likes.

mod filter;
mod hub;
mod listener;
mod notifier;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use self::filter::Filter;
pub(in crate::dispatch) use self::hub::WatchedTask;
pub(crate) use self::hub::{Audience, Hub};
use self::hub::{TaskState, Topic};
pub(crate) use self::listener::{Listener, Told};
pub use self::notifier::Notifier;
use super::stages::require_extension;
use super::{Answer, CallControl, Core, DispatchError, Principal, Request};
use crate::bound::Full;
use crate::protocol::{Params, TASKS_EXTENSION};
use crate::task::TaskId;

impl Core {
    /// Answers `subscriptions/listen`: writes the acknowledgement, and hands the stream back.
    pub(super) fn listen(
        self: &Arc<Self>,
        request: &Request<'_>,
        params: &Params<'_>,
        control: &CallControl,
        out: &mut Vec<u8>,
    ) -> Result<Answer, DispatchError> {
        let Some(audience) = control.audience() else {
            return Err(DispatchError::UnknownMethod(
                request.method_name.to_string(),
            ));
        };
        control.begin(None);
        let limits = &self.options.limits;
        let filter = Filter::read(params.notifications, limits.listen_queue)?;
        if filter.needs_tasks {
            require_extension(request, TASKS_EXTENSION)?;
        }
        let fixed_lists = self.options.fixed_lists;
        let registry = self.registry.load();
        let honoured = filter.honoured_by(&registry, fixed_lists, self.tasks.is_some());
        let principal = control.principal().map(Principal::id);
        let place = self.bounds.streams.acquire(control.sender(), 1);
        let place = place.map_err(|Full| DispatchError::TooManyStreams(limits.listen_streams))?;
        let topics = honoured.topics(principal);
        let stream = self.hub.open(audience, topics, place);
        honoured.acknowledge(request.id, out);
        self.tell_present_tasks(honoured.tasks, principal);
        let listener = Listener::new(Arc::clone(self), stream, request.id, control.sender());
        Ok(Answer::Listening(listener))
    }

    /// Tells those who watch a task how it stands in a version: the members of the task, each with a comma before it.
    pub(super) fn tell_task(
        &self,
        id: TaskId,
        principal: Option<&str>,
        version: u64,
        members: impl FnOnce() -> Vec<u8>,
    ) {
        if self.hub.is_silent() {
            return;
        }
        let principal = principal.map(Arc::from);
        let topic = Topic::Task(WatchedTask { id, principal });
        let members = members().into();
        self.hub
            .publish_with(&topic, Some(&TaskState { version, members }));
    }

    /// The tasks that somebody listens to.
    pub(super) fn watched_tasks(&self) -> HashSet<WatchedTask> {
        self.hub.watched_tasks()
    }
}
