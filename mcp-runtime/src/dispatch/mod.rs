//! Messages in, messages out: no sockets, no clock, no threads, no async runtime.
//!
//! [`Core::open`] reads a message, [`Core::answer`] passes it through the stages and writes the reply.
//! A transport stands between the two, where it knows a request's id and has not yet run it.

mod bounds;
mod call;
mod call_handle;
mod completion;
mod context;
mod conversation;
mod digest;
mod environment;
mod error;
mod execution;
mod extension;
mod finish;
mod header_mirror;
mod invocation;
mod layer;
mod log;
mod message;
mod options;
mod pending_call;
mod principal;
mod profile;
mod progress;
mod prompts;
mod request_kind;
mod resources;
mod run;
mod stages;
mod state;
mod subscriptions;
mod target;
mod task;
mod tools;
mod trace;

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;

use self::bounds::Bounds;
pub(crate) use self::call_handle::{
    CallHandle, NoRuntimeContext, Outbox, Permitted, RuntimeContext,
};
pub use self::context::Context;
#[cfg(feature = "legacy")]
pub(crate) use self::conversation::ResponseSlot;
pub use self::conversation::{Answers, ElicitFuture, ElicitOutcome, IdempotencyKey, StepFuture};
pub(crate) use self::environment::{Environment, NoRandomness};
use self::error::names_capabilities;
pub(crate) use self::error::{DispatchError, TOO_LONG, Verdict};
pub use self::extension::Extensions;
#[cfg(feature = "http")]
pub(crate) use self::extension::HttpParts;
pub(crate) use self::header_mirror::RoutingHeaders;
#[cfg(feature = "http")]
pub(crate) use self::header_mirror::{Field, header};
pub use self::invocation::Invocation;
pub(crate) use self::layer::{
    BlockingExecutor, BlockingFuture, BlockingOutput, BlockingWork, Layers, OnlyFor,
};
pub use self::layer::{BoxError, CallFuture, CallKind, CallRequest, CallResponse, CallService};
#[cfg(feature = "legacy")]
pub(crate) use self::message::Response;
use self::message::string;
pub(crate) use self::message::{Invalid, Opened, Request};
pub(crate) use self::options::Options;
pub use self::options::{CacheScope, Limits};
pub use self::pending_call::BoxFuture;
pub(crate) use self::pending_call::{PendingCall, PendingFunction};
pub use self::principal::Principal;
pub use self::profile::Profile;
pub use self::progress::{Amount, Progress};
use self::stages::Admitted;
pub(crate) use self::state::{KeyRing, Sealing};
pub use self::state::{MemoryReplayGuard, ReplayGuard};
pub use self::subscriptions::Notifier;
pub(crate) use self::subscriptions::{Broadcaster, Listener, StreamState, SubscriberGroup};
pub(crate) use self::task::{TaskOptions, Tasks};
pub use self::trace::TraceContext;
use crate::exec::Execution;
use crate::json::write_value;
use crate::jsonrpc::{RawId, code, write_error, write_result_start};
use crate::protocol::{
    DiscoverResult, Feature, Implementation, Method, Offer, Params, Revision, ServerCapabilities,
    Session, TASKS_EXTENSION, key,
};
use crate::refusal_log::RefusalLog;
use crate::registry::{PageError, Registry};

/// States by their type.
pub(crate) type States = HashMap<TypeId, Arc<dyn Any + Send + Sync>>;

/// A server without its transports: what is shared by all calls.
pub(crate) struct Core {
    pub(crate) registry: ArcSwap<Registry>,
    /// Empty once the server has ended.
    states: ArcSwap<States>,
    pub(crate) options: Options,
    pub(crate) bounds: Bounds,
    pub(crate) sealing: Sealing,
    /// `None` if no tool can be a task.
    pub(crate) tasks: Option<Tasks>,
    /// `,"_meta":{…serverInfo…}}`, which ends every result, and the message with it.
    closing: Box<str>,
    /// The members of a list before its page.
    list_opening: Box<str>,
    /// The answers to `server/discover`, one for each offer.
    discover: [OnceLock<Box<[u8]>>; Offer::COUNT],
    /// Who listens to changes.
    pub(crate) broadcaster: Arc<Broadcaster>,
    /// Log lines about refused requests.
    pub(crate) refusals: RefusalLog,
    /// The layers around calls; `None` if there are none.
    pub(crate) layers: Option<Layers>,
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Core")
            .field("server", &self.options.info)
            .field("profile", &self.options.profile)
            .finish_non_exhaustive()
    }
}

