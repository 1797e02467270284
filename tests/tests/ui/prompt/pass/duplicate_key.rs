use mcp_runtime::prelude::*;

/// Greet somebody.
#[mcp_prompt(name = "a")]
fn greet() -> &'static str {
    "Hello!"
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.get_prompt_blocking("a", serde_json::json!({}));
    assert_eq!(result["messages"][0]["content"]["text"], "Hello!");
}
