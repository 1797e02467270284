//! Runs the function behind a request, sync or async, and ends the reply; a panic is a failed call.
//!
//! What is called, and what its arguments are, is found by `tools`, `prompts` and `resources`.

use std::fmt;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use serde_json::Value;

use super::conversation::Asker;
use super::invocation::{Arguments, ContextSource};
use super::message::string;
use super::options::cache_members;
use super::state::{self, Target};
use super::{
    Answer, BoxFuture, CacheScope, CallControl, Context, Core, DispatchError, Invocation,
    PendingCall, PendingFunction, Principal,
};
use crate::convert::{Failure, ReadTarget, Rejected, Rejection, Reply, ResourceError, Written};
use crate::json::write_str;
use crate::jsonrpc::{RawId, write_result_start};
use crate::panic::{Panicked, catch};
use crate::protocol::{Meta, Method, Params, Revision, key};
use crate::registry::{
    CallFn, Handler, HandlerRun, PageError, Prompt, Registry, Resource, Tool, ToolInput,
};
use crate::schema::identity;

/// Finds the page of a list behind a cursor.
type ListPage =
    for<'r> fn(&'r Registry, &'static Revision, Option<&str>) -> Result<&'r Arc<[u8]>, PageError>;

/// What is called, which decides how a reply ends.
#[derive(Debug, Clone)]
pub(super) enum Called {
    Tool(Arc<Tool>),
    Prompt(Arc<Prompt>),
    Resource(Arc<Reading>),
    Completion,
    Tasks,
}

/// A resource that is read, under the URI that the client wrote.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) resource: Arc<Resource>,
    pub(super) uri: Box<str>,
    /// The request carries on an earlier one, so that its contents may depend on more than the URI.
    pub(super) carries_a_round: bool,
}

impl fmt::Display for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(tool) => write!(f, "the tool `{}`", tool.name),
            Self::Prompt(prompt) => write!(f, "the prompt `{}`", prompt.name),
            Self::Completion => f.write_str("the completion"),
            Self::Tasks => f.write_str("the task store"),
            Self::Resource(reading) => write!(f, "the resource `{}`", reading.resource.name),
        }
    }
}

