//! How a call becomes a task: stored before its id is told, and run from then on.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::input_driver::json_size;
use super::record::{Progress, TaskRecord};
use super::run::{self, TaskRun};
use super::tools::{announcement, grant_questions};
use super::{Tasks, Work, millis};
use crate::convert::Failure;
use crate::dispatch::call::Call;
use crate::dispatch::conversation::{ConversationId, Journal};
use crate::dispatch::digest::short_digest;
use crate::dispatch::stages::{declares, require_extension};
use crate::dispatch::{BoxFuture, CallHandle, Context, Core, DispatchError, NoRandomness, Request};
use crate::json::write_str;
use crate::jsonrpc::RawId;
use crate::protocol::{Method, Revision, TASKS_EXTENSION};
use crate::registry::{TaskSupport, Tool, ToolInput};
use crate::task::{StoredTask, TaskId, TaskStoreError};

/// What a tool is, so that a task is never gone on with by another one; `None` if its schema cannot be used.
pub(super) fn digest(tool: &Tool) -> Option<String> {
    let schema = tool.input().ok()?.schema.json();
    Some(short_digest(&[tool.name.as_bytes(), schema.as_bytes()]))
}

/// Makes a task of a call whose tool and client want one from the beginning; `None` for an ordinary call.
///
/// Where tasks are not served each call is an ordinary one, as is one of a client without tasks, unless plain tools stand in
/// for them. A call whose arguments do not fit is left to the ordinary way, which tells what is wrong with them.
pub(in crate::dispatch) fn created_at_once(
    call: &Call<'_>,
    tool: &Tool,
    request: &Request<'_>,
) -> Result<Option<BoxFuture>, DispatchError> {
    let Some(tasks) = &call.core.tasks else {
        return Ok(None);
    };
    let in_session = call.control.session().is_some();
    let is_told = match tool.task {
        TaskSupport::Deferred | TaskSupport::Forbidden => return Ok(None),
        _ if !in_session && declares(request, TASKS_EXTENSION) => false,
        _ if tasks.options.has_tools => true,
        TaskSupport::Required if !in_session => {
            require_extension(request, TASKS_EXTENSION)?;
            false
        }
        TaskSupport::Required | TaskSupport::Optional => return Ok(None),
    };
    let fits =
        |input: &ToolInput| call.core.options.repair || input.schema.accepts_all(&call.arguments);
    if !tool.input().is_ok_and(fits) {
        return Ok(None);
    }
    let context = call.take_context(request);
    let created = call
        .core
        .create_task(tool, &call.arguments, request.id, context, is_told);
    created.transpose()
}

impl Core {
    /// Stores a task, and runs it as soon as it is stored; the future writes the answer to the call.
    ///
    /// A client that does not know tasks is told of it in words. `None` while a step of the call is being run, whose
    /// result must not be lost.
    pub(in crate::dispatch) fn create_task(
        self: &Arc<Self>,
        tool: &Tool,
        arguments: &str,
        id: RawId<'_>,
        context: &Context,
        is_told: bool,
    ) -> Option<Result<BoxFuture, DispatchError>> {
        let (journal, conversation) = match context.begun_conversation() {
            Some(conversation) => conversation.hand_over()?,
            None => (Journal::default(), None),
        };
        let request = message(tool, arguments, id, context, is_told);
        Some(
            self.new_task(tool, request, journal, conversation)
                .map(|(stored, record)| {
                    let principal = context.principal().map(|it| it.id().to_owned());
                    self.begin_tasks();
                    self.store_and_run(
                        StoredTask {
                            principal,
                            ..stored
                        },
                        record,
                        id,
                        is_told.then(|| self.revision(context.control())),
                    )
                }),
        )
    }

    fn new_task(
        &self,
        tool: &Tool,
        request: Box<RawValue>,
        journal: Journal,
        conversation: Option<ConversationId>,
    ) -> Result<(StoredTask, TaskRecord), DispatchError> {
        let (Some(tasks), Some(schema)) = (&self.tasks, digest(tool)) else {
            return Err(DispatchError::BrokenSchema(tool.name.clone().into_owned()));
        };
        let (size, limit) = (json_size(&journal), tasks.options.journal);
        if size > limit {
            return Err(DispatchError::JournalTooLarge { size, limit });
        }
        let environment = &*self.sealing.environment;
        let mut bytes = [0; 16];
        let random = environment.fill_random(&mut bytes);
        let lease = random.and_then(|()| {
            let mut state = tasks.state();
            let works = matches!(state.work, Work::Due | Work::Saved);
            let lease = works.then(|| state.lease(tasks.options.lease, environment));
            lease.transpose()
        });
        let lease = lease.map_err(|NoRandomness| DispatchError::TaskStore)?;
        let lease = lease.ok_or(DispatchError::TasksStopped)?;
        let now = environment.unix_millis();
        let record = TaskRecord {
            tool: tool.name.clone().into_owned(),
            schema,
            request,
            created_at: now,
            updated_at: now,
            ttl: tasks.options.ttl.map(millis),
            poll_interval: millis(tasks.options.poll_interval),
            status_message: None,
            is_cancelled: false,
            progress: Progress::Active(Vec::new()),
            conversation: conversation.unwrap_or(bytes),
            journal,
            answers: BTreeMap::new(),
            subjects: BTreeMap::new(),
        };
        let content = serde_json::to_string(&record).map_err(|error| {
            tracing::error!("a task cannot be written down: {error}");
            DispatchError::TaskStore
        })?;
        let stored = StoredTask {
            expires_at: record.ttl.map(|ttl| now.saturating_add(ttl)),
            lease: Some(lease),
            ..StoredTask::new(TaskId::from_bytes(bytes), content)
        };
        Ok((stored, record))
    }

