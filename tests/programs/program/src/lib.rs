//! A library that the programs name, with a tool of its own.

use mcp_runtime::Server;
use serde_json::json;

/// Tools of the library.
pub mod tools {
    use mcp_runtime::prelude::*;

    /// Stands in a library that the program names anyway.
    #[mcp_tool]
    fn named() -> &'static str {
        "named"
    }
}

/// The whole answer to `tools/list`.
#[must_use]
pub fn list(server: &Server) -> String {
    let request = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/list",
        "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": mcp_runtime::PROTOCOL_VERSION,
            "io.modelcontextprotocol/clientCapabilities": {},
        }},
    });
    server
        .handle_request(&request)
        .unwrap_or_default()
        .to_string()
}
