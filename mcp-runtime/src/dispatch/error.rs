//! Why a request is refused, and the one place where that becomes an error on the wire.

use std::fmt;

use serde_json::json;

use super::Profile;
use super::state::BadState;
use crate::convert::MissingCapability;
use crate::jsonrpc::{ErrorObject, code};
use crate::protocol::{PROTOCOL_VERSION, SUPPORTED_VERSIONS, error as mcp, key};
use crate::refusal_log::Refusal;

/// Why a message of too many bytes is refused.
pub(crate) const TOO_LONG: &str = "the message is too long";

/// Why a request is refused as a whole.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub(crate) enum DispatchError {
    /// The text is not JSON that we read.
    NotJson(String),
    /// The JSON is not a request.
    NotARequest(&'static str),
    /// The request is for another path than this one, at which the endpoint is.
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "HTTP alone has paths")
    )]
    UnknownPath(String),
    /// A member of the envelope came twice.
    DuplicateMember(&'static str),
    /// A request with the id, as JSON, is still running.
    IdInUse(String),
    /// As many calls as this are running, and no more may.
    TooManyCalls(usize),
    /// The sender has made too many requests, and may make another in so many seconds.
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "rates are bounded over HTTP alone")
    )]
    TooManyRequests(u64),
    /// The running calls need as much memory as they may.
    TooMuchMemory,
    /// The call alone needs more memory than all calls may; both in bytes.
    CallTooLarge {
        /// What it needs.
        size: usize,
        /// The bound.
        limit: usize,
    },
    /// The answers that are on their way have as many bytes as may be.
    TooManyBytes,
    /// As many streams as this are open, and no more may be.
    TooManyStreams(usize),
    /// A stream would watch more resources than this.
    TooManyResources(usize),
    /// A handshake of an older revision.
    Initialize,
    /// The same, from a client that does not send the headers of this revision either.
    InitializeWithoutHeaders,
    /// A header that mirrors the body is missing, malformed, or says something else.
    HeaderMismatch(String),
    /// A plain `_meta.protocolVersion` that is not served.
    PlainVersion,
    /// Metadata that every request carries is missing or of the wrong type.
    Meta(&'static str, &'static str),
    /// The revision is not served.
    UnsupportedVersion(String),
    /// The method does not exist.
    UnknownMethod(String),
    /// A parameter of the method is missing or of the wrong type.
    Params(&'static str),
    /// A cursor that this list has not issued.
    Cursor,
    /// The tool does not exist.
    UnknownTool(String),
    /// The prompt does not exist.
    UnknownPrompt(String),
    /// Arguments of a prompt are missing, unknown or wrong.
    BadArguments(String),
    /// The resource does not exist.
    UnknownResource(String),
    /// What should be a URI, and is given first, is none, or its variables are wrong.
    BadUri(String, String),
    /// The function behind a prompt or a resource failed.
    Failed(String),
    /// There is no such task, or none of this caller's.
    UnknownTask,
    /// The caller has as many tasks as it may; the text says more.
    TooManyTasks(String),
    /// The store of tasks has failed, or there are no random bytes for an id.
    TaskStore,
    /// The server has been told to work on tasks no more.
    TasksStopped,
    /// The tool of a task is no longer served.
    ToolGone(String),
    /// The tool of a task is another one than when the task began.
    ToolChanged(String),
    /// The client has not declared the capability that the request needs.
    MissingCapability(MissingCapability),
    /// The handler asks for input, which what it serves has no answer for.
    InputRequired(String),
    /// The state that came with the request is not good for it.
    State(BadState),
    /// The call would need more rounds than this.
    TooManyRounds(u32),
    /// What the call has to carry to its next round is too large; both in bytes.
    JournalTooLarge {
        /// How large it is.
        size: usize,
        /// How large it may be.
        limit: usize,
    },
    /// The answer is longer than it may be; both in bytes.
    AnswerTooLarge {
        /// Its size.
        size: usize,
        /// The bound.
        limit: usize,
    },
    /// The schema of the tool cannot be used.
    BrokenSchema(String),
    /// The runtime that async handlers need cannot be made.
    NoRuntime,
    /// The answer is JSON that the caller's form of it cannot hold.
    Unreadable,
    /// The call took longer than it may.
    TimedOut,
    /// The handler answers with an error of the whole request.
    Handler(ErrorObject),
}

