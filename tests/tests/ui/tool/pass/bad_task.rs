use mcp_runtime::prelude::*;
use serde_json::json;

/// Add, beside other calls.
#[mcp_tool(task)]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Be nothing but a task.
#[mcp_tool(task = "required")]
async fn ask() {}

/// Become a task, perhaps.
#[mcp_tool(task = "deferred")]
async fn say(ctx: &Context) {
    ctx.status("saying");
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    // This client does not know tasks.
    assert_eq!(server.call_blocking("add", json!({"a": 1, "b": 2})).text(), "3");
    assert!(!server.call_blocking("say", json!({})).is_error());
    let refused = server.call_blocking("ask", json!({}));
    assert_eq!(refused.error().unwrap()["code"], -32021);
}
