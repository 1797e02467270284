//! A call that passes the layers: from the request to its function, and from the function's response back.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::response::{Outcome, write_error_start};
use super::{BlockingWork, BoxError, CallFuture, CallKind, CallRequest, CallResponse, Layers};
use crate::convert::Failure;
use crate::dispatch::call::Call as FunctionCall;
use crate::dispatch::conversation::Conversation;
use crate::dispatch::message::string;
use crate::dispatch::options::cache_members;
use crate::dispatch::resources::find;
use crate::dispatch::stages::{self, Admitted};
use crate::dispatch::target::{CallTarget, Reading};
use crate::dispatch::{
    Answer, CacheScope, CallHandle, Context, Core, DispatchError, Extensions, Opened, PendingCall,
    Request, Routed, Verdict, tools,
};
use crate::exec::Execution;
use crate::json::{WriteError, bounded, write_value};
use crate::jsonrpc::{OwnedRawId, RawId, Shape, write_result_start};
use crate::panic::{Panicked, catch};
use crate::protocol::{Method, Revision, StructuredContent, key};
use crate::registry::Tool;
use crate::schema::Fault;

/// What all clones of a request share.
pub(super) struct Call {
    core: Arc<Core>,
    pub(super) control: Arc<CallHandle>,
    id: OwnedRawId,
    /// The whole message.
    message: Box<[u8]>,
    /// The arguments of the message, copied for the first layer that reads them.
    arguments: OnceLock<Box<RawValue>>,
    /// Faults of the arguments' text, which stand until a layer replaces the arguments.
    argument_faults: Vec<Fault>,
    pub(super) protocol_version: Option<Box<str>>,
    /// The tool of a run of a task.
    pub(super) task: Option<Arc<Tool>>,
    /// The function is a plain one, which may go on after its call.
    is_blocking: bool,
    /// A plain function went on when its caller was dropped.
    is_left_behind: AtomicBool,
    /// By which the function asks, once it has been polled.
    context: Mutex<Option<Context>>,
    /// The place of the call among those in flight.
    place: Mutex<Option<Place>>,
}

/// Something that is dropped when no function of a call runs any more.
pub(crate) type Place = Arc<dyn Any + Send + Sync>;

/// How far a function came at first.
#[derive(Debug)]
pub(crate) enum Begun {
    Written(Vec<u8>),
    Pending(PendingCall),
}

/// A call within its layers.
pub(crate) struct LayeredCall {
    call: Arc<Call>,
    kind: CallKind,
    name: Arc<str>,
    /// `None` once it has ended.
    future: Option<CallFuture>,
}

impl fmt::Debug for LayeredCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LayeredCall({:?} {})", self.kind, self.name)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change under these locks is one assignment.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Core {
    /// The kind and the name, or the URI, of the function that a call reaches through layers.
    ///
    /// `None` without layers, and for requests that pass none.
    pub(in crate::dispatch) fn layered_function<'a>(
        &self,
        Admitted { method, params }: Admitted<'_, 'a>,
    ) -> Option<(CallKind, Cow<'a, str>)> {
        self.layers.as_ref()?;
        let (kind, name) = match method {
            Method::CallTool => (CallKind::Tool, params.name),
            Method::GetPrompt => (CallKind::Prompt, params.name),
            Method::ReadResource => (CallKind::Resource, params.uri),
            _ => return None,
        };
        Some((kind, string(name?)?))
    }

    /// Begins to pass a call to its function through the layers.
    pub(in crate::dispatch) fn call_layers(
        self: &Arc<Self>,
        kind: CallKind,
        name: &str,
        admitted: Admitted<'_, '_>,
        request: &Request<'_>,
        control: &Arc<CallHandle>,
    ) -> PendingCall {
        let (execution, timeout) = match self.declared(admitted) {
            Some((execution, timeout)) => (execution, timeout),
            // Without a function the answer is an error.
            None => (Execution::Inline, self.options.limits.call_timeout),
        };
        control.begin(timeout);
        let is_blocking = execution == Execution::Blocking;
        self.layered(kind, name, None, is_blocking, request, control)
    }

    /// The same for a run of a task.
    pub(in crate::dispatch) fn call_task_layers(
        self: &Arc<Self>,
        tool: &Arc<Tool>,
        request: &Request<'_>,
        control: &Arc<CallHandle>,
    ) -> PendingCall {
        control.begin(tool.timeout.filter(|time| !time.is_zero()));
        let task = Some(Arc::clone(tool));
        self.layered(CallKind::Tool, &tool.name, task, false, request, control)
    }

    fn layered(
        self: &Arc<Self>,
        kind: CallKind,
        name: &str,
        task: Option<Arc<Tool>>,
        is_blocking: bool,
        request: &Request<'_>,
        control: &Arc<CallHandle>,
    ) -> PendingCall {
        let version = match control.session() {
            Some(session) => Some(session.revision.name.into()),
            None => {
                let named = request.metadata().and_then(|meta| meta.protocol_version);
                named.and_then(string)
            }
        };
        let call = Arc::new(Call {
            core: Arc::clone(self),
            control: Arc::clone(control),
            id: request.id.keep(),
            message: request.text.into(),
            arguments: OnceLock::new(),
            argument_faults: request.argument_faults.clone(),
            protocol_version: version.map(Into::into),
            task,
            is_blocking,
            is_left_behind: AtomicBool::new(false),
            context: Mutex::default(),
            place: Mutex::default(),
        });
        let name = Arc::<str>::from(name);
        let request = CallRequest {
            kind,
            name: Arc::clone(&name),
            new_arguments: None,
            extensions: request.extensions.clone(),
            call: Arc::clone(&call),
        };
        PendingCall::Layered(LayeredCall {
            call,
            kind,
            name,
            future: Some(Box::pin(pass(request))),
        })
    }

    /// Answers a call that has passed the layers.
    fn answer_within_layers(
        self: &Arc<Self>,
        request: &Request<'_>,
        control: &Arc<CallHandle>,
        out: &mut Vec<u8>,
    ) -> Answer {
        let admitted = stages::admit(self, request, None, control);
        let served = admitted.and_then(|admitted| self.serve(admitted, request, control, out));
        match self.or_refused(served, request, control, out) {
            Routed::Answer(answer) => answer,
            Routed::List(_) | Routed::NotPermitted(_) => {
                unreachable!("a call of a function is no list, and is permitted here")
            }
        }
    }
}

