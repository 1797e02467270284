use mcp_runtime::prelude::*;
use serde_json::json;

/// Say what is allowed.
#[mcp_tool(meta(
    "com.example.mcp/x" = {"list": [1, -2.5, null, true], "text": "\"quoted\""},
    "x-1" = "text",
    "com.example/" = false,
))]
fn talk() {}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert!(!server.call_blocking("talk", json!({})).is_error());
}
