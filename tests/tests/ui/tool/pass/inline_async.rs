use mcp_runtime::prelude::*;
use serde_json::json;

/// Wait for nothing.
#[mcp_tool(inline)]
fn wait(n: i64) -> i64 {
    n
}

/// Wait for nothing, either.
#[mcp_prompt(inline)]
fn summarize() -> String {
    "all of it".into()
}

/// Neither does this.
#[mcp_resource("data://{id}", inline)]
fn data(id: u32) -> String {
    id.to_string()
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("wait", json!({"n": 1})).text(), "1");
    let prompt = server.get_prompt_blocking("summarize", json!({}));
    assert_eq!(prompt["messages"][0]["content"]["text"], "all of it");
    assert_eq!(server.read_resource_blocking("data://7")["contents"][0]["text"], "7");
}
