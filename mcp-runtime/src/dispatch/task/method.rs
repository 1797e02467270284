//! `tasks/get`, `tasks/update` and `tasks/cancel` (SEP-2663).

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::Tasks;
use super::create::{principal, refusal};
use super::record::TaskRecord;
use crate::convert::Failure;
use crate::dispatch::call::Call;
use crate::dispatch::conversation::read_responses;
use crate::dispatch::message::string;
use crate::dispatch::target::CallTarget;
use crate::dispatch::{Answer, BoxFuture, CallHandle, Core, DispatchError, Request};
use crate::protocol::{Params, Revision};
use crate::task::{StoredTask, TaskId};

impl Core {
    /// Answers `tasks/get`.
    pub(in crate::dispatch) fn get_task(
        self: &Arc<Self>,
        request: &Request<'_>,
        params: &Params<'_>,
        control: &Arc<CallHandle>,
        out: &mut Vec<u8>,
    ) -> Result<Answer, DispatchError> {
        let id = task_id(params)?;
        let (core, principal) = (Arc::clone(self), principal(control));
        let work = async move { core.describe_task(id, principal.as_deref()).await };
        Ok(self.answer_about_tasks(request, control, work, out))
    }

    /// Answers `tasks/update`.
    pub(in crate::dispatch) fn update_task(
        self: &Arc<Self>,
        request: &Request<'_>,
        params: &Params<'_>,
        control: &Arc<CallHandle>,
        out: &mut Vec<u8>,
    ) -> Result<Answer, DispatchError> {
        let id = task_id(params)?;
        let answers = params.input_responses.unwrap_or(RawValue::NULL);
        let answers = read_responses(answers)?;
        let (core, principal) = (Arc::clone(self), principal(control));
        let work = async move {
            let answered = core.answer_task(id, principal.as_deref(), &answers).await;
            answered.map(|()| Vec::new())
        };
        Ok(self.answer_about_tasks(request, control, work, out))
    }

    /// Answers `tasks/cancel`.
    pub(in crate::dispatch) fn cancel_task(
        self: &Arc<Self>,
        request: &Request<'_>,
        params: &Params<'_>,
        control: &Arc<CallHandle>,
        out: &mut Vec<u8>,
    ) -> Result<Answer, DispatchError> {
        let id = task_id(params)?;
        let (core, principal) = (Arc::clone(self), principal(control));
        let work = async move {
            let stopped = core.stop_task(id, principal.as_deref()).await;
            stopped.map(|()| Vec::new())
        };
        Ok(self.answer_about_tasks(request, control, work, out))
    }

    /// The members of a `DetailedTask`, each with a comma before it.
    pub(super) async fn describe_task(
        &self,
        id: TaskId,
        principal: Option<&str>,
    ) -> Result<Vec<u8>, DispatchError> {
        let (_, record) = self.find_task(id, principal).await?;
        let mut members = Vec::new();
        record.write_detailed(id, &mut members);
        Ok(members)
    }

    /// Passes answers on to a task.
    pub(super) async fn answer_task(
        &self,
        id: TaskId,
        principal: Option<&str>,
        answers: &HashMap<String, Box<RawValue>>,
    ) -> Result<(), DispatchError> {
        self.change_task(id, principal, |record| {
            let taken = answers
                .iter()
                .filter(|(key, answer)| record.answer(key, answer));
            taken.count() > 0
        })
        .await
    }

    /// Cancels a task.
    pub(super) async fn stop_task(
        &self,
        id: TaskId,
        principal: Option<&str>,
    ) -> Result<(), DispatchError> {
        self.change_task(id, principal, |record| {
            let is_news = record.is_active() && !record.is_cancelled;
            record.is_cancelled |= is_news;
            is_news
        })
        .await
    }

