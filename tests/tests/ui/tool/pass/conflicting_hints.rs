use mcp_runtime::prelude::*;
use serde_json::json;

/// Delete nothing.
#[mcp_tool(read_only, destructive = false, idempotent, open_world = false)]
fn look() {}

/// Delete something.
#[mcp_tool(read_only = false, destructive)]
fn delete() {}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert!(!server.call_blocking("look", json!({})).is_error());
    assert!(!server.call_blocking("delete", json!({})).is_error());
}
