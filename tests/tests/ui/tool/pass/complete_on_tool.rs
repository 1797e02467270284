use mcp_runtime::prelude::*;

/// Greet somebody.
#[mcp_tool]
fn greet(name: String) -> String {
    name
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("greet", serde_json::json!({"name": "Ada"})).text(), "Ada");
}