impl Core {
    /// Begins an answer, and gives the page of a list that comes behind what it writes.
    pub(super) fn list(
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

    /// Runs an annotated function.
    pub(super) fn run_function(
        self: &Arc<Self>,
        called: Called,
        function: CallFn,
        arguments: Arguments<'_>,
        source: &ContextSource<'_>,
        out: &mut Vec<u8>,
    ) -> Answer {
        match function {
            CallFn::Inline(function) | CallFn::Blocking(function) => {
                self.run_plain(&called, function, arguments, source, out)
            }
            CallFn::Async(function) => self.run_async(called, function, arguments, source, out),
        }
    }

    /// Runs a plain function with the caller's buffer at hand.
    fn run_plain(
        &self,
        called: &Called,
        function: fn(&mut Invocation<'_>) -> Result<(), Rejected>,
        arguments: Arguments<'_>,
        source: &ContextSource<'_>,
        out: &mut Vec<u8>,
    ) -> Answer {
        let start = out.len();
        let reply = self.begin_called(
            called,
            source.control,
            std::mem::take(out),
            source.request.id,
        );
        let mut invocation = Invocation::new(called, arguments, source, reply);
        let ran = catch(|| function(&mut invocation));
        let context = invocation.take_context();
        let mut reply = invocation.take_reply();
        match ran {
            Ok(Ok(())) => {}
            Ok(Err(rejected)) => self.reject(rejected, &mut reply),
            Err(panic) => panicked(called, &panic, &mut reply),
        }
        let asker = source.asker(context.as_ref());
        *out = self.conclude(
            called,
            asker,
            source.control,
            source.request.id,
            start,
            reply,
        );
        Answer::Written
    }

    /// Polls an async function once; most are done by then.
    fn run_async(
        self: &Arc<Self>,
        called: Called,
        function: fn(&mut Invocation<'_>) -> Result<BoxFuture, Rejected>,
        arguments: Arguments<'_>,
        source: &ContextSource<'_>,
        out: &mut Vec<u8>,
    ) -> Answer {
        match self.call_async(&called, function, arguments, source) {
            Ok((future, context)) => self.poll_once(called, source, context, future, out),
            Err(mut response) => {
                out.append(&mut response);
                Answer::Written
            }
        }
    }

    /// Calls an async function; gives the response if it was not fit to be called.
    pub(super) fn call_async(
        &self,
        called: &Called,
        function: fn(&mut Invocation<'_>) -> Result<BoxFuture, Rejected>,
        arguments: Arguments<'_>,
        source: &ContextSource<'_>,
    ) -> Result<(BoxFuture, Option<Context>), Vec<u8>> {
        let id = source.request.id;
        let reply = self.begin_called(called, source.control, Vec::new(), id);
        let mut invocation = Invocation::new(called, arguments, source, reply);
        let begun = catch(|| function(&mut invocation));
        let context = invocation.take_context();
        let mut reply = invocation.take_reply();
        match begun {
            Ok(Ok(future)) => return Ok((future, context)),
            Ok(Err(rejected)) => self.reject(rejected, &mut reply),
            Err(panic) => {
                // The function may have taken the reply along.
                reply = self.begin_reply(source.control, Vec::new(), id);
                panicked(called, &panic, &mut reply);
            }
        }
        let asker = source.asker(context.as_ref());
        Err(self.conclude(called, asker, source.control, id, 0, reply))
    }

    /// Runs a handler that was registered at run time, and polls it once if it is async.
    ///
    /// The context is that of a handler that can read answers.
    pub(super) fn run_handler<Input>(
        self: &Arc<Self>,
        called: Called,
        handler: &dyn Handler<Input>,
        input: Input,
        context: Option<Context>,
        source: &ContextSource<'_>,
        out: &mut Vec<u8>,
    ) -> Answer {
        let id = source.request.id;
        let reply = self.begin_called(&called, source.control, Vec::new(), id);
        let asker = source.asker(context.as_ref());
        match catch(|| handler.run(input, reply)) {
            Ok(HandlerRun::Done(reply)) => {
                out.append(&mut self.conclude(&called, asker, source.control, id, 0, reply));
            }
            Ok(HandlerRun::Pending(future)) => {
                return self.poll_once(called, source, context, future, out);
            }
            Err(panic) => {
                let mut reply = self.begin_reply(source.control, Vec::new(), id);
                panicked(&called, &panic, &mut reply);
                out.append(&mut self.conclude(&called, asker, source.control, id, 0, reply));
            }
        }
        Answer::Written
    }

    pub(super) fn poll_once(
        self: &Arc<Self>,
        called: Called,
        source: &ContextSource<'_>,
        context: Option<Context>,
        future: BoxFuture,
        out: &mut Vec<u8>,
    ) -> Answer {
        let control = Arc::clone(source.control);
        let mut call = PendingFunction::new(Arc::clone(self), called, control, context, future);
        match call.begin(source.request.id, source.arguments()) {
            Poll::Ready(mut frame) => {
                out.append(&mut frame);
                Answer::Written
            }
            Poll::Pending => Answer::Pending(PendingCall::Function(call)),
        }
    }

    /// Begins a response of what is called.
    pub(super) fn begin_called(
        &self,
        called: &Called,
        control: &CallControl,
        out: Vec<u8>,
        id: RawId<'_>,
    ) -> Reply {
        let reply = self.begin_reply(control, out, id);
        match called {
            Called::Resource(reading) => reply.reading(ReadTarget {
                uri: reading.uri.clone(),
                mime_type: (reading.resource.entry()).map_or("", |entry| (entry.mime_type)()),
            }),
            Called::Tool(tool) if control.session().is_some() => {
                reply.wrapped(tool.output_is_wrapped())
            }
            Called::Tool(_) | Called::Prompt(_) | Called::Completion | Called::Tasks => reply,
        }
    }

    /// Begins a response to a call: everything up to the result's own members.
    pub(super) fn begin_reply(&self, control: &CallControl, out: Vec<u8>, id: RawId<'_>) -> Reply {
        self.begin_reply_in(self.revision(control), out, id)
    }

    /// Begins a response in the form of a revision.
    pub(super) fn begin_reply_in(
        &self,
        revision: &'static Revision,
        mut out: Vec<u8>,
        id: RawId<'_>,
    ) -> Reply {
        write_result_start(&mut out, id);
        Reply::new(out, revision)
    }

    /// Notes that the parameters of a call could not be filled.
    pub(super) fn reject(&self, Rejected(rejection): Rejected, reply: &mut Reply) {
        match rejection {
            Rejection::Arguments(faults) => reply.failure(Failure::Arguments(
                if self.options.profile.answers().handlers_check_arguments
                    && let Some(missing) = faults.iter().find(|fault| fault.is_missing())
                {
                    missing.to_string()
                } else {
                    let lines: Vec<_> = faults.iter().map(ToString::to_string).collect();
                    lines.join("\n")
                },
            )),
            Rejection::Texts(faults) => reply.failure(Failure::Arguments(faults.to_string())),
            Rejection::Injection(error) => reply.failure(error.0),
            Rejection::Schema(problems) => {
                tracing::error!("a tool cannot be called: {problems}");
                reply.failure(Failure::Broken);
            }
        }
    }

    /// Ends a response: checks what was written, adds metadata, or tells how the call failed.
    ///
    /// `start` is where the response begins in the buffer.
    pub(super) fn conclude(
        &self,
        called: &Called,
        asker: Asker<'_>,
        control: &CallControl,
        id: RawId<'_>,
        start: usize,
        reply: Reply,
    ) -> Vec<u8> {
        let mut written = reply.into_parts();
        if written.failure.is_none() {
            written.failure = match called {
                Called::Tool(tool) => self.check_tool(tool, &written),
                Called::Prompt(prompt) => {
                    describe(prompt, &mut written);
                    None
                }
                Called::Completion | Called::Tasks => None,
                Called::Resource(reading) => {
                    if written.revision.is_stateless {
                        add_cache_hints(reading, &mut written);
                    }
                    None
                }
            };
        }
        written.cut_structured();
        let mut out = written.out;
        match written.failure {
            None => match written.meta {
                None => out.extend_from_slice(self.closing(written.revision)),
                Some(meta) => self.close_with(meta, written.revision, &mut out),
            },
            Some(Failure::InputRequired(input)) => {
                out.truncate(start);
                let written =
                    self.write_returned_round(called, asker, control, id, input, &mut out);
                self.or_error(written, control, id, &mut out);
            }
            Some(failure) => {
                out.truncate(start);
                match called {
                    Called::Tool(tool) => {
                        self.write_tool_failure(tool, control, id, failure, &mut out)
                    }
                    Called::Prompt(_)
                    | Called::Resource(_)
                    | Called::Completion
                    | Called::Tasks => self.write_failure(called, control, id, failure, &mut out),
                }
            }
        }
        self.bound_answer(called.is_tool(), control, id, start, &mut out);
        if let Some(context) = asker.context {
            context.end();
        }
        out
    }

    /// Replaces an answer that is too large by an error, for a tool by a failed call.
    pub(super) fn bound_answer(
        &self,
        is_tool: bool,
        control: &CallControl,
        id: RawId<'_>,
        start: usize,
        out: &mut Vec<u8>,
    ) {
        let (size, limit) = (out.len() - start, self.options.limits.max_answer_size);
        if size <= limit {
            return;
        }
        out.truncate(start);
        out.shrink_to_fit();
        let error = DispatchError::AnswerTooLarge { size, limit };
        if is_tool {
            self.log_refusal(&error);
            self.write_failed_call(control, id, &format!("Error: {error}"), out);
        } else {
            self.or_error(Err(error), control, id, out);
        }
    }

    /// Tells how a prompt or a resource failed, which is an error of the request.
    pub(super) fn write_failure(
        &self,
        called: &Called,
        control: &CallControl,
        id: RawId<'_>,
        failure: Failure,
        out: &mut Vec<u8>,
    ) {
        let error = match failure {
            Failure::Arguments(text) => match called {
                Called::Resource(reading) => DispatchError::BadUri(reading.uri.to_string(), text),
                _ => DispatchError::BadArguments(text),
            },
            Failure::NotFound => match called {
                Called::Resource(reading) => {
                    DispatchError::UnknownResource(reading.uri.to_string())
                }
                _ => DispatchError::Failed(ResourceError::not_found().to_string()),
            },
            Failure::Tool(text) if self.options.mask_errors => {
                tracing::warn!("{called} failed: {text}");
                DispatchError::Failed(called.failed())
            }
            Failure::Tool(text) => DispatchError::Failed(text),
            Failure::Panic | Failure::Broken => DispatchError::Failed(called.failed()),
            Failure::Request(error) => DispatchError::Handler(error),
            Failure::InputRequired(_) => unreachable!("`conclude` ends the round"),
        };
        self.or_error(Err(error), control, id, out);
    }

    /// Writes the error of a response that could not be written.
    pub(super) fn or_error(
        &self,
        written: Result<(), DispatchError>,
        control: &CallControl,
        id: RawId<'_>,
        out: &mut Vec<u8>,
    ) {
        if let Err(error) = written {
            control.judge(error.verdict());
            self.write_refusal_in(self.revision(control), id, &error, out);
        }
    }

    /// Ends a result that has metadata of its own.
    fn close_with(&self, mut meta: Meta, revision: &Revision, out: &mut Vec<u8>) {
        if revision.is_bare {
            out.extend_from_slice(self.closing(revision));
            return;
        }
        if revision.is_stateless {
            let info = serde_json::to_value(&self.options.info).unwrap_or_default();
            meta.insert(key::SERVER_INFO.to_owned(), info);
        }
        out.extend_from_slice(br#","_meta":"#);
        out.extend_from_slice(Value::from(meta).to_string().as_bytes());
        out.extend_from_slice(b"}}");
    }
}

impl Called {
    /// The request that this is, to which states are bound; `None` for one that has no rounds (basic/patterns/mrtr,
    /// "Supported Requests").
    pub(super) fn target(&self, arguments: &str, control: &CallControl) -> Option<Target> {
        let principal = control.principal().map(Principal::id);
        let target = |method: Method, name, arguments: &str, schema| {
            // The text was read as JSON before, so it always has an identity.
            let identity = identity(arguments).unwrap_or_else(|| arguments.to_owned());
            Target::new(method.name(), name, &identity, schema, principal)
        };
        Some(match self {
            Self::Tool(tool) => {
                let input = tool.input().ok();
                let canonical = input.and_then(|input| input.schema.canonical_all(arguments));
                let schema = input.map(|ToolInput { schema, digest, .. }| {
                    digest.get_or_init(|| state::digest(&[schema.json().as_bytes()]).into())
                });
                target(
                    Method::CallTool,
                    &tool.name,
                    canonical.as_deref().unwrap_or(arguments),
                    schema.map_or("", |digest| digest),
                )
            }
            Self::Prompt(prompt) => target(Method::GetPrompt, &prompt.name, arguments, ""),
            // A resource has no arguments; what a client sends as such is nothing to it.
            Self::Resource(reading) => target(Method::ReadResource, &reading.uri, "{}", ""),
            Self::Completion | Self::Tasks => return None,
        })
    }

    pub(super) fn is_tool(&self) -> bool {
        matches!(self, Self::Tool(_))
    }

    /// Whether it has rounds.
    pub(super) fn may_ask(&self) -> bool {
        !matches!(self, Self::Completion | Self::Tasks)
    }

    /// What a client is told of a failure that is not its business.
    fn failed(&self) -> String {
        match self {
            Self::Tool(_) => "the tool failed".to_owned(),
            Self::Prompt(_) => "the prompt failed".to_owned(),
            Self::Resource(_) => "the resource failed".to_owned(),
            Self::Completion => "the completion failed".to_owned(),
            Self::Tasks => "the task store failed".to_owned(),
        }
    }
}

/// Adds how long the contents may be kept, and by whom (server/utilities/caching).
///
/// Nothing is known of contents of which nobody says anything, so these are not kept, and neither are those that depend
/// on answers, which no cache asks for.
fn add_cache_hints(reading: &Reading, written: &mut Written) {
    let said = || {
        let entry = reading.resource.entry();
        let ttl = entry.and_then(|entry| entry.ttl_ms).unwrap_or(0);
        let scope = entry.and_then(|entry| entry.cache_scope);
        (Duration::from_millis(ttl), scope.unwrap_or_default())
    };
    let (ttl, scope) = if reading.carries_a_round {
        (Duration::ZERO, CacheScope::Private)
    } else {
        written.cache.unwrap_or_else(said)
    };
    written.out.push(b',');
    let members = cache_members(ttl, scope);
    written.out.extend_from_slice(members.as_bytes());
}

/// Adds the prompt's own description to a result that has none.
fn describe(prompt: &Prompt, written: &mut Written) {
    if !written.is_described {
        written.out.extend_from_slice(br#","description":"#);
        write_str(&mut written.out, &prompt.description);
    }
}

fn panicked(called: &Called, panic: &Panicked, reply: &mut Reply) {
    log_panic(called, panic);
    reply.failure(Failure::Panic);
}

/// Tells the log what a panic said; the client learns only that there was one.
pub(super) fn log_panic(called: &Called, panic: &Panicked) {
    tracing::error!("{called} panicked: {panic}");
}