/// Finds the page of a list behind a cursor.
type ListPage =
    for<'r> fn(&'r Registry, &'static Revision, Option<&str>) -> Result<&'r Arc<[u8]>, PageError>;

/// How far a request came.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The response stands at the end of the buffer.
    Written,
    /// The handler waits for something; the response comes when its future ends.
    Pending(PendingCall),
    /// The acknowledgement stands at the end of the buffer; the response comes when the stream ends.
    Listening(Listener),
}

/// How far a request came, where the answer may be sent in parts.
#[derive(Debug)]
pub(crate) enum Routed {
    /// As far as any other.
    Answer(Answer),
    /// To a list: the beginning of the response stands at the end of the buffer, and behind it come this page and the
    /// core's [`closing`](Core::closing).
    List(Arc<[u8]>),
    /// To its function, whose execution the caller does not permit here: it has not been run.
    NotPermitted(Execution),
}

impl Core {
    pub(crate) fn new(
        registry: Registry,
        states: States,
        options: Options,
        sealing: Sealing,
        tasks: Option<Tasks>,
    ) -> Self {
        Self {
            tasks,
            closing: closing(options.profile, &options.info),
            list_opening: list_opening(&options),
            registry: ArcSwap::from_pointee(registry),
            states: ArcSwap::from_pointee(states),
            bounds: Bounds::new(&options.limits),
            options,
            sealing,
            discover: Default::default(),
            broadcaster: Arc::default(),
            refusals: RefusalLog::default(),
            layers: None,
        }
    }

    /// Drops the states that no function holds, unless tasks are worked on, which may take them.
    pub(crate) fn release_states(&self) {
        if self.tasks.as_ref().is_none_or(Tasks::is_at_rest) {
            drop(self.states.swap(Arc::default()));
        }
    }

    /// Reads a message: JSON and the envelope, the first two stages.
    ///
    /// A call whose arguments have faults that no value can hold is read from `readable`, which is empty before.
    pub(crate) fn open<'a>(&self, bytes: &'a [u8], readable: &'a mut Vec<u8>) -> Opened<'a> {
        let profile = self.options.profile;
        let max_depth = self.options.limits.max_json_depth;
        message::open(bytes, readable, profile, max_depth, |name| {
            // Where an unknown tool is a result, this is one whatever its arguments are.
            profile.answers().unknown_tool_is_result || self.registry.load().tool(name).is_some()
        })
    }

