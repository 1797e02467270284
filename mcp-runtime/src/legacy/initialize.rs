//! The handshake (2025-11-25, basic/lifecycle): `initialize` and its result.

use serde::Serialize;
use serde_json::value::RawValue;

use super::revision::negotiate;
use crate::jsonrpc::{RawId, write_result_start};
use crate::protocol::{
    Implementation, LoggingLevel, Params, Revision, ServerCapabilities, Session,
};

/// Reads the parameters of `initialize`.
///
/// # Errors
///
/// What is wrong with them.
pub(crate) fn open_session(params: Option<&Params<'_>>) -> Result<Session, &'static str> {
    let params = params.ok_or("protocolVersion is required")?;
    let version = params
        .protocol_version
        .and_then(|raw| serde_json::from_str::<String>(raw.get()).ok())
        .ok_or("protocolVersion is required and must be a string")?;
    let capabilities = match params.capabilities.map(RawValue::get) {
        Some(capabilities) if capabilities.starts_with('{') => capabilities,
        Some(_) => return Err("capabilities must be an object"),
        // The schema requires them, and clients that can do nothing leave them out.
        None => "{}",
    };
    let client_info = match params.client_info.map(RawValue::get) {
        Some(info) if info.starts_with('{') => Some(info.into()),
        Some(_) => return Err("clientInfo must be an object"),
        None => None,
    };
    Ok(Session::new(
        negotiate(&version),
        capabilities.into(),
        client_info,
    ))
}

/// Reads the parameters of `logging/setLevel`.
pub(crate) fn log_level(params: Option<&Params<'_>>) -> Option<LoggingLevel> {
    let level: String = serde_json::from_str(params?.level?.get()).ok()?;
    LoggingLevel::parse(&level)
}

/// Reads the parameters of `resources/subscribe` and `resources/unsubscribe`.
pub(crate) fn uri(params: Option<&Params<'_>>) -> Option<Box<str>> {
    serde_json::from_str(params?.uri?.get()).ok()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InitializeResult<'a> {
    protocol_version: &'static str,
    capabilities: ServerCapabilities,
    server_info: Implementation,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
}

/// Writes the response to the `initialize` that opened a session.
pub(crate) fn write_session(
    out: &mut Vec<u8>,
    id: RawId<'_>,
    session: &Session,
    capabilities: ServerCapabilities,
    info: &Implementation,
    instructions: Option<&str>,
) {
    let result = InitializeResult {
        protocol_version: session.revision.name,
        capabilities,
        server_info: info_in(session.revision, info),
        instructions,
    };
    write_result_start(out, id);
    // Strings and a fixed structure can always be written.
    out.extend_from_slice(&serde_json::to_vec(&result).unwrap_or_default());
    out.push(b'}');
}

/// What a revision can say of the server.
fn info_in(revision: &Revision, info: &Implementation) -> Implementation {
    let mut info = info.clone();
    if !revision.has_titles {
        info.title = None;
    }
    if !revision.has_icons {
        info.description = None;
        info.website_url = None;
        info.icons.clear();
    }
    info
}
