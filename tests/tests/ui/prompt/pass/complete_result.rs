use mcp_runtime::prelude::*;

fn names(_: &str) -> [&'static str; 1] {
    ["Ada"]
}

/// Greet somebody.
#[mcp_prompt]
fn greet(#[arg(complete = names)] name: String) -> String {
    name
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.get_prompt_blocking("greet", serde_json::json!({"name": "Ada"}));
    assert_eq!(result["messages"][0]["content"]["text"], "Ada");
}
