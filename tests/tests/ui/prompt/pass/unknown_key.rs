use mcp_runtime::prelude::*;

/// Greet somebody.
#[mcp_prompt(allow_unknown)]
fn greet() -> &'static str {
    "Hello!"
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.get_prompt_blocking("greet", serde_json::json!({"x": "y"}));
    assert_eq!(result["messages"][0]["content"]["text"], "Hello!");
}
