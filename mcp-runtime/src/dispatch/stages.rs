//! The one order of checks, from the envelope to the parameters.
//!
//! Every message on every transport passes these stages from top to bottom, and none runs if an earlier one refused.

use serde_json::value::RawValue;

use super::message::{string, top_level_meta};
use super::routing::{self, RoutingHeaders};
use super::{CallControl, Core, DispatchError, Request, task};
use crate::jsonrpc::{RawId, Shape};
use crate::protocol::{
    LoggingLevel, PROTOCOL_VERSION, Params, RequestMeta, SUPPORTED_VERSIONS, method,
};

/// A request that has been admitted to its method.
#[derive(Debug, Clone, Copy)]
pub(super) enum Method<'r, 'a> {
    /// `server/discover`
    Discover,
    /// A list
    List(List, Option<&'r Params<'a>>),
    /// `tools/call`
    CallTool(&'r Params<'a>),
    /// `prompts/get`
    GetPrompt(&'r Params<'a>),
    /// `resources/read`
    ReadResource(&'r Params<'a>),
    /// `completion/complete`
    Complete(&'r Params<'a>),
    /// `subscriptions/listen`
    Listen(&'r Params<'a>),
    /// `tasks/get`
    GetTask(&'r Params<'a>),
    /// `tasks/update`
    UpdateTask(&'r Params<'a>),
    /// `tasks/cancel`
    CancelTask(&'r Params<'a>),
}

/// The lists, which are made once.
#[derive(Debug, Clone, Copy)]
pub(super) enum List {
    /// `tools/list`
    Tools,
    /// `prompts/list`
    Prompts,
    /// `resources/list`
    Resources,
    /// `resources/templates/list`
    Templates,
}

/// Leads a request through the stages.
///
/// The headers are those of a transport that has some; callers without metadata have none to be held to either.
pub(super) fn admit<'r, 'a>(
    core: &Core,
    request: &'r Request<'a>,
    headers: Option<&dyn RoutingHeaders>,
    control: &CallControl,
) -> Result<Method<'r, 'a>, DispatchError> {
    let answers = core.options.profile.answers();
    let headers = headers.filter(|_| answers.needs_meta);
    refuse_initialize(request, headers)?;
    if answers.needs_meta {
        let stated = headers
            .map(|headers| routing::require(headers, &request.method))
            .transpose()?;
        let meta = require_meta(request)?;
        let version = require_version(meta)?;
        require_capabilities(meta)?;
        check_optional_meta(meta)?;
        if let Some(stated) = stated {
            routing::check_version(stated, &string(version).unwrap_or_default())?;
        }
        require_served(version)?;
    } else {
        check_plain_version(request)?;
    }
    let method = find_method(core, request, control)?;
    if let Some(headers) = headers {
        routing::check_name(headers, request, method)?;
        routing::check_arguments(headers, request, method, core)?;
    }
    require_extension(request, method)?;
    check_params(request, method)
}

/// Older clients begin with a handshake; the answer tells them what is spoken here.
fn refuse_initialize(
    request: &Request<'_>,
    headers: Option<&dyn RoutingHeaders>,
) -> Result<(), DispatchError> {
    if request.method != method::INITIALIZE {
        return Ok(());
    }
    match headers {
        Some(headers) if !routing::are_there(headers) => {
            Err(DispatchError::InitializeWithoutHeaders)
        }
        _ => Err(DispatchError::Initialize),
    }
}

fn require_meta<'r, 'a>(request: &'r Request<'a>) -> Result<&'r RequestMeta<'a>, DispatchError> {
    let Some(Shape::Object(params)) = &request.params else {
        return Err(DispatchError::NO_META);
    };
    match &params.meta {
        Some(Shape::Object(meta)) if meta.duplicate.is_none() => Ok(meta),
        Some(Shape::Object(_)) => Err(DispatchError::Meta("params._meta", "has a key twice")),
        Some(_) => Err(DispatchError::META_NOT_OBJECT),
        None => Err(DispatchError::NO_META),
    }
}

fn require_version<'a>(meta: &RequestMeta<'a>) -> Result<&'a RawValue, DispatchError> {
    match meta.protocol_version {
        Some(version) if version.get().starts_with('"') => Ok(version),
        Some(_) => Err(DispatchError::VERSION_NOT_STRING),
        None => Err(DispatchError::NO_VERSION),
    }
}

fn require_capabilities(meta: &RequestMeta<'_>) -> Result<(), DispatchError> {
    match meta.client_capabilities {
        Some(capabilities) if is_object(capabilities) => Ok(()),
        Some(_) => Err(DispatchError::CAPABILITIES_NOT_OBJECT),
        None => Err(DispatchError::NO_CAPABILITIES),
    }
}

fn check_optional_meta(meta: &RequestMeta<'_>) -> Result<(), DispatchError> {
    if meta.client_info.is_some_and(|info| !is_object(info)) {
        return Err(DispatchError::CLIENT_INFO_NOT_OBJECT);
    }
    if meta
        .progress_token
        .is_some_and(|token| RawId::new(token).is_none())
    {
        return Err(DispatchError::BAD_PROGRESS_TOKEN);
    }
    if meta
        .log_level
        .is_some_and(|level| logging_level(level).is_none())
    {
        return Err(DispatchError::BAD_LOG_LEVEL);
    }
    Ok(())
}