    fn store_and_run(
        self: &Arc<Self>,
        stored: StoredTask,
        record: TaskRecord,
        id: RawId<'_>,
        told_in: Option<&'static Revision>,
    ) -> BoxFuture {
        let core = Arc::clone(self);
        let revision = told_in.unwrap_or(Revision::CURRENT);
        let mut reply = self.begin_reply(revision, Vec::new(), id);
        Box::pin(async move {
            let Some(tasks) = &core.tasks else {
                unreachable!("only a server with tasks creates one");
            };
            let now = record.created_at;
            let run = Arc::new(TaskRun::new(stored.clone(), record.clone()));
            let owner = run.owner();
            let listed = Unstarted::list(tasks, &run);
            match tasks.store.create(stored, tasks.options.quota, now).await {
                Ok(()) => {
                    let id = run.id;
                    if tasks.state().owner == owner {
                        listed.start();
                        run::spawn(&core, tasks, run);
                    } else if let Some(owner) = owner {
                        // The server was stopped meanwhile; the task waits for whoever works next.
                        drop(listed);
                        tasks.give_back(owner, None).await;
                    }
                    if told_in.is_some() {
                        reply.text(&announcement(id));
                    } else {
                        let mut members = Vec::new();
                        record.write_task(id, &mut members);
                        reply.typed("task", &members);
                    }
                }
                Err(error) => {
                    let error = refusal(&error);
                    core.log_refusal(&error);
                    let error = error.to_wire(core.options.profile);
                    reply.failure(Failure::Request(error));
                }
            }
            reply
        })
    }
}

/// A run that stands in the list before its task is stored, so that nobody else begins one.
struct Unstarted<'t> {
    tasks: &'t Tasks,
    run: Option<Arc<TaskRun>>,
}

impl<'t> Unstarted<'t> {
    fn list(tasks: &'t Tasks, run: &Arc<TaskRun>) -> Self {
        tasks.state().runs.insert(run.id, Arc::clone(run));
        Self {
            tasks,
            run: Some(Arc::clone(run)),
        }
    }

    /// Leaves the run in the list.
    fn start(mut self) {
        self.run = None;
    }
}

impl Drop for Unstarted<'_> {
    /// The creation has failed or was given up; if the task is stored all the same, the keeper finds it.
    fn drop(&mut self) {
        if let Some(run) = &self.run {
            self.tasks.unlist(run);
        }
    }
}

/// What a client is told of a store that refuses or fails; the rest is for the log.
pub(super) fn refusal(error: &TaskStoreError) -> DispatchError {
    match error {
        TaskStoreError::TooManyActive(_) | TaskStoreError::TooManyStored(_) => {
            DispatchError::TooManyTasks(error.to_string())
        }
        _ => {
            tracing::error!("{error}");
            DispatchError::TaskStore
        }
    }
}

/// Whose tasks a caller may see; `None` where callers are not told apart.
pub(super) fn principal(control: &CallHandle) -> Option<String> {
    control.principal().map(|it| it.id().to_owned())
}

/// The request as it is kept: what the tool may know of it, without what belongs to this exchange alone.
fn message(
    tool: &Tool,
    arguments: &str,
    id: RawId<'_>,
    context: &Context,
    is_told: bool,
) -> Box<RawValue> {
    let mut meta = context.lasting_meta();
    if is_told {
        grant_questions(&mut meta);
    }
    let mut text = format!(
        r#"{{"jsonrpc":"2.0","id":{},"method":"{}","params":{{"name":"#,
        id.text(),
        Method::CallTool.name()
    )
    .into_bytes();
    write_str(&mut text, &tool.name);
    text.extend_from_slice(br#","arguments":"#);
    text.extend_from_slice(arguments.as_bytes());
    text.extend_from_slice(br#","_meta":"#);
    text.extend_from_slice(meta.to_string().as_bytes());
    text.extend_from_slice(b"}}");
    match String::from_utf8(text).map(RawValue::from_string) {
        Ok(Ok(message)) => message,
        // Each part is JSON that was read, or a string that was written as JSON.
        Ok(Err(_)) | Err(_) => unreachable!("parts of JSON in a frame of JSON are JSON"),
    }
}
