//! The requests that are measured, as a client of the protocol sends them.

/// What a client says of itself in every request.
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"figures","version":"0.1.0"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

/// A call of the tool `add`, without a newline.
#[must_use]
pub fn add(id: usize) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"add","arguments":{{"a":2,"b":3}},{META}}}}}"#
    )
}

/// A request for the list of tools, without a newline.
#[must_use]
pub fn list(id: usize) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{{META}}}}}"#)
}
