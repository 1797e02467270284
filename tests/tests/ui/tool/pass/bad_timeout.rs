use mcp_runtime::prelude::*;
use serde_json::json;

/// Wait.
#[mcp_tool(timeout = "500ms")]
fn milliseconds() {}

/// Wait.
#[mcp_tool(timeout = "10s")]
async fn seconds() {}

/// Wait.
#[mcp_tool(timeout = "2m")]
fn minutes() {}

/// Wait.
#[mcp_tool(timeout = "1h")]
fn hours() {}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    for tool in ["milliseconds", "seconds", "minutes", "hours"] {
        assert!(!server.call_blocking(tool, json!({})).is_error(), "{tool}");
    }
}
