//! What a tool may know of the request that it serves.

use std::any::TypeId;
use std::fmt;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::conversation::{Conversation, Earlier};
use super::environment::Environment;
use super::invocation::ContextSource;
use super::log::LogMessage;
use super::progress::{Progress, ProgressReport};
use super::stages::logging_level;
use super::{CallControl, Core, Notifier, Principal, TraceContext};
use crate::convert::MissingCapability;
use crate::jsonrpc::{RequestId, Shape};
use crate::protocol::{
    Capability, Implementation, LoggingLevel, Meta, PROTOCOL_VERSION, Params, key,
};

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
    control: Arc<CallControl>,
    id: Option<RequestId>,
    client_info: Option<Box<str>>,
    client_capabilities: Option<Box<str>>,
    /// `None` if the client does not want to know.
    progress: Option<ProgressReport>,
    /// The least severe log messages that are sent; `None` if none are.
    log_level: Option<LoggingLevel>,
    /// `None` if the client says nothing of it.
    trace: Option<Box<TraceContext>>,
    /// What the client adds under keys of its own; `None` if that is nothing.
    other_meta: Option<Meta>,
    /// When the call began; `None` if its time is not bounded.
    began: Option<Duration>,
    /// What the handler asks; made when it first does, or when the client sends answers.
    conversation: OnceLock<Box<Conversation>>,
    /// Who polls the call, while nobody does.
    poller: Mutex<Option<Waker>>,
    /// The function wants to go on as a task.
    wants_task: AtomicBool,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("request_id", &self.0.id)
            .finish_non_exhaustive()
    }
}

impl Inner {
    fn new(source: &ContextSource<'_>) -> Self {
        let meta = match &source.request.params {
            Some(Shape::Object(Params {
                meta: Some(Shape::Object(meta)),
                ..
            })) => Some(meta),
            _ => None,
        };
        Self {
            core: Arc::clone(source.core),
            control: Arc::clone(source.control),
            id: RequestId::from_json(source.request.id.text()),
            client_info: meta
                .and_then(|meta| meta.client_info)
                .map(|info| info.get().into()),
            progress: meta
                .and_then(|meta| meta.progress_token)
                .map(|token| ProgressReport::new(token.get())),
            log_level: meta.and_then(|meta| meta.log_level).and_then(logging_level),
            trace: meta.and_then(TraceContext::read),
            other_meta: source.request.other_meta(),
            began: source.control.now(),
            client_capabilities: meta
                .and_then(|meta| meta.client_capabilities)
                .map(|capabilities| capabilities.get().into()),
            conversation: source.earlier.take().map_or_else(OnceLock::new, |earlier| {
                OnceLock::from(Box::new(Conversation::in_rounds(earlier)))
            }),
            poller: Mutex::new(None),
            wants_task: AtomicBool::new(false),
        }
    }
}

impl Context {
    pub(super) fn new(source: &ContextSource<'_>) -> Self {
        Self(Arc::new(Inner::new(source)))
    }

    /// The same for a function that sends no log messages.
    pub(super) fn silent(source: &ContextSource<'_>) -> Self {
        let mut inner = Inner::new(source);
        inner.log_level = None;
        Self(Arc::new(inner))
    }