impl fmt::Display for DispatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson(reason) => write!(f, "Parse error: {reason}"),
            Self::NotARequest(reason) => write!(f, "Invalid request: {reason}"),
            Self::UnknownPath(path) => write!(f, "Not found: the endpoint is at `{path}`"),
            Self::DuplicateMember(name) => {
                write!(f, "Invalid request: the member `{name}` stands twice")
            }
            Self::IdInUse(id) => write!(
                f,
                "Invalid request: a request with the id {id} is still running"
            ),
            Self::TooManyCalls(limit) => write!(
                f,
                "Too many calls: {limit} are running, wait for one or cancel it"
            ),
            Self::TooManyRequests(seconds) => {
                write!(f, "Too many requests: send the next in {seconds} s")
            }
            Self::TooMuchMemory => f.write_str(
                "Too much memory: the running calls use all that they may, try again later",
            ),
            Self::CallTooLarge { size, limit } => write!(
                f,
                "Invalid params: the call needs {size} bytes for its message and its JSON values, and the limit is {limit}"
            ),
            Self::TooManyBytes => {
                f.write_str("Too many bytes: other answers are on their way, try again later")
            }
            Self::TooManyStreams(limit) => write!(
                f,
                "Too many streams: {limit} are open, close one or try again later"
            ),
            Self::TooManyResources(limit) => write!(
                f,
                "Invalid params: resourceSubscriptions has more than {limit} URIs; open several streams"
            ),
            Self::HeaderMismatch(reason) => write!(f, "Header mismatch: {reason}"),
            Self::Initialize | Self::InitializeWithoutHeaders => write!(
                f,
                "initialize was removed by the stateless {PROTOCOL_VERSION} specification; \
                 this server serves {}: send server/discover, or any request, with its _meta",
                SUPPORTED_VERSIONS.join(", ")
            ),
            Self::PlainVersion => write!(
                f,
                "Invalid request: _meta.protocolVersion is not \"{PROTOCOL_VERSION}\""
            ),
            Self::Meta(name, expected) => write!(f, "Invalid params: {name} {expected}"),
            Self::UnsupportedVersion(version) => {
                write!(f, "Unsupported protocol version: {version}")
            }
            Self::UnknownMethod(method) => write!(f, "Method not found: {method}"),
            Self::Params(reason) => write!(f, "Invalid params: {reason}"),
            Self::Cursor => f.write_str("Invalid params: cursor was not issued for this list"),
            Self::UnknownTool(name) => write!(f, "Unknown tool: {name}"),
            Self::UnknownPrompt(name) => write!(f, "Unknown prompt: {name}"),
            Self::UnknownResource(_) => f.write_str("Resource not found"),
            Self::BadArguments(text) | Self::BadUri(_, text) => {
                write!(f, "Invalid params: {text}")
            }
            Self::Failed(text) => f.write_str(text),
            Self::UnknownTask => f.write_str("Invalid params: task not found"),
            Self::TooManyTasks(text) => write!(f, "Too many tasks: {text}"),
            Self::TaskStore => f.write_str("tasks cannot be stored now"),
            Self::TasksStopped => {
                f.write_str("the server has stopped its work on tasks; call again later")
            }
            Self::ToolGone(tool) => write!(f, "the tool `{tool}` of the task is no longer served"),
            Self::ToolChanged(tool) => write!(
                f,
                "the tool `{tool}` has changed since the task began; call it again"
            ),
            Self::MissingCapability(missing) => write!(f, "{missing}"),
            Self::InputRequired(tool) => write!(
                f,
                "{tool} asks the client for input, which this method cannot pass on"
            ),
            // All others are one to the client: it could learn from the difference.
            Self::State(BadState::Expired) => f.write_str(
                "Invalid params: requestState has expired; begin again without it",
            ),
            Self::State(_) => f.write_str(
                "Invalid params: requestState was not issued by this server for this request",
            ),
            Self::TooManyRounds(limit) => write!(
                f,
                "the call is not done after {limit} rounds of questions, which is the limit"
            ),
            Self::JournalTooLarge { size, limit } => write!(
                f,
                "what the call has to remember for its next round has {size} bytes; the limit is {limit}"
            ),
            Self::AnswerTooLarge { size, limit } => write!(
                f,
                "the answer is too large: it has {size} bytes, and the limit is {limit}"
            ),
            Self::BrokenSchema(tool) => write!(f, "the schema of {tool} cannot be used"),
            Self::NoRuntime => f.write_str("the server has no means to run an async tool now"),
            Self::Unreadable => f.write_str(
                "the answer is nested too deeply, or has a number that is too large, to be read here",
            ),
            Self::TimedOut => f.write_str("tool timed out"),
            Self::Handler(error) => f.write_str(&error.message),
        }
    }
}

