//! The stages of a transport that mirrors a request in headers (basic/transports/streamable-http, "Request Metadata").
//!
//! Intermediaries route by the headers, so a request whose headers say something else than its body is refused.
//! Nothing here knows HTTP: a transport answers look-ups of names in lower case.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;

use self::header::{METHOD, NAME, PARAM, VERSION};
use super::message::string;
use super::{Core, DispatchError, Request};
use crate::protocol::Method;
use crate::schema::{Mirrored, says};

/// The names of the headers, in lower case.
pub(crate) mod header {
    pub(crate) const VERSION: &str = "mcp-protocol-version";
    pub(crate) const METHOD: &str = "mcp-method";
    pub(crate) const NAME: &str = "mcp-name";
    /// Before the name that `x-mcp-header` gives an argument.
    pub(super) const PARAM: &str = "mcp-param-";
}

const BASE64_START: &str = "=?base64?";
const BASE64_END: &str = "?=";

/// The headers of a request.
pub(crate) trait RoutingHeaders {
    /// Looks up a header by its name in lower case.
    fn field(&self, name: &str) -> Field<'_>;
}

/// What a request has under the name of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    not(feature = "http"),
    allow(dead_code, reason = "only HTTP has headers")
)]
pub(crate) enum Field<'h> {
    /// Nothing.
    Absent,
    /// One line.
    One(&'h [u8]),
    /// Several lines, which two readers could understand in two ways.
    Repeated,
}

/// Whether the headers that every request carries are there.
pub(super) fn are_there(headers: &dyn RoutingHeaders) -> bool {
    [VERSION, METHOD]
        .iter()
        .all(|name| headers.field(name) != Field::Absent)
}

/// The headers that every request carries: gives the stated version, once the method is right.
pub(super) fn require<'h>(
    headers: &'h dyn RoutingHeaders,
    method: &str,
) -> Result<&'h str, DispatchError> {
    let version = required(headers, VERSION)?;
    compare(METHOD, required(headers, METHOD)?, method)?;
    Ok(version)
}

/// The version that the headers state is that of the metadata.
pub(super) fn check_version(stated: &str, version: &str) -> Result<(), DispatchError> {
    compare(VERSION, stated, version)
}

/// `Mcp-Name` is the name or URI that the method is about.
pub(super) fn check_name(
    headers: &dyn RoutingHeaders,
    request: &Request<'_>,
    method: Method,
) -> Result<(), DispatchError> {
    let Some(member) = method.spec().mirrored else {
        return Ok(());
    };
    let header = decode(NAME, required(headers, NAME)?)?;
    let value = request.params().and_then(|params| member.of(params));
    match value.and_then(string) {
        Some(name) => compare(NAME, &header, &name),
        // The parameters are judged by their own stage, which says what is missing.
        None => Ok(()),
    }
}

/// `Mcp-Param-*` say what the annotated arguments say.
///
/// Where an argument is absent or `null`, a header in its place says something that the body does not.
pub(super) fn check_arguments(
    headers: &dyn RoutingHeaders,
    request: &Request<'_>,
    method: Method,
    core: &Core,
) -> Result<(), DispatchError> {
    let params = request.params().filter(|_| method.spec().mirrors_arguments);
    let Some(params) = params else {
        return Ok(());
    };
    let Some(name) = params.name.and_then(string) else {
        return Ok(());
    };
    let registry = core.registry.load();
    // What is wrong with a name or a schema is told by the stages of the call.
    let Some(Ok(input)) = registry.tool(&name).map(|tool| tool.input()) else {
        return Ok(());
    };
    for mirror in &input.mirrors {
        let name = format!("{PARAM}{}", mirror.header.to_ascii_lowercase());
        let field = headers.field(&name);
        let argument = mirror.argument();
        match mirror.find(params.arguments.map_or("{}", RawValue::get)) {
            Mirrored::Ambiguous => {
                return mismatch(format!("the argument {argument} stands twice"));
            }
            Mirrored::Absent if field == Field::Absent => {}
            Mirrored::Absent => {
                return mismatch(format!(
                    "{} is there although the body has no argument {argument}",
                    shown(&name)
                ));
            }
            // No header can say what these say; that the argument is wrong is told by its own stage.
            Mirrored::Value(value) if value.starts_with(['[', '{']) && field == Field::Absent => {}
            Mirrored::Value(value) => {
                let header = decode(&name, required(headers, &name)?)?;
                if !says(&header, value) {
                    return mismatch(format!(
                        "{} header value '{}' does not match the argument {argument}",
                        shown(&name),
                        short(&header)
                    ));
                }
            }
        }
    }
    Ok(())
}