fn require_served(version: &RawValue) -> Result<(), DispatchError> {
    let version = string(version).unwrap_or_default();
    if SUPPORTED_VERSIONS.contains(&&*version) {
        Ok(())
    } else {
        Err(DispatchError::UnsupportedVersion(version.into_owned()))
    }
}

/// Callers without metadata may still name the revision, in one of three places; if they do it must be ours.
fn check_plain_version(request: &Request<'_>) -> Result<(), DispatchError> {
    let top_level = request.meta.and_then(top_level_meta);
    let inner = match &request.params {
        Some(Shape::Object(Params {
            meta: Some(Shape::Object(meta)),
            ..
        })) => Some(meta),
        _ => None,
    };
    for meta in top_level.iter().chain(inner) {
        let served =
            |version: &RawValue| string(version).is_some_and(|version| version == PROTOCOL_VERSION);
        if meta.plain_version.is_some_and(|version| !served(version)) {
            return Err(DispatchError::PlainVersion);
        }
        if let Some(version) = meta.protocol_version.filter(|version| !served(version)) {
            let version = string(version).unwrap_or_else(|| version.get().into());
            return Err(DispatchError::UnsupportedVersion(version.into_owned()));
        }
    }
    Ok(())
}

/// A method of a feature that the server does not have is as unknown as any other.
fn find_method(
    core: &Core,
    request: &Request<'_>,
    control: &CallControl,
) -> Result<&'static str, DispatchError> {
    match &*request.method {
        method::TOOLS_CALL => Ok(method::TOOLS_CALL),
        method::TOOLS_LIST => Ok(method::TOOLS_LIST),
        method::SERVER_DISCOVER if core.options.profile.answers().has_all_methods => {
            Ok(method::SERVER_DISCOVER)
        }
        method::PROMPTS_LIST if core.serves_prompts() => Ok(method::PROMPTS_LIST),
        method::PROMPTS_GET if core.serves_prompts() => Ok(method::PROMPTS_GET),
        method::RESOURCES_LIST if core.serves_resources() => Ok(method::RESOURCES_LIST),
        method::TEMPLATES_LIST if core.serves_resources() => Ok(method::TEMPLATES_LIST),
        method::RESOURCES_READ if core.serves_resources() => Ok(method::RESOURCES_READ),
        method::COMPLETION_COMPLETE if core.serves_completions() => Ok(method::COMPLETION_COMPLETE),
        method::SUBSCRIPTIONS_LISTEN if core.serves_listeners(control) => {
            Ok(method::SUBSCRIPTIONS_LISTEN)
        }
        method::TASKS_GET if core.tasks.is_some() => Ok(method::TASKS_GET),
        method::TASKS_UPDATE if core.tasks.is_some() => Ok(method::TASKS_UPDATE),
        method::TASKS_CANCEL if core.tasks.is_some() => Ok(method::TASKS_CANCEL),
        other => Err(DispatchError::UnknownMethod(other.to_owned())),
    }
}

/// Methods of an extension are for clients that declare it (SEP-2663, "Protocol Errors").
fn require_extension(request: &Request<'_>, method: &str) -> Result<(), DispatchError> {
    match method {
        method::TASKS_GET | method::TASKS_UPDATE | method::TASKS_CANCEL => {
            task::require_extension(request)
        }
        _ => Ok(()),
    }
}

fn check_params<'r, 'a>(
    request: &'r Request<'a>,
    method: &'static str,
) -> Result<Method<'r, 'a>, DispatchError> {
    let params = match &request.params {
        Some(Shape::Object(params)) => Some(params),
        Some(Shape::Null) | None => None,
        Some(Shape::Array | Shape::Scalar) => {
            return Err(DispatchError::Params("params must be an object"));
        }
    };
    if params.is_some_and(|params| params.duplicate.is_some()) {
        return Err(DispatchError::Params("a member of params stands twice"));
    }
    let required = |missing| params.ok_or(DispatchError::Params(missing));
    match method {
        method::TOOLS_CALL => required("name is required").map(Method::CallTool),
        method::PROMPTS_LIST => Ok(Method::List(List::Prompts, params)),
        method::PROMPTS_GET => required("name is required").map(Method::GetPrompt),
        method::RESOURCES_LIST => Ok(Method::List(List::Resources, params)),
        method::TEMPLATES_LIST => Ok(Method::List(List::Templates, params)),
        method::RESOURCES_READ => required("uri is required").map(Method::ReadResource),
        method::COMPLETION_COMPLETE => required("ref is required").map(Method::Complete),
        method::SUBSCRIPTIONS_LISTEN => required("notifications is required").map(Method::Listen),
        method::TOOLS_LIST => Ok(Method::List(List::Tools, params)),
        method::TASKS_GET => required("taskId is required").map(Method::GetTask),
        method::TASKS_UPDATE => required("taskId is required").map(Method::UpdateTask),
        method::TASKS_CANCEL => required("taskId is required").map(Method::CancelTask),
        _ => Ok(Method::Discover),
    }
}

/// The level of a name (server/utilities/logging, "Error Handling").
pub(super) fn logging_level(raw: &RawValue) -> Option<LoggingLevel> {
    LoggingLevel::parse(&string(raw)?)
}

fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}