    /// Refuses a message of which no more than the id was found, as JSON of whatever type.
    pub(crate) fn unread<'a>(&self, error: DispatchError, id: Option<&'a str>) -> Invalid<'a> {
        Invalid::with_id(error, id, self.options.profile)
    }

    /// Passes a request through the remaining stages and appends the response to `out`.
    ///
    /// A handler that waits for something is handed back as a future after its first poll, with `out` unchanged.
    /// `control` belongs to this call until it has ended.
    pub(crate) fn answer(
        self: &Arc<Self>,
        request: &Request<'_>,
        control: &Arc<CallHandle>,
        out: &mut Vec<u8>,
    ) -> Answer {
        match self.answer_routed(request, None, control, out) {
            Routed::Answer(answer) => answer,
            Routed::NotPermitted(_) => {
                unreachable!("callers that permit less take the routed answer")
            }
            Routed::List(page) => {
                out.extend_from_slice(&page);
                out.extend_from_slice(self.closing(self.revision(control)));
                Answer::Written
            }
        }
    }

    /// What the messages about a call can say.
    pub(crate) fn revision(&self, control: &CallHandle) -> &'static Revision {
        let session = control.session().map(|session| session.revision);
        session.unwrap_or_else(|| self.options.profile.answers().revision)
    }

    /// What ends every result, and the message with it.
    pub(crate) fn closing(&self, revision: &Revision) -> &[u8] {
        if revision.is_stateless {
            self.closing.as_bytes()
        } else {
            b"}}"
        }
    }

    /// The same as [`answer`](Self::answer) for a request that came with headers which mirror it, and whose list is
    /// not copied.
    pub(crate) fn answer_routed(
        self: &Arc<Self>,
        request: &Request<'_>,
        headers: Option<&dyn RoutingHeaders>,
        control: &Arc<CallHandle>,
        out: &mut Vec<u8>,
    ) -> Routed {
        let admitted = stages::admit(self, request, headers, control);
        // Faults of the arguments' text are answered without a function.
        if let Ok(admitted) = &admitted
            && request.argument_faults.is_empty()
            && let Some(execution) = self.not_permitted(*admitted, control)
        {
            return Routed::NotPermitted(execution);
        }
        tracing::debug!(method = ?request.method_name, id = request.id.text(), "a request");
        let served = admitted.and_then(|admitted| match self.layered_function(admitted) {
            None => self.serve(admitted, request, control, out),
            Some((kind, name)) => {
                let call = self.call_layers(kind, &name, admitted, request, control);
                Ok(Routed::Answer(Answer::Pending(call)))
            }
        });
        self.or_refused(served, request, control, out)
    }

    /// How far a request came, with the error written if it was refused.
    fn or_refused(
        &self,
        served: Result<Routed, DispatchError>,
        request: &Request<'_>,
        control: &CallHandle,
        out: &mut Vec<u8>,
    ) -> Routed {
        served.unwrap_or_else(|error| {
            self.write_call_error(&error, control, request.id, out);
            Routed::Answer(Answer::Written)
        })
    }

    /// Answers a request that has been admitted to its method.
    fn serve(
        self: &Arc<Self>,
        Admitted { method, params }: Admitted<'_, '_>,
        request: &Request<'_>,
        control: &Arc<CallHandle>,
        out: &mut Vec<u8>,
    ) -> Result<Routed, DispatchError> {
        let mut list = |page| {
            let page = self.list(page, request.id, params, self.revision(control), out);
            page.map(Routed::List)
        };
        let answer = match method {
            Method::ListTools => return list(Registry::tools_page),
            Method::ListPrompts => return list(Registry::prompts_page),
            Method::ListResources => return list(Registry::resources_page),
            Method::ListResourceTemplates => return list(Registry::templates_page),
            Method::Discover => {
                self.write_result(request.id, self.discover_members(control), out);
                Ok(Answer::Written)
            }
            Method::GetPrompt => prompts::get(self, request, params, control, out),
            Method::ReadResource => resources::read(self, request, params, control, out),
            Method::Complete => completion::complete(self, request, params, control, out),
            Method::Listen => self.listen(request, params, control, out),
            Method::CallTool => tools::call(self, request, params, control, out),
            Method::GetTask => self.get_task(request, params, control, out),
            Method::UpdateTask => self.update_task(request, params, control, out),
            Method::CancelTask => self.cancel_task(request, params, control, out),
            Method::Initialize => Err(DispatchError::Initialize),
            Method::Ping | Method::SetLogLevel | Method::Subscribe | Method::Unsubscribe => {
                unreachable!("`serves` has none of them")
            }
        };
        let asked = control.take_asked_round();
        let answer = answer.map(|answer| match asked {
            Some(round) => Answer::Pending(PendingCall::asked(self, control, round)),
            None => answer,
        });
        answer.map(Routed::Answer)
    }

    /// Begins an answer, and gives the page of a list that comes behind what it writes.
    fn list(
        &self,
        page: ListPage,
        id: RawId<'_>,
        params: &Params<'_>,
        revision: &'static Revision,
        out: &mut Vec<u8>,
    ) -> Result<Arc<[u8]>, DispatchError> {
        let cursor = params
            .cursor
            .filter(|cursor| cursor.get() != "null")
            .map(|cursor| string(cursor).ok_or(DispatchError::Params("cursor must be a string")))
            .transpose()?;
        let registry = self.registry.load();
        let page = page(&registry, revision, cursor.as_deref());
        let page = Arc::clone(page.map_err(|PageError| DispatchError::Cursor)?);
        write_result_start(out, id);
        out.extend_from_slice(if revision.is_stateless {
            self.list_opening.as_bytes()
        } else {
            b"{"
        });
        Ok(page)
    }

    /// Whether the server has what a method needs, for a request that came this way; the contract profile has tools alone.
    fn serves(&self, feature: Feature, control: &CallHandle) -> bool {
        let is_in_profile =
            feature == Feature::Tools || self.options.profile.answers().has_all_methods;
        let is_in_revision = self.revision(control).has(feature);
        is_in_profile
            && is_in_revision
            && match feature {
                Feature::Tools | Feature::Discovery => true,
                Feature::Prompts => self.registry.load().offers().prompts,
                Feature::Resources => self.registry.load().offers().resources,
                Feature::Completions => self.registry.load().completes(),
                Feature::Subscriptions => control.subscriber_group().is_some(),
                Feature::Tasks => self.tasks.is_some(),
                Feature::Sessions => false,
            }
    }

    /// Writes the response to a message that is no request, if it gets one.
    pub(crate) fn refuse(&self, invalid: &Invalid<'_>, out: &mut Vec<u8>) {
        self.log_refusal(&invalid.error);
        message::refuse(invalid, self.options.profile, out);
    }

    /// Writes the error response to a request, and has the log name it if it is a refusal.
    fn write_refusal(&self, id: RawId<'_>, error: &DispatchError, out: &mut Vec<u8>) {
        let revision = self.options.profile.answers().revision;
        self.write_refusal_in(revision, id, error, out);
    }

    /// Writes the error response to a request of a revision, and has the log name it if it is a refusal.
    fn write_refusal_in(
        &self,
        revision: &Revision,
        id: RawId<'_>,
        error: &DispatchError,
        out: &mut Vec<u8>,
    ) {
        self.log_refusal(error);
        let mut wire = error.to_wire(self.options.profile);
        if matches!(error, DispatchError::UnknownResource(_)) {
            wire.code = revision.resource_not_found;
        } else if !revision.is_stateless && names_capabilities(&wire) {
            // The code is one of the current revision alone.
            wire.code = code::INTERNAL_ERROR;
        }
        write_error(out, id, &wire);
    }

    /// Writes the error response to a call, and notes for its transport how far the request came.
    fn write_call_error(
        &self,
        error: &DispatchError,
        control: &CallHandle,
        id: RawId<'_>,
        out: &mut Vec<u8>,
    ) {
        control.judge(error.verdict());
        self.write_refusal_in(self.revision(control), id, error, out);
    }

    /// Has the log name an error if it is a refusal; never blocks.
    fn log_refusal(&self, error: &DispatchError) {
        if let Some(refusal) = error.refusal() {
            self.refusals.record(refusal, error.refused());
        }
    }

    /// Writes the error that refuses a request before it was passed through the stages.
    pub(crate) fn turn_away(&self, id: RawId<'_>, error: &DispatchError, out: &mut Vec<u8>) {
        self.write_refusal(id, error, out);
    }

    /// Writes the error that refuses a request about a session.
    #[cfg_attr(
        not(feature = "legacy"),
        expect(dead_code, reason = "sessions are kept by connections")
    )]
    pub(crate) fn turn_away_session(
        &self,
        session: Option<&Session>,
        id: RawId<'_>,
        error: &DispatchError,
        out: &mut Vec<u8>,
    ) {
        let revision = session.map_or(self.options.profile.answers().revision, |it| it.revision);
        self.write_refusal_in(revision, id, error, out);
    }

    /// Writes the response to a call that took too long.
    pub(crate) fn time_out(&self, id: RawId<'_>, out: &mut Vec<u8>) {
        self.write_refusal(id, &DispatchError::TimedOut, out);
    }

    /// Writes the response in place of one that the caller cannot read.
    pub(crate) fn write_unreadable(&self, id: RawId<'_>, out: &mut Vec<u8>) {
        let error = DispatchError::Unreadable.to_wire(self.options.profile);
        write_error(out, id, &error);
    }

    /// Writes a response whose members are ready-made.
    fn write_result(&self, id: RawId<'_>, members: &[u8], out: &mut Vec<u8>) {
        write_result_start(out, id);
        out.extend_from_slice(members);
        out.extend_from_slice(self.closing(Revision::CURRENT));
    }

    /// What is offered to a client that is served in this way.
    fn offer(&self, control: &CallHandle) -> Offer {
        let registry = self.registry.load();
        Offer {
            prompts: registry.offers().prompts,
            resources: registry.offers().resources,
            completions: registry.completes(),
            logging: registry.offers().logging,
            changes: self.serves(Feature::Subscriptions, control),
        }
    }

    /// Whether clients may open sessions: not with a bare contract, which has none.
    #[cfg_attr(
        not(feature = "legacy"),
        expect(dead_code, reason = "sessions are kept by connections")
    )]
    pub(crate) fn serves_sessions(&self) -> bool {
        self.options.sessions && self.options.profile.answers().needs_meta
    }

    /// What is offered to the client of a session.
    #[cfg_attr(
        not(feature = "legacy"),
        expect(dead_code, reason = "sessions are kept by connections")
    )]
    pub(crate) fn session_capabilities(&self, revision: &Revision) -> ServerCapabilities {
        let registry = self.registry.load();
        let offer = Offer {
            prompts: registry.offers().prompts,
            resources: registry.offers().resources,
            completions: registry.completes() && revision.has_audio,
            logging: registry.offers().logging,
            changes: true,
        };
        ServerCapabilities::new(offer, self.options.fixed_lists, [])
    }

    /// The members of the answer to `server/discover` (server/discover).
    fn discover_members(&self, control: &CallHandle) -> &[u8] {
        let offer = self.offer(control);
        self.discover[offer.index()].get_or_init(|| {
            let mut members = Vec::new();
            let extensions = self.tasks.is_some().then_some(TASKS_EXTENSION);
            let capabilities = ServerCapabilities::new(offer, self.options.fixed_lists, extensions);
            let result = DiscoverResult::new(capabilities, self.options.instructions.as_deref());
            // Strings and a fixed structure can always be written, and they end with a brace.
            if write_value(&mut members, &result).is_ok() && members.pop() == Some(b'}') {
                members.push(b',');
                members.extend_from_slice(self.options.cache_members().as_bytes());
            }
            members.into_boxed_slice()
        })
    }
}

/// The beginning of a list's result: its cache hints in the strict profile, nothing but a brace in the contract profile.
fn list_opening(options: &Options) -> Box<str> {
    match options.profile {
        Profile::Strict => {
            format!(r#"{{"resultType":"complete",{},"#, options.cache_members()).into_boxed_str()
        }
        Profile::Contract => "{".into(),
    }
}

/// The end of every result: metadata in the strict profile, nothing but braces in the contract profile.
fn closing(profile: Profile, info: &Implementation) -> Box<str> {
    match profile {
        Profile::Strict => {
            let info = server_info(info);
            format!(r#","_meta":{{{info}}}}}}}"#).into_boxed_str()
        }
        Profile::Contract => "}}".into(),
    }
}

/// The member of a result's metadata that names the server.
fn server_info(info: &Implementation) -> String {
    let info = serde_json::to_string(info).unwrap_or_default();
    format!(r#""{}":{info}"#, key::SERVER_INFO)
}