    /// Tells how tasks stand to whoever begins to listen to them: what has happened before was told to nobody.
    pub(in crate::dispatch) fn tell_present_tasks(
        self: &Arc<Self>,
        ids: Vec<TaskId>,
        principal: Option<&str>,
    ) {
        let Some(tasks) = self.tasks.as_ref().filter(|_| !ids.is_empty()) else {
            return;
        };
        // What other processes do is heard by the keeper.
        self.begin_tasks();
        let (core, principal) = (Arc::clone(self), principal.map(str::to_owned));
        tasks.spawner.spawn(Box::pin(async move {
            for id in ids {
                // One that is not there, or somebody else's, is as silent as before; what else fails is in the log.
                if let Ok((stored, record)) = core.find_task(id, principal.as_deref()).await {
                    record.tell(&core, &stored);
                }
            }
        }));
    }

    /// Answers with what the work gives: the members of a result, each with a comma before it.
    fn answer_about_tasks(
        self: &Arc<Self>,
        request: &Request<'_>,
        control: &Arc<CallHandle>,
        work: impl Future<Output = Result<Vec<u8>, DispatchError>> + Send + 'static,
        out: &mut Vec<u8>,
    ) -> Answer {
        self.begin_tasks();
        let profile = self.options.profile;
        let mut reply = self.begin_reply(Revision::CURRENT, Vec::new(), request.id);
        let future = Box::pin(async move {
            match work.await {
                Ok(members) => reply.typed("complete", &members),
                Err(error) => reply.failure(Failure::Request(error.to_wire(profile))),
            }
            reply
        });
        answer_later(self, request, control, future, out)
    }

    /// The task of an id, if this caller may see it.
    async fn find_task(
        &self,
        id: TaskId,
        principal: Option<&str>,
    ) -> Result<(StoredTask, TaskRecord), DispatchError> {
        let found = self.tasks()?.store.load(id).await;
        let stored = found
            .map_err(|error| refusal(&error))?
            .ok_or(DispatchError::UnknownTask)?;
        let now = self.sealing.environment.unix_millis();
        let is_expired = stored.expires_at.is_some_and(|expires_at| expires_at < now);
        // A task of somebody else's is not even there.
        if is_expired || stored.principal.as_deref() != principal {
            return Err(DispatchError::UnknownTask);
        }
        match TaskRecord::read(&stored) {
            Ok(record) => Ok((stored, record)),
            Err(error) => {
                tracing::error!("the task {id:?} cannot be read: {error}");
                Err(DispatchError::TaskStore)
            }
        }
    }

    /// Changes a task on behalf of a client, if there is something to change, and lets its run know.
    async fn change_task(
        &self,
        id: TaskId,
        principal: Option<&str>,
        mut change: impl FnMut(&mut TaskRecord) -> bool,
    ) -> Result<(), DispatchError> {
        let tasks = self.tasks()?;
        loop {
            let (mut stored, mut record) = self.find_task(id, principal).await?;
            if !change(&mut record) {
                return Ok(());
            }
            record.updated_at = self.sealing.environment.unix_millis();
            stored.content = serde_json::to_string(&record).map_err(|error| {
                tracing::error!("the task {id:?} cannot be written down: {error}");
                DispatchError::TaskStore
            })?;
            let replaced = tasks.store.replace(stored.clone()).await;
            if replaced.map_err(|error| refusal(&error))? {
                stored.version += 1;
                record.tell(self, &stored);
                if let Some(run) = tasks.run(id) {
                    run.learn(stored, record);
                }
                return Ok(());
            }
            // Somebody else was faster, so something has changed, and that cannot go on for ever.
        }
    }

    fn tasks(&self) -> Result<&Tasks, DispatchError> {
        self.tasks.as_ref().ok_or(DispatchError::UnknownTask)
    }
}

/// Answers with what a future writes that waits for the store.
pub(in crate::dispatch) fn answer_later(
    core: &Arc<Core>,
    request: &Request<'_>,
    control: &Arc<CallHandle>,
    future: BoxFuture,
    out: &mut Vec<u8>,
) -> Answer {
    control.begin(core.options.limits.call_timeout);
    Call::new(core, control, CallTarget::Tasks, "{}").poll_once(request.id, future, out)
}

fn task_id(params: &Params<'_>) -> Result<TaskId, DispatchError> {
    let text = params.task_id.and_then(string);
    let text = text.ok_or(DispatchError::Params(
        "taskId is required and must be a string",
    ))?;
    // What this server never gave out is unknown, whatever it looks like.
    text.parse().map_err(|_| DispatchError::UnknownTask)
}
