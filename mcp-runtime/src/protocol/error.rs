//! Error codes that MCP adds to those of JSON-RPC (basic, "Error Codes").

use std::ops::RangeInclusive;

/// The headers of an HTTP request are missing, malformed, or say something else than its body
/// (basic/transports/streamable-http, "Server Validation").
pub(crate) const HEADER_MISMATCH: i32 = -32020;
/// A request needs a capability that the client has not declared.
pub(crate) const MISSING_REQUIRED_CLIENT_CAPABILITY: i32 = -32021;
/// The client asks for a revision that is not served.
pub(crate) const UNSUPPORTED_PROTOCOL_VERSION: i32 = -32022;
/// Codes that only the specification gives a meaning.
pub(crate) const KEPT: RangeInclusive<i32> = -32099..=-32020;
/// A resource was not found, in revisions before this one, which must not say so.
pub(crate) const OLD_RESOURCE_NOT_FOUND: i32 = -32002;