/// The value of a header that has to be there, once, in characters that a header may have.
fn required<'h>(headers: &'h dyn RoutingHeaders, name: &str) -> Result<&'h str, DispatchError> {
    match headers.field(name) {
        Field::Absent => mismatch(format!("{} header is required", shown(name))),
        Field::Repeated => mismatch(format!("{} header stands twice", shown(name))),
        Field::One(value) => {
            let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
            match std::str::from_utf8(value) {
                Ok(text)
                    if value
                        .iter()
                        .all(|byte| byte.is_ascii_graphic() || blank(byte)) =>
                {
                    Ok(text.trim_matches([' ', '\t']))
                }
                _ => mismatch(format!(
                    "{} header value has invalid characters",
                    shown(name)
                )),
            }
        }
    }
}

/// Decodes a value that may be in base64 (the same page, "Value Encoding").
fn decode<'h>(name: &str, value: &'h str) -> Result<Cow<'h, str>, DispatchError> {
    // Stripping one after the other leaves `=?base64?=` a plain value: its two marks overlap.
    let encoded = value
        .strip_prefix(BASE64_START)
        .and_then(|rest| rest.strip_suffix(BASE64_END));
    let Some(encoded) = encoded else {
        return Ok(Cow::Borrowed(value));
    };
    match STANDARD.decode(encoded).map(String::from_utf8) {
        Ok(Ok(text)) => Ok(Cow::Owned(text)),
        Ok(Err(_)) => mismatch(format!("{} header value is not UTF-8", shown(name))),
        Err(_) => mismatch(format!("{} header value is not base64", shown(name))),
    }
}

fn compare(name: &str, header: &str, body: &str) -> Result<(), DispatchError> {
    if header == body {
        return Ok(());
    }
    mismatch(format!(
        "{} header value '{}' does not match body value '{}'",
        shown(name),
        short(header),
        short(body)
    ))
}

fn mismatch<T>(reason: String) -> Result<T, DispatchError> {
    Err(DispatchError::HeaderMismatch(reason))
}

/// A header's name as the specification writes it.
fn shown(name: &str) -> String {
    if name == VERSION {
        return "MCP-Protocol-Version".to_owned();
    }
    let mut upper = true;
    name.chars()
        .map(|c| {
            let shown = if upper { c.to_ascii_uppercase() } else { c };
            upper = c == '-';
            shown
        })
        .collect()
}

/// As much of a value as a reader needs to recognise it.
fn short(value: &str) -> Cow<'_, str> {
    match value.char_indices().nth(100) {
        None => Cow::Borrowed(value),
        Some((end, _)) => Cow::Owned(format!("{}…", &value[..end])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_strictly() {
        let decoded = |value| decode(NAME, value).ok();
        assert_eq!(decoded("=?base64?SGVsbG8=?=").unwrap(), "Hello");
        assert_eq!(decoded("=?base64??=").unwrap(), "");
        assert_eq!(
            decoded("=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=").unwrap(),
            "=?base64?literal?="
        );
        for refused in [
            "=?base64?SGVsbG8?=",
            "=?base64?SGVs!!!bG8=?=",
            "=?base64?SGVsbG9=?=",
            "=?base64?SGVsbG8-?=",
            "=?base64?SGVs bG8=?=",
            "=?base64?/w==?=",
        ] {
            assert_eq!(decoded(refused), None, "{refused}");
        }
    }

    #[test]
    fn what_only_resembles_base64_is_itself() {
        for plain in [
            "=?base64?=",
            "=?base64?SGVsbG8=",
            "SGVsbG8=?=",
            "SGVsbG8=",
            "=?BASE64?SGVsbG8=?=",
            "",
        ] {
            assert_eq!(decode(NAME, plain).unwrap(), plain);
        }
    }

    #[test]
    fn names_are_shown_as_the_specification_writes_them() {
        assert_eq!(shown(METHOD), "Mcp-Method");
        assert_eq!(shown("mcp-param-region"), "Mcp-Param-Region");
    }

    #[test]
    fn long_values_are_cut_between_characters() {
        assert_eq!(short(&"ü".repeat(200)).chars().count(), 101);
    }
}
