//! What a tool may know of the request that it serves.

mod log;
mod task;
#[cfg(test)]
mod tests;
mod wakers;

use std::any::TypeId;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, OnceLock};
use std::task::Poll;
use std::time::Duration;

use serde_json::Value;

pub(super) use self::wakers::Waiting;
use self::wakers::Watch;
use super::call::Call;
use super::conversation::{Conversation, ResumeState};
use super::environment::Environment;
use super::progress::{Progress, ProgressReport};
use super::stages::logging_level;
use super::{CallHandle, Core, Extensions, Limits, Notifier, Principal, Request, TraceContext};
use crate::convert::MissingCapability;
use crate::jsonrpc::RequestId;
use crate::protocol::{Capability, Implementation, LoggingLevel, Meta};

/// The request that a tool serves, and the server that it runs in.
///
/// Take it as a parameter, `&Context` or `Context`, anywhere in the signature; it never appears in the schema.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// /// Count up until somebody loses patience.
/// #[mcp_tool]
/// fn count(ctx: &Context) -> u64 {
///     (0..1_000).take_while(|_| !ctx.is_cancelled()).count() as u64
/// }
/// ```
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    core: Arc<Core>,
    control: Arc<CallHandle>,
    id: Option<RequestId>,
    client_info: Option<Box<str>>,
    client_capabilities: Option<Box<str>>,
    /// Whether clients declare what they can do; where they do not, they are taken to be able to do everything.
    declares_capabilities: bool,
    /// `None` if the client does not want to know.
    progress: Option<ProgressReport>,
    /// The least severe log messages that are sent; `None` if none are.
    log_level: Option<LoggingLevel>,
    /// `None` if the client says nothing of it.
    trace: Option<Box<TraceContext>>,
    /// What the client adds under keys of its own; `None` if that is nothing.
    other_meta: Option<Meta>,
    extensions: Extensions,
    /// When the call began; `None` if its time is not bounded.
    began: Option<Duration>,
    /// What the handler asks; made when it first does, or when the client sends answers.
    conversation: OnceLock<Box<Conversation>>,
    watch: Mutex<Watch>,
    /// Whether the function has said that it may be a task.
    may_be_task: bool,
    /// The step within which the function wants to go on as a task, which it cannot.
    wants_task_within: OnceLock<String>,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("request_id", &self.0.id)
            .finish_non_exhaustive()
    }
}

impl Inner {
    fn new(call: &Call<'_>, request: &Request<'_>, earlier: Option<ResumeState>) -> Self {
        let meta = request.metadata();
        let session = call.control.session();
        let (client_info, client_capabilities) = match session {
            Some(session) => (
                session.client_info.clone(),
                Some(session.capabilities.clone()),
            ),
            None => (
                meta.and_then(|meta| meta.client_info)
                    .map(|info| info.get().into()),
                meta.and_then(|meta| meta.client_capabilities)
                    .map(|capabilities| capabilities.get().into()),
            ),
        };
        let log_level = match session {
            Some(session) => session.log_level(),
            None => meta.and_then(|meta| meta.log_level).and_then(logging_level),
        };
        Self {
            core: Arc::clone(&call.core),
            control: Arc::clone(&call.control),
            id: RequestId::from_json(request.id.text()),
            client_info,
            client_capabilities,
            progress: meta
                .and_then(|meta| meta.progress_token)
                .map(|token| ProgressReport::new(token.get(), call.revision().has_audio)),
            log_level: log_level.filter(|_| call.called.may_log()),
            trace: meta.and_then(TraceContext::read),
            other_meta: request.other_meta(),
            extensions: request.extensions.clone(),
            began: call.control.now(),
            declares_capabilities: call.core.options.profile.answers().needs_meta,
            conversation: earlier.map_or_else(OnceLock::new, |earlier| {
                OnceLock::from(Box::new(Conversation::new(earlier, &call.control)))
            }),
            watch: Mutex::default(),
            may_be_task: call.called.may_be_task(),
            wants_task_within: OnceLock::new(),
        }
    }
}

impl Context {
    pub(super) fn new(
        call: &Call<'_>,
        request: &Request<'_>,
        earlier: Option<ResumeState>,
    ) -> Self {
        Self(Arc::new(Inner::new(call, request, earlier)))
    }

