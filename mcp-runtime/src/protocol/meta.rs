//! `_meta`: the metadata of requests and results (basic, "`_meta`").

use serde_json::value::RawValue;

use crate::jsonrpc::object;

/// The object under a `_meta` key.
pub type Meta = serde_json::Map<String, serde_json::Value>;

/// The keys that the protocol reserves for itself.
pub(crate) mod key {
    /// The revision that a request is written in.
    pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    /// What the client can do, for this request.
    pub(crate) const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    /// The software of the client.
    pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
    /// The least severe log messages that the client wants to have of a request.
    pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
    /// The software of the server.
    pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
    /// The stream that a message belongs to.
    pub(crate) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
}

object! {
    /// The metadata of a request, as far as the protocol defines it; everything else is left unread.
    pub(crate) struct RequestMeta<'a> {
        /// The revision of the protocol.
        protocol_version: &'a RawValue = "io.modelcontextprotocol/protocolVersion",
        /// What the client can do.
        client_capabilities: &'a RawValue = "io.modelcontextprotocol/clientCapabilities",
        /// The software of the client.
        client_info: &'a RawValue = "io.modelcontextprotocol/clientInfo",
        /// The token under which progress is reported.
        progress_token: &'a RawValue = "progressToken",
        /// The least severe log messages that the client wants to have.
        log_level: &'a RawValue = "io.modelcontextprotocol/logLevel",
        /// The trace that the request belongs to, and the caller's place in it.
        traceparent: &'a RawValue = "traceparent",
        /// What the vendors of tracing systems add to that.
        tracestate: &'a RawValue = "tracestate",
        /// Properties that travel along with the trace.
        baggage: &'a RawValue = "baggage",
        /// A version under a key that the protocol does not have; only the contract profile looks at it.
        plain_version: &'a RawValue = "protocolVersion",
    }
}
