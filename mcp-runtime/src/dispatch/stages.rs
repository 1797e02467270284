//! The one order of checks, from the envelope to the parameters.
//!
//! Every message on every transport passes these stages from top to bottom, and none runs if an earlier one refused.

use serde_json::value::RawValue;

use super::header_mirror::{self, RoutingHeaders};
use super::message::{string, top_level_meta};
use super::{CallHandle, Core, DispatchError, Request};
use crate::convert::MissingCapability;
use crate::jsonrpc::{RawId, Shape};
use crate::protocol::{
    Capability, LoggingLevel, Method, PROTOCOL_VERSION, Params, RequestMeta, SUPPORTED_VERSIONS,
};

/// A request that has been admitted to its method, whose required parameters are an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Admitted<'r, 'a> {
    pub(super) method: Method,
    /// Empty if the request has none.
    pub(super) params: &'r Params<'a>,
}

/// Leads a request through the stages.
///
/// The headers are those of a transport that has some; callers without metadata have none to be held to either.
pub(super) fn admit<'r, 'a>(
    core: &Core,
    request: &'r Request<'a>,
    headers: Option<&dyn RoutingHeaders>,
    control: &CallHandle,
) -> Result<Admitted<'r, 'a>, DispatchError> {
    let answers = core.options.profile.answers();
    let headers = headers.filter(|_| answers.needs_meta);
    refuse_initialize(request, headers)?;
    if control.session().is_some() {
        check_session_meta(request)?;
    } else if answers.needs_meta {
        let stated = headers
            .map(|headers| header_mirror::require(headers, &request.method_name))
            .transpose()?;
        let meta = require_meta(request)?;
        let version = require_version(meta)?;
        require_capabilities(meta)?;
        check_optional_meta(meta)?;
        if let Some(stated) = stated {
            header_mirror::check_version(stated, &string(version).unwrap_or_default())?;
        }
        require_served(version)?;
    } else {
        check_plain_version(request)?;
    }
    let method = find_method(core, request, control)?;
    if let Some(headers) = headers {
        header_mirror::check_name(headers, request, method)?;
        header_mirror::check_arguments(headers, request, method, core)?;
    }
    if let Some(extension) = method.spec().extension {
        require_extension(request, extension)?;
    }
    check_params(request, method)
}

/// Older clients begin with a handshake; the answer tells them what is spoken here.
fn refuse_initialize(
    request: &Request<'_>,
    headers: Option<&dyn RoutingHeaders>,
) -> Result<(), DispatchError> {
    if request.method != Some(Method::Initialize) {
        return Ok(());
    }
    match headers {
        Some(headers) if !header_mirror::are_there(headers) => {
            Err(DispatchError::InitializeWithoutHeaders)
        }
        _ => Err(DispatchError::Initialize),
    }
}

fn require_meta<'r, 'a>(request: &'r Request<'a>) -> Result<&'r RequestMeta<'a>, DispatchError> {
    let params = request.params().ok_or(DispatchError::NO_META)?;
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

/// Requests of a session have no metadata but what they want to have; the session has the rest.
fn check_session_meta(request: &Request<'_>) -> Result<(), DispatchError> {
    let token = request.metadata().and_then(|meta| meta.progress_token);
    match token.filter(|token| RawId::new(token).is_none()) {
        Some(_) => Err(DispatchError::BAD_PROGRESS_TOKEN),
        None => Ok(()),
    }
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
    for meta in top_level.iter().chain(request.metadata()) {
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
    control: &CallHandle,
) -> Result<Method, DispatchError> {
    request
        .method
        .filter(|method| core.serves(method.spec().feature, control))
        .ok_or_else(|| DispatchError::UnknownMethod(request.method_name.to_string()))
}

/// Methods of an extension are for clients that declare it (SEP-2663, "Protocol Errors").
pub(super) fn require_extension(
    request: &Request<'_>,
    extension: &'static str,
) -> Result<(), DispatchError> {
    let missing = if declares(request, extension) {
        Vec::new()
    } else {
        vec![Capability::extension(extension)]
    };
    MissingCapability::any(missing).map_err(DispatchError::MissingCapability)
}

/// Whether the client declares an extension.
pub(super) fn declares(request: &Request<'_>, extension: &'static str) -> bool {
    request
        .metadata()
        .and_then(|meta| meta.client_capabilities)
        .and_then(|capabilities| serde_json::from_str(capabilities.get()).ok())
        .is_some_and(|declared| Capability::extension(extension).is_declared_in(&declared))
}

fn check_params<'r, 'a>(
    request: &'r Request<'a>,
    method: Method,
) -> Result<Admitted<'r, 'a>, DispatchError> {
    let params = match &request.params {
        Some(Shape::Object(params)) => params,
        Some(Shape::Null) | None => match method.spec().missing {
            Some(missing) => return Err(DispatchError::Params(missing)),
            None => &Params::EMPTY,
        },
        Some(Shape::Array | Shape::Scalar) => {
            return Err(DispatchError::Params("params must be an object"));
        }
    };
    if params.duplicate.is_some() {
        return Err(DispatchError::Params("a member of params stands twice"));
    }
    Ok(Admitted { method, params })
}

/// The level of a name (server/utilities/logging, "Error Handling").
pub(super) fn logging_level(raw: &RawValue) -> Option<LoggingLevel> {
    LoggingLevel::parse(&string(raw)?)
}

fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}