    /// What the handler asks and remembers.
    pub(super) fn conversation(&self) -> &Conversation {
        let begin = || match self.0.control.task() {
            Some(task) => task.conversation(&self.0.core),
            None => Conversation::new(ResumeState::default(), &self.0.control),
        };
        self.0.conversation.get_or_init(|| Box::new(begin()))
    }

    /// The same, if there is any.
    pub(super) fn begun_conversation(&self) -> Option<&Conversation> {
        self.0
            .conversation
            .get()
            .map(|conversation| &**conversation)
    }

    /// The server.
    pub(super) fn core(&self) -> &Arc<Core> {
        &self.0.core
    }

    /// What the transport holds to the call.
    pub(super) fn control(&self) -> &CallHandle {
        &self.0.control
    }

    /// The bounds that the server sets to calls.
    pub(super) fn limits(&self) -> &Limits {
        &self.0.core.options.limits
    }

    /// Where the time and random bytes come from.
    pub(super) fn environment(&self) -> &dyn Environment {
        &*self.0.core.sealing.environment
    }

    /// The id of the request; `None` where the caller gave none, which only the contract profile allows.
    #[must_use]
    pub fn request_id(&self) -> Option<&RequestId> {
        self.0.id.as_ref()
    }

    /// The client's own word on what software it is; for display and logs, not for decisions.
    #[must_use]
    pub fn client_info(&self) -> Option<Implementation> {
        self.0
            .client_info
            .as_deref()
            .and_then(|info| serde_json::from_str(info).ok())
    }

    /// What the client can do for this request, as it said (an object; empty if it said nothing).
    #[must_use]
    pub fn client_capabilities(&self) -> Value {
        self.0
            .client_capabilities
            .as_deref()
            .and_then(|capabilities| serde_json::from_str(capabilities).ok())
            .unwrap_or_else(|| Value::Object(serde_json::Map::new()))
    }

    /// Tells whether the client has declared a capability for this request.
    #[must_use]
    pub fn supports(&self, capability: &Capability) -> bool {
        capability.is_declared_in(&self.client_capabilities())
    }

    /// Goes on only with a client that has declared a capability for this request.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    /// use mcp_runtime::client::Capability;
    ///
    /// /// Show where something is.
    /// #[mcp_tool]
    /// fn locate(place: &str, ctx: &Context) -> Result<String, ToolError> {
    ///     ctx.require(Capability::extension("com.example/maps"))?;
    ///     Ok(format!("a map of {place}"))
    /// }
    ///
    /// # fn main() -> Result<(), BuildError> {
    /// let server = mcp_runtime::server!().build()?;
    /// let outcome = server.call_blocking("locate", serde_json::json!({"place": "Utrecht"}));
    /// let error = outcome.error().expect("this client declares nothing");
    /// assert_eq!(error["code"], -32021);
    /// assert_eq!(
    ///     error["data"]["requiredCapabilities"],
    ///     serde_json::json!({"extensions": {"com.example/maps": {}}}),
    /// );
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The client has not. With `?` that becomes an error of the whole request (−32021), which tells the client what to
    /// declare; it has to come before anything is sent for the request to be refused with the HTTP status 400.
    /// In the contract profile clients declare nothing, and nothing is missing.
    pub fn require(&self, capability: Capability) -> Result<(), MissingCapability> {
        self.require_all([capability])
    }

    /// The same for several at once, so that the client is told of all that are missing.
    ///
    /// # Errors
    ///
    /// The client has not declared all of them.
    pub fn require_all(
        &self,
        capabilities: impl IntoIterator<Item = Capability>,
    ) -> Result<(), MissingCapability> {
        if !self.0.declares_capabilities {
            return Ok(());
        }
        let declared = self.client_capabilities();
        let missing = capabilities
            .into_iter()
            .filter(|capability| !capability.is_declared_in(&declared));
        MissingCapability::any(missing.collect())
    }

    /// On whose behalf the request is made, if who handed it in has said so; see [`Principal`].
    #[must_use]
    pub fn principal(&self) -> Option<&Principal> {
        self.0.control.principal()
    }

    /// The values that middleware has attached to the HTTP request, and [layers](crate::ServerBuilder::layer) to the call.
    ///
    /// Over HTTP, `get::<http::HeaderMap>()` gives the headers of the request. A run of a task has what layers attach to
    /// the run alone: the request that began the task is over. [`Extension`](crate::Extension) takes one as a parameter.
    #[must_use]
    pub fn extensions(&self) -> &Extensions {
        &self.0.extensions
    }