impl std::error::Error for DispatchError {}

impl DispatchError {
    /// The error as it goes over the wire.
    pub(crate) fn to_wire(&self, profile: Profile) -> ErrorObject {
        let code = match self {
            Self::NotJson(_) => code::PARSE_ERROR,
            Self::NotARequest(_)
            | Self::UnknownPath(_)
            | Self::DuplicateMember(_)
            | Self::IdInUse(_)
            | Self::PlainVersion => code::INVALID_REQUEST,
            Self::HeaderMismatch(_) | Self::InitializeWithoutHeaders => mcp::HEADER_MISMATCH,
            Self::UnsupportedVersion(_) if profile == Profile::Contract => code::INVALID_REQUEST,
            Self::UnsupportedVersion(_) => mcp::UNSUPPORTED_PROTOCOL_VERSION,
            Self::Initialize | Self::UnknownMethod(_) => code::METHOD_NOT_FOUND,
            Self::Meta(..)
            | Self::Params(_)
            | Self::Cursor
            | Self::UnknownTool(_)
            | Self::UnknownPrompt(_)
            | Self::UnknownResource(_)
            | Self::UnknownTask
            | Self::CallTooLarge { .. }
            | Self::BadUri(..)
            | Self::TooManyResources(_)
            | Self::State(_)
            | Self::BadArguments(_) => code::INVALID_PARAMS,
            Self::InputRequired(_)
            | Self::TooManyRounds(_)
            | Self::JournalTooLarge { .. }
            | Self::AnswerTooLarge { .. }
            | Self::Failed(_)
            | Self::BrokenSchema(_)
            | Self::TooManyTasks(_)
            | Self::TaskStore
            | Self::TasksStopped
            | Self::ToolGone(_)
            | Self::ToolChanged(_)
            | Self::TooManyCalls(_)
            | Self::TooManyRequests(_)
            | Self::TooMuchMemory
            | Self::TooManyBytes
            | Self::TooManyStreams(_)
            | Self::NoRuntime
            | Self::Unreadable
            | Self::TimedOut => code::INTERNAL_ERROR,
            Self::MissingCapability(missing) => return missing.to_error(),
            Self::Handler(error) if profile == Profile::Strict => return allowed(error),
            Self::Handler(error) => return error.clone(),
        };
        let error = ErrorObject::new(code, self.to_string());
        match self {
            Self::Initialize | Self::InitializeWithoutHeaders => {
                error.with_data(json!({ "supported": SUPPORTED_VERSIONS }))
            }
            Self::UnknownResource(uri) | Self::BadUri(uri, _) => {
                error.with_data(json!({ "uri": uri }))
            }
            Self::UnsupportedVersion(requested) => error.with_data(json!({
                "supported": SUPPORTED_VERSIONS,
                "requested": requested,
            })),
            _ => error,
        }
    }
}

