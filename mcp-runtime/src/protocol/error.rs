//! Error codes that MCP adds to those of JSON-RPC (basic, "Error codes").

/// The client asks for a revision that is not served.
pub(crate) const UNSUPPORTED_PROTOCOL_VERSION: i32 = -32022;