    /// How much is left of the time that the call may take; zero when it is over, `None` when it is without limit.
    ///
    /// The limit is that of the [`builder`](crate::ServerBuilder::call_timeout) or of the function's own `timeout`. A call by
    /// [`Server::handle`](crate::Server::handle) has none, since that leaves the time to its caller.
    ///
    /// A task has the limit of its function's `timeout` alone. It counts from the beginning of the task: what was lost by a
    /// crash is part of it.
    #[must_use]
    pub fn remaining_time(&self) -> Option<Duration> {
        let limit = self.0.control.timeout()?;
        let passed = match self.0.control.task() {
            Some(task) => task.age(self.environment()),
            None => {
                let control = &self.0.control;
                let passed = control.now()?.saturating_sub(self.0.began?);
                passed.saturating_sub(control.rested())
            }
        };
        Some(limit.saturating_sub(passed))
    }

    /// Tells whether the client has cancelled the request, or its time is up: nobody waits for the answer any more.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.control.is_cancelled()
    }

    /// Waits until [`is_cancelled`](Self::is_cancelled) is true, or the call, the round or the run of the task has ended; for
    /// `select!`, and for what a function has begun elsewhere.
    ///
    /// An async tool need not watch this: when its call is cancelled, its future is dropped at the place where it waits.
    ///
    /// A task is polled once more before that, and what it returns then is its result. So whoever watches has one last word,
    /// for which nothing may be waited: a cleanup that takes time has to be begun elsewhere, such as in a task of tokio's.
    /// A tool that never waits is not stopped by anything; it has to look at [`is_cancelled`](Self::is_cancelled).
    pub async fn cancelled(&self) {
        let mut waiting = Waiting::new(self);
        let mut awaiting = self.0.control.awaiting();
        poll_fn(|task| {
            let polled = waiting.poll(task, |context, task| {
                if context.is_cancelled() {
                    return Poll::Ready(());
                }
                awaiting.wake(task.waker());
                Poll::Pending
            });
            polled.map(|_cancelled_or_over| ())
        })
        .await;
    }

    /// Tells the client how far the tool has come, if the client asked to be told.
    ///
    /// It never waits. What is no progress over what was told last is left out, and so is what nobody can take:
    /// a client that does not read, a call that was cancelled or has its answer.
    pub fn progress(&self, progress: impl Into<Progress>) {
        if let Some(report) = &self.0.progress {
            report.tell(&self.0.control, &progress.into());
        }
    }

    /// The trace that the request belongs to, if the client tells of one.
    ///
    /// A client of OpenTelemetry in the server goes on with it; an outgoing request carries it along:
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    ///
    /// /// Tell what an outgoing request would carry.
    /// #[mcp_tool]
    /// fn outgoing(ctx: &Context) -> Vec<String> {
    ///     let trace = ctx.trace_context();
    ///     let fields = trace.iter().flat_map(|trace| trace.fields());
    ///     fields.map(|(name, value)| format!("{name}: {value}")).collect()
    /// }
    /// ```
    #[must_use]
    pub fn trace_context(&self) -> Option<&TraceContext> {
        self.0.trace.as_deref()
    }

    /// What the client's `_meta` says under a key that the protocol does not define, such as one of an extension.
    ///
    /// What the protocol defines has methods of its own here.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    ///
    /// /// Tell which tenant asks.
    /// #[mcp_tool]
    /// fn tenant(ctx: &Context) -> String {
    ///     let tenant = ctx.request_meta("com.example/tenant");
    ///     tenant.and_then(|tenant| tenant.as_str()).unwrap_or("nobody").to_owned()
    /// }
    /// ```
    #[must_use]
    pub fn request_meta(&self, key: &str) -> Option<&Value> {
        self.0.other_meta.as_ref()?.get(key)
    }

    /// The handle that tells listening clients what has changed.
    #[must_use]
    pub fn notify(&self) -> Notifier {
        Notifier::new(&self.0.core.broadcaster)
    }

    /// The state of a type that the builder was given, if there is one.
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let states = self.0.core.states.load();
        let state = states.get(&TypeId::of::<T>())?;
        Arc::clone(state).downcast().ok()
    }
}