fn no_arguments() -> Box<RawValue> {
    // An object without members can always be written.
    serde_json::value::to_raw_value(&Map::new()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Passes a call to the outermost layer.
async fn pass(request: CallRequest) -> Result<CallResponse, BoxError> {
    let core = Arc::clone(&request.call.core);
    match &core.layers {
        Some(Layers { service, .. }) => service.clone().oneshot(request).await,
        None => run_function(request).await,
    }
}

/// Runs the function of a call where it is declared to run.
pub(super) async fn run_function(request: CallRequest) -> Result<CallResponse, BoxError> {
    let call = Arc::clone(&request.call);
    let executor = match &call.core.layers {
        Some(layers) if call.is_blocking => Some(Arc::clone(&layers.executor)),
        _ => None,
    };
    let id = call.id.as_raw();
    let frame = loop {
        let begun = match &executor {
            Some(executor) => {
                let mut running = Running::new(&call);
                let begun = executor.run(begin_later(request.clone())).await;
                running.has_ended = true;
                begun.unwrap_or_else(|| call.refuse(&DispatchError::NoRuntime))
            }
            None => request.begin(),
        };
        let frame = match begun {
            Begun::Written(frame) => frame,
            Begun::Pending(mut pending) => {
                poll_fn(|task| {
                    let polled = pending.poll(id, task);
                    if let PendingCall::Function(function) = &pending {
                        *lock(&call.context) = function.context().cloned();
                    }
                    polled
                })
                .await
            }
        };
        if !call.control.runs_again() {
            break frame;
        }
    };
    CallResponse::of_frame(id, frame)
        .ok_or_else(|| "the response of the function cannot be read".into())
}

/// The beginning of a plain function, which keeps the place of its call while it runs.
fn begin_later(request: CallRequest) -> BlockingWork {
    let place = lock(&request.call.place).clone();
    Box::new(move || {
        let _place = place;
        // It may have waited for a thread for longer than its client has.
        if request.call.control.is_cancelled() {
            return request.call.refuse(&DispatchError::TimedOut);
        }
        request.begin()
    })
}

/// A plain function that is waited for.
struct Running<'c> {
    call: &'c Call,
    has_ended: bool,
}

impl<'c> Running<'c> {
    fn new(call: &'c Call) -> Self {
        Self {
            call,
            has_ended: false,
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if !self.has_ended {
            self.call.is_left_behind.store(true, Ordering::Release);
        }
    }
}

impl CallRequest {
    /// Runs the function up to its end, or to the place where it waits for the first time.
    fn begin(&self) -> Begun {
        self.call
            .begin(self.new_arguments.as_deref(), &self.extensions)
    }
}

impl Call {
    /// The arguments of the client.
    pub(super) fn arguments(&self) -> &RawValue {
        self.arguments.get_or_init(|| {
            let mut readable = Vec::new();
            let opened = self.core.open(&self.message, &mut readable);
            let arguments = match &opened {
                Opened::Request(request) => request.params().and_then(|params| params.arguments),
                _ => None,
            };
            let arguments = arguments.filter(|arguments| arguments.get() != "null");
            arguments.map_or_else(no_arguments, RawValue::to_owned)
        })
    }

    fn begin(&self, arguments: Option<&RawValue>, extensions: &Extensions) -> Begun {
        let (core, control) = (&self.core, &self.control);
        let mut readable = Vec::new();
        let Opened::Request(mut request) = core.open(&self.message, &mut readable) else {
            unreachable!("the message was opened as a request before");
        };
        request.extensions = extensions.clone();
        match (&mut request.params, arguments) {
            (Some(Shape::Object(params)), Some(_)) => params.arguments = arguments,
            _ => request.argument_faults.clone_from(&self.argument_faults),
        }
        if let Some(tool) = &self.task {
            return match tools::begin_task_function(core, tool, &request, control) {
                Ok(call) => Begun::Pending(call),
                Err(frame) => Begun::Written(frame),
            };
        }
        let mut out = Vec::new();
        match core.answer_within_layers(&request, control, &mut out) {
            Answer::Written => Begun::Written(out),
            Answer::Pending(call) => Begun::Pending(call),
            Answer::Listening(_) => unreachable!("a call of a function opens no stream"),
        }
    }

    fn refuse(&self, error: &DispatchError) -> Begun {
        let mut out = Vec::new();
        self.core.turn_away(self.id.as_raw(), error, &mut out);
        Begun::Written(out)
    }
}

impl LayeredCall {
    pub(in crate::dispatch) fn poll(
        &mut self,
        id: RawId<'_>,
        task: &mut TaskContext<'_>,
    ) -> Poll<Vec<u8>> {
        let Some(future) = &mut self.future else {
            return Poll::Pending;
        };
        let ended = match catch(|| future.as_mut().poll(task)) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(ended)) => Ok(ended),
            Err(panic) => Err(panic),
        };
        self.drop_future();
        let mut out = Vec::new();
        match ended {
            Ok(Ok(response)) => self.write(response, id, &mut out),
            // The layer's own code writes the text, and may panic.
            Ok(Err(error)) => match catch(move || error.to_string()) {
                Ok(text) => self.write_failure(Failure::Tool(text), id, &mut out),
                Err(panic) => self.write_panic(&panic, id, &mut out),
            },
            Err(panic) => self.write_panic(&panic, id, &mut out),
        }
        let (core, is_tool) = (&self.call.core, self.kind == CallKind::Tool);
        core.bound_answer(is_tool, &self.call.control, id, 0, &mut out);
        Poll::Ready(out)
    }

    pub(in crate::dispatch) fn is_in_step(&self) -> bool {
        let context = lock(&self.call.context);
        let conversation = context.as_ref().and_then(Context::begun_conversation);
        conversation.is_some_and(Conversation::is_in_step)
    }

    /// Returns `true` if its function may go on after the call has ended.
    pub(in crate::dispatch) fn may_be_outlived(&self) -> bool {
        self.call.is_blocking
    }

    /// Keeps the place of the call among those in flight until its function has returned.
    pub(in crate::dispatch) fn hold(&self, place: Place) {
        *lock(&self.call.place) = Some(place);
    }

    /// What is called, if there is such a function.
    fn called(&self) -> Option<CallTarget> {
        let registry = self.call.core.registry.load();
        Some(match self.kind {
            CallKind::Tool => CallTarget::Tool(Arc::clone(registry.tool(&self.name)?)),
            CallKind::Prompt => CallTarget::Prompt(Arc::clone(registry.prompts().get(&self.name)?)),
            CallKind::Resource => CallTarget::Resource(Arc::new(Reading {
                resource: Arc::clone(find(&registry, &self.name)?.0),
                uri: (&*self.name).into(),
                carries_a_round: false,
            })),
        })
    }

    /// Writes the response that came out of the layers.
    fn write(&self, response: CallResponse, id: RawId<'_>, out: &mut Vec<u8>) {
        let (core, control) = (&self.call.core, &self.call.control);
        if !matches!(response.0, Outcome::Error(_)) {
            // A function may have been refused before a layer replaced that.
            control.judge(Verdict::Served);
        }
        match response.0 {
            Outcome::Error(json) => {
                write_error_start(out, id);
                out.extend_from_slice(&json);
                out.push(b'}');
            }
            Outcome::Result(json) => {
                write_result_start(out, id);
                out.extend_from_slice(&json);
                out.push(b'}');
            }
            Outcome::NewResult(members) => match self.complete(members) {
                Ok(mut result) => {
                    write_result_start(out, id);
                    out.append(&mut result);
                    out.push(b'}');
                }
                Err(failure) => self.write_failure(failure, id, out),
            },
            Outcome::NewError(error) => {
                core.write_call_error(&DispatchError::Handler(error), control, id, out);
            }
            Outcome::Failed(text) if self.kind == CallKind::Tool => {
                core.write_failed_call(control, id, &text, out);
            }
            Outcome::Failed(text) => {
                core.write_call_error(&DispatchError::Failed(text), control, id, out);
            }
        }
    }

    /// Writes that a layer panicked, and why, if that is the want of a runtime.
    fn write_panic(&self, panic: &Panicked, id: RawId<'_>, out: &mut Vec<u8>) {
        tracing::error!("a layer around {self:?} panicked: {panic}");
        let layers = self.call.core.layers.as_ref();
        let missing = layers.and_then(|layers| layers.executor.missing_runtime());
        let failure = missing.map_or(Failure::Panic, |text| Failure::Tool(text.to_owned()));
        self.write_failure(failure, id, out);
    }

    /// Writes that the call failed in its layers.
    fn write_failure(&self, failure: Failure, id: RawId<'_>, out: &mut Vec<u8>) {
        let (core, control) = (&self.call.core, &self.call.control);
        match self.called() {
            Some(called) => {
                FunctionCall::new(core, control, called, "{}").write_failure(failure, id, out);
            }
            None => {
                let text = match failure {
                    Failure::Tool(text) if !core.options.mask_errors => text,
                    Failure::Tool(text) => {
                        tracing::warn!("{self:?} failed: {text}");
                        "the call failed".to_owned()
                    }
                    _ => "the call failed".to_owned(),
                };
                core.write_call_error(&DispatchError::Failed(text), control, id, out);
            }
        }
    }

    /// The JSON of a new result, with the members that the protocol requires of every one.
    fn complete(&self, members: Map<String, Value>) -> Result<Vec<u8>, Failure> {
        let unwritable = |error: WriteError| Failure::Tool(error.to_string());
        let mut members = bounded(members).map_err(unwritable)?;
        let core = &self.call.core;
        let result_type = members.get("resultType");
        let is_complete = result_type.is_none_or(|result_type| result_type == "complete");
        if is_complete && let Some(CallTarget::Tool(tool)) = self.called() {
            tools::check_new_result(core, &tool, &members)?;
        }
        let content = match self.kind {
            CallKind::Tool => "content",
            CallKind::Prompt => "messages",
            CallKind::Resource => "contents",
        };
        let mut add = |name: &str, value: Value| {
            members.entry(name).or_insert(value);
        };
        add(content, Value::Array(Vec::new()));
        let revision = core.revision(&self.call.control);
        if revision.is_stateless {
            add("resultType", "complete".into());
            if self.kind == CallKind::Resource {
                let hints = cache_members(Duration::ZERO, CacheScope::Private);
                let hints: Map<String, Value> =
                    serde_json::from_str(&format!("{{{hints}}}")).unwrap_or_default();
                for (name, value) in hints {
                    add(&name, value);
                }
            }
            let info = serde_json::to_value(&core.options.info).unwrap_or_default();
            let meta = members
                .entry("_meta")
                .or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(meta) = meta {
                meta.insert(key::SERVER_INFO.to_owned(), info);
            }
        } else if !revision.is_bare {
            members.remove("resultType");
            self.fit_structured_content(&mut members, revision);
        }
        let mut json = Vec::new();
        write_value(&mut json, &members).map_err(unwritable)?;
        Ok(json)
    }

    /// Gives the structured content of a new result the form of a revision.
    fn fit_structured_content(&self, members: &mut Map<String, Value>, revision: &Revision) {
        let Some(content) = members.remove("structuredContent") else {
            return;
        };
        let is_wrapped = || match self.called() {
            Some(CallTarget::Tool(tool)) => tool.output_is_wrapped(),
            _ => false,
        };
        let content = match revision.structured {
            StructuredContent::Absent => return,
            StructuredContent::Objects if !content.is_object() || is_wrapped() => {
                Value::Object(Map::from_iter([("result".to_owned(), content)]))
            }
            StructuredContent::Objects | StructuredContent::Any => content,
        };
        members.insert("structuredContent".to_owned(), content);
    }

    /// What layers hold may do anything when it is dropped, wherever that is.
    fn drop_future(&mut self) {
        let future = self.future.take();
        if let Err(panic) = catch(|| drop(future)) {
            tracing::error!("a layer around {self:?} panicked: {panic}");
        }
        lock(&self.call.place).take();
        if self.call.is_left_behind.load(Ordering::Acquire) {
            // Nobody waits for the function that goes on.
            self.call.control.cancel();
        }
    }
}

impl Drop for LayeredCall {
    fn drop(&mut self) {
        self.drop_future();
    }
}