    /// What the handler asks and remembers.
    pub(super) fn conversation(&self) -> &Conversation {
        let begin = || match self.0.control.task() {
            Some(task) => task.conversation(&self.0.core),
            None => Conversation::in_rounds(Earlier::default()),
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

    /// Where the time and random bytes come from.
    pub(super) fn environment(&self) -> &dyn Environment {
        &*self.0.core.sealing.environment
    }

    /// Notes who is to look whether the round has ended, or that somebody is looking.
    pub(super) fn set_poller(&self, poller: Option<Waker>) {
        *self.0.poller.lock().unwrap_or_else(PoisonError::into_inner) = poller;
    }

    /// Has whoever polls the call look whether the round has ended: a task of the handler's own may have asked.
    pub(super) fn attend(&self) {
        let poller = self
            .0
            .poller
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(poller) = poller {
            poller.wake();
        }
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
    /// use mcp_runtime::Capability;
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
    /// let outcome = server.call("locate", serde_json::json!({"place": "Utrecht"}));
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

    /// How much is left of the time that the call may take; zero when it is over, `None` when it is without limit.
    ///
    /// The limit is that of the [`builder`](crate::ServerBuilder::call_time) or of the function's own `timeout`. A call by
    /// [`Server::handle`](crate::Server::handle) has none, since that leaves the time to its caller.
    #[must_use]
    pub fn remaining_time(&self) -> Option<Duration> {
        let limit = self.0.control.timeout()?;
        let passed = self.0.control.now()?.saturating_sub(self.0.began?);
        Some(limit.saturating_sub(passed))
    }

    /// Tells whether the client has cancelled the request, or its time is up: nobody waits for the answer any more.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.control.is_cancelled()
    }

    /// Waits until [`is_cancelled`](Self::is_cancelled) is true; for `select!`.
    ///
    /// An async tool need not watch this: when its call is cancelled, its future is dropped at the place where it waits.
    pub async fn cancelled(&self) {
        poll_fn(|context| {
            if self.is_cancelled() {
                return Poll::Ready(());
            }
            self.0.control.wake_when_cancelled(context.waker());
            Poll::Pending
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

    /// Sends a log message to the client, if the client asked for messages of this level.
    ///
    /// **Log messages of the protocol are deprecated in this revision**: log with `tracing`, and pass on the
    /// [`trace_context`](Self::trace_context). This is for servers whose clients still ask for them.
    ///
    /// `data` is anything that serialises; secrets and personal data do not belong there. Like [`progress`](Self::progress),
    /// with which it keeps its order, it never waits, and what nobody can take is left out. Messages that are costly to
    /// make are best made after a look at [`logs`](Self::logs).
    pub fn log(&self, level: LoggingLevel, data: impl Serialize) {
        self.send_log(level, None, &data);
    }

    /// The same in the name of a logger, such as a part of the server.
    pub fn log_as(&self, logger: &str, level: LoggingLevel, data: impl Serialize) {
        self.send_log(level, Some(logger), &data);
    }

    /// Tells whether the client asked for log messages of a level.
    #[must_use]
    pub fn logs(&self, level: LoggingLevel) -> bool {
        self.0.log_level.is_some_and(|least| level >= least)
    }

    fn send_log(&self, level: LoggingLevel, logger: Option<&str>, data: &impl Serialize) {
        if self.logs(level) {
            let message = LogMessage {
                level,
                logger,
                data,
            };
            message.send(&self.0.control);
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
        Notifier::new(&self.0.core.hub)
    }

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
    ///     ctx.into_task().await;
    ///     ctx.status("copying");
    ///     Ok(format!("{release} is deployed"))
    /// }
    ///
    /// # fn main() -> Result<(), BuildError> {
    /// let server = mcp_runtime::server!().build()?;
    /// // This client does not know tasks.
    /// assert_eq!(server.call("deploy", serde_json::json!({"release": "1.2"})).text(), "1.2 is deployed");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A call of another tool fails here (−32603), since nobody was told that it may become a task.
    pub async fn into_task(&self) {
        let extension = Capability::extension(super::task::EXTENSION);
        if self.0.control.task().is_some() || !self.supports(&extension) {
            return;
        }
        self.0.wants_task.store(true, Ordering::Release);
        poll_fn(|_| {
            self.attend();
            Poll::Pending
        })
        .await
    }

    /// Whether the function wants to go on as a task.
    pub(super) fn wants_task(&self) -> bool {
        self.0.wants_task.load(Ordering::Acquire)
    }

    /// The metadata of the request, without what belongs to one exchange alone: progress and log messages.
    pub(super) fn lasting_meta(&self) -> Value {
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
    /// last one is.
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

    /// The state of a type that the builder was given, if there is one.
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let state = self.0.core.states.get(&TypeId::of::<T>())?;
        Arc::clone(state).downcast().ok()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use serde_json::json;

    use super::*;
    use crate::dispatch::{Answer, Opened};
    use crate::server::ServerBuilder;

    thread_local! {
        static TIME: Cell<Duration> = const { Cell::new(Duration::from_secs(1000)) };
    }

    /// Lets time pass.
    fn pass(time: Duration) {
        TIME.set(TIME.get() + time);
    }

    /// What a call finds of its time at first, after a second, and after an hour.
    fn remaining(builder: ServerBuilder, control: CallControl) -> Value {
        let server = builder
            .register_tool(
                "look",
                "Look at the clock.",
                json!({"type": "object"}),
                |_: Value, context: Context| {
                    let seconds = || context.remaining_time().map(|left| left.as_secs());
                    let first = seconds();
                    pass(Duration::from_secs(1));
                    let second = seconds();
                    pass(Duration::from_secs(3600));
                    Ok::<_, crate::ToolError>((first, second, seconds()))
                },
            )
            .build()
            .unwrap();
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "look",
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        }});
        let (message, mut out) = (message.to_string(), Vec::new());
        let Opened::Request(request) = server.core().open(message.as_bytes()) else {
            panic!("it is a request");
        };
        let answer = server.core().answer(&request, &Arc::new(control), &mut out);
        assert!(matches!(answer, Answer::Written));
        let answer: Value = serde_json::from_slice(&out).unwrap();
        answer["result"]["structuredContent"].clone()
    }

    #[test]
    fn the_time_that_remains_runs_from_the_limit_to_zero() {
        let builder = || ServerBuilder::new("times", "0.0.0");
        let timed = || CallControl::default().with_clock(|| TIME.get());
        let minute = builder().call_time(Duration::from_secs(60));
        assert_eq!(remaining(minute, timed()), json!([60, 59, 0]));
        assert_eq!(
            remaining(builder().call_time(None), timed()),
            json!([null, null, null])
        );
        assert_eq!(
            remaining(builder(), CallControl::default()),
            json!([null, null, null])
        );
    }
}
