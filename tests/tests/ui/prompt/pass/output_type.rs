use mcp_runtime::prelude::*;

/// Count.
#[mcp_prompt]
fn count() -> String {
    1.to_string()
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.get_prompt_blocking("count", serde_json::json!({}));
    assert_eq!(result["messages"][0]["content"]["text"], "1");
}
