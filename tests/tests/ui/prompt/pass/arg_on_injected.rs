use mcp_runtime::prelude::*;

/// Greet somebody.
#[mcp_prompt]
fn greet(context: &Context) -> String {
    context.is_cancelled().to_string()
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.get_prompt_blocking("greet", serde_json::json!({}));
    assert_eq!(result["messages"][0]["content"]["text"], "false");
}
