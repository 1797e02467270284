//! `subscriptions/listen` (basic/patterns/subscriptions): streams of notifications that stay open.
//!
//! [`filter`] is what a client asks for, [`broadcaster`] knows who listens, [`notifier`] is the handle that tells them, and
//! [`listener`] is the stream that a transport reads from. Nothing here waits or looks at a clock: a transport is woken,
//! and takes what there is to tell when it likes.

mod broadcaster;
mod filter;
mod listener;
mod notifier;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

pub(in crate::dispatch) use self::broadcaster::WatchedTask;
pub(crate) use self::broadcaster::{Broadcaster, SubscriberGroup};
use self::broadcaster::{TaskState, Topic};
use self::filter::Filter;
pub(crate) use self::listener::{Listener, StreamState};
pub use self::notifier::Notifier;
use super::stages::require_extension;
use super::{Answer, CallHandle, Core, DispatchError, Principal, Request};
use crate::bound::Full;
use crate::protocol::{Params, TASKS_EXTENSION};
use crate::task::TaskId;

impl Core {
    /// Answers `subscriptions/listen`: writes the acknowledgement, and hands the stream back.
    pub(super) fn listen(
        self: &Arc<Self>,
        request: &Request<'_>,
        params: &Params<'_>,
        control: &CallHandle,
        out: &mut Vec<u8>,
    ) -> Result<Answer, DispatchError> {
        let Some(subscriber_group) = control.subscriber_group() else {
            return Err(DispatchError::UnknownMethod(
                request.method_name.to_string(),
            ));
        };
        control.begin(None);
        let limits = &self.options.limits;
        let filter = Filter::read(params.notifications, limits.max_watched_resources)?;
        if filter.needs_tasks {
            require_extension(request, TASKS_EXTENSION)?;
        }
        let fixed_lists = self.options.fixed_lists;
        let registry = self.registry.load();
        let honoured = filter.honoured_by(&registry, fixed_lists, self.tasks.is_some());
        let principal = control.principal().map(Principal::id);
        let place = self.bounds.streams.acquire(control.sender(), 1);
        let place =
            place.map_err(|Full| DispatchError::TooManyStreams(limits.max_listen_streams))?;
        let topics = honoured.topics(principal);
        let stream = self.broadcaster.open(subscriber_group, topics, place);
        honoured.acknowledge(request.id, out);
        self.tell_present_tasks(honoured.tasks, principal);
        let listener = Listener::new(Arc::clone(self), stream, request.id, control.sender());
        Ok(Answer::Listening(listener))
    }

    /// The stream by which a session is notified of changed lists; `None` if they do not change, or no stream is left.
    #[cfg(feature = "legacy")]
    pub(crate) fn watch_lists(
        self: &Arc<Self>,
        subscriber_group: &Arc<SubscriberGroup>,
    ) -> Option<Listener> {
        let offers = self.registry.load().offers();
        let lists = [
            (true, Topic::Tools),
            (offers.prompts, Topic::Prompts),
            (offers.resources, Topic::Resources),
        ];
        let offered = lists.into_iter().filter(|(is_offered, _)| *is_offered);
        let topics = offered.map(|(_, topic)| topic).collect();
        let stream = self.watch(subscriber_group, topics).ok()?;
        (!self.options.fixed_lists).then_some(stream)
    }

    /// The stream by which a session is notified of updates of one resource.
    #[cfg(feature = "legacy")]
    pub(crate) fn watch_resource(
        self: &Arc<Self>,
        subscriber_group: &Arc<SubscriberGroup>,
        uri: &str,
    ) -> Result<Listener, DispatchError> {
        super::resources::check(uri)?;
        if super::resources::find(&self.registry.load(), uri).is_none() {
            return Err(DispatchError::UnknownResource(uri.to_owned()));
        }
        self.watch(subscriber_group, Box::new([Topic::Resource(uri.into())]))
    }

    #[cfg(feature = "legacy")]
    fn watch(
        self: &Arc<Self>,
        subscriber_group: &Arc<SubscriberGroup>,
        topics: Box<[Topic]>,
    ) -> Result<Listener, DispatchError> {
        let limit = self.options.limits.max_listen_streams;
        let place = self.bounds.streams.acquire(None, 1);
        let place = place.map_err(|Full| DispatchError::TooManyStreams(limit))?;
        let stream = self.broadcaster.open(subscriber_group, topics, place);
        Ok(Listener::of_session(Arc::clone(self), stream))
    }

    /// Tells those who watch a task how it stands in a version: the members of the task, each with a comma before it.
    pub(super) fn tell_task(
        &self,
        id: TaskId,
        principal: Option<&str>,
        version: u64,
        members: impl FnOnce() -> Vec<u8>,
    ) {
        if self.broadcaster.is_silent() {
            return;
        }
        let principal = principal.map(Arc::from);
        let topic = Topic::Task(WatchedTask { id, principal });
        let members = members().into();
        self.broadcaster
            .publish_with(&topic, Some(&TaskState { version, members }));
    }

    /// The tasks that somebody listens to.
    pub(super) fn watched_tasks(&self) -> HashSet<WatchedTask> {
        self.broadcaster.watched_tasks()
    }
}