impl DispatchError {
    /// How far the request came, for transports that tell it by a status of their own.
    pub(crate) fn verdict(&self) -> Verdict {
        match self {
            Self::NotJson(_)
            | Self::NotARequest(_)
            | Self::UnknownPath(_)
            | Self::DuplicateMember(_)
            | Self::IdInUse(_)
            | Self::PlainVersion
            | Self::Meta(..)
            | Self::UnsupportedVersion(_)
            | Self::InitializeWithoutHeaders
            | Self::MissingCapability(_)
            | Self::HeaderMismatch(_) => Verdict::Malformed,
            Self::Initialize | Self::UnknownMethod(_) => Verdict::UnknownMethod,
            Self::TooManyCalls(_)
            | Self::TooManyRequests(_)
            | Self::TooMuchMemory
            | Self::TooManyBytes
            | Self::TooManyStreams(_)
            | Self::TasksStopped
            | Self::NoRuntime => Verdict::Overloaded,
            // A handler that finds a capability missing speaks of the request as a whole.
            Self::Handler(error) if names_capabilities(error) => Verdict::Malformed,
            Self::Params(_)
            | Self::Cursor
            | Self::UnknownTool(_)
            | Self::UnknownPrompt(_)
            | Self::UnknownResource(_)
            | Self::BadArguments(_)
            | Self::BadUri(..)
            | Self::TooManyResources(_)
            | Self::Failed(_)
            | Self::UnknownTask
            | Self::CallTooLarge { .. }
            | Self::TooManyTasks(_)
            | Self::TaskStore
            | Self::ToolGone(_)
            | Self::ToolChanged(_)
            | Self::InputRequired(_)
            | Self::State(_)
            | Self::TooManyRounds(_)
            | Self::JournalTooLarge { .. }
            | Self::AnswerTooLarge { .. }
            | Self::BrokenSchema(_)
            | Self::Unreadable
            | Self::TimedOut
            | Self::Handler(_) => Verdict::Served,
        }
    }
}

/// Refusals, which the log names together with the option that changes them.
impl DispatchError {
    /// What the log says of this one refusal beside its kind.
    pub(crate) fn refused(&self) -> String {
        match self {
            Self::UnsupportedVersion(version) => version.clone(),
            Self::TooManyTasks(text) => text.clone(),
            Self::TooManyCalls(limit)
            | Self::TooManyStreams(limit)
            | Self::TooManyResources(limit) => {
                format!("the bound is {limit}")
            }
            Self::JournalTooLarge { size, limit }
            | Self::AnswerTooLarge { size, limit }
            | Self::CallTooLarge { size, limit } => {
                format!("it has {size} bytes, and the bound is {limit}")
            }
            _ => String::new(),
        }
    }

    /// What the log says of the error, if it is a refusal for lack of room, time or right, or of an unknown era.
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        let (what, option) = match self {
            Self::Initialize | Self::InitializeWithoutHeaders => (
                "`initialize` is refused: the client speaks an older revision of MCP",
                "leave out `ServerBuilder::modern_only`, and keep the feature `legacy`",
            ),
            Self::UnsupportedVersion(_) | Self::PlainVersion => (
                "a request is refused: it asks for a revision of MCP that is not served",
                "no option changes that",
            ),
            Self::Meta(key::PROTOCOL_VERSION | "params._meta", _) => (
                "a request is refused: it names no revision of MCP in `_meta`, as clients of older revisions do",
                "no option changes that",
            ),
            Self::TooManyCalls(_) => (
                "a call is refused: too many calls are running",
                "`ServerBuilder::max_calls_in_flight` sets the bound",
            ),
            Self::TooManyStreams(_) => (
                "a stream is refused: too many streams are open",
                "`ServerBuilder::max_listen_streams` sets the bound",
            ),
            Self::TooManyResources(_) => (
                "a stream is refused: it watches too many resources",
                "`ServerBuilder::max_watched_resources` sets the bound",
            ),
            Self::TooManyTasks(_) => (
                "a task is refused: its caller has too many tasks",
                "`ServerBuilder::tasks_running` and `ServerBuilder::tasks_stored` set the bounds",
            ),
            Self::TasksStopped => (
                "a task is refused: the work on tasks has been stopped",
                "`Server::resume_tasks` goes on with it",
            ),
            Self::TooManyRounds(_) => (
                "a call is refused: it has had too many rounds of questions",
                "`ServerBuilder::max_rounds` sets the bound",
            ),
            Self::JournalTooLarge { .. } => (
                "a call is refused: it has too much to remember for its next round",
                "`ServerBuilder::max_journal_size` sets the bound",
            ),
            Self::AnswerTooLarge { .. } => (
                "an answer is not sent: it is too large",
                "`ServerBuilder::max_answer_size` sets the bound",
            ),
            Self::State(BadState::Expired) => (
                "a call is refused: its `requestState` has expired",
                "`ServerBuilder::request_state_ttl` sets the time",
            ),
            Self::TimedOut => (
                "a call has timed out",
                "the key `timeout` of the tool, or `ServerBuilder::call_timeout`, sets the time",
            ),
            Self::NotARequest(TOO_LONG) => (
                "a message is refused: it is too long",
                "`ServerBuilder::max_message_size` sets the bound",
            ),
            Self::TooManyRequests(_) => (
                "a request is refused: its sender has made too many",
                "`HttpOptions::rate_limit` sets the rate",
            ),
            Self::TooMuchMemory => (
                "a request is refused: the running calls use all the memory that they may",
                "`ServerBuilder::max_call_memory` sets the bound",
            ),
            Self::CallTooLarge { .. } => (
                "a request is refused: it alone needs more memory than all calls may use",
                "`ServerBuilder::max_call_memory` sets the bound",
            ),
            Self::TooManyBytes => (
                "an answer is not sent, or a call refused: too many bytes of other answers are on their way",
                "`ServerBuilder::max_answer_memory` sets the bound",
            ),
            _ => return None,
        };
        Some(Refusal { what, option })
    }
}

/// The error of a handler, under a code that it may have (basic, "Error Codes").
fn allowed(error: &ErrorObject) -> ErrorObject {
    let is_kept = mcp::KEPT.contains(&error.code) || error.code == mcp::OLD_RESOURCE_NOT_FOUND;
    let mut error = error.clone();
    if is_kept && !names_capabilities(&error) {
        tracing::warn!(
            "a handler fails with the code {}, which the specification keeps for itself; {} is sent",
            error.code,
            code::INTERNAL_ERROR
        );
        error.code = code::INTERNAL_ERROR;
    }
    error
}

/// Whether a handler says what it misses of the client, as [`Context::require`](super::Context::require) does.
pub(super) fn names_capabilities(error: &ErrorObject) -> bool {
    let data = error.data.as_ref();
    error.code == mcp::MISSING_REQUIRED_CLIENT_CAPABILITY
        && data.is_some_and(|data| data["requiredCapabilities"].is_object())
}

/// How far a request came: what a transport with status codes of its own has to know of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Verdict {
    /// It reached its method; whatever the method answers, the exchange went well.
    #[default]
    Served,
    /// It is no request of this revision.
    Malformed,
    /// Its method does not exist.
    UnknownMethod,
    /// It would be served if there were less to do.
    Overloaded,
}

/// Errors about the metadata that every request carries (basic, "`_meta`").
impl DispatchError {
    pub(crate) const NO_META: Self = Self::Meta("params._meta", "is required");
    pub(crate) const META_NOT_OBJECT: Self = Self::Meta("params._meta", "must be an object");
    pub(crate) const NO_VERSION: Self =
        Self::Meta(key::PROTOCOL_VERSION, "is required in params._meta");
    pub(crate) const VERSION_NOT_STRING: Self =
        Self::Meta(key::PROTOCOL_VERSION, "must be a string");
    pub(crate) const NO_CAPABILITIES: Self =
        Self::Meta(key::CLIENT_CAPABILITIES, "is required in params._meta");
    pub(crate) const CAPABILITIES_NOT_OBJECT: Self =
        Self::Meta(key::CLIENT_CAPABILITIES, "must be an object");
    pub(crate) const CLIENT_INFO_NOT_OBJECT: Self =
        Self::Meta(key::CLIENT_INFO, "must be an object");
    pub(crate) const BAD_LOG_LEVEL: Self = Self::Meta(
        key::LOG_LEVEL,
        "must be one of debug, info, notice, warning, error, critical, alert and emergency",
    );
    pub(crate) const BAD_PROGRESS_TOKEN: Self =
        Self::Meta("progressToken", "must be a string or an integer");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_speaks_of_the_whole_request_only_where_it_names_capabilities() {
        let missing = mcp::MISSING_REQUIRED_CLIENT_CAPABILITY;
        let bare = ErrorObject::new(missing, "no");
        let named = json!({"requiredCapabilities": {"roots": {}}});
        let named = bare.clone().with_data(named);
        for (error, verdict, sent) in [
            (&named, Verdict::Malformed, missing),
            (&bare, Verdict::Served, code::INTERNAL_ERROR),
        ] {
            let error = DispatchError::Handler(error.clone());
            assert_eq!(error.verdict(), verdict);
            assert_eq!(error.to_wire(Profile::Strict).code, sent);
            assert_eq!(error.to_wire(Profile::Contract).code, missing);
        }
    }
}
