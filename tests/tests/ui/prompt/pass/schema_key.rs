use mcp_runtime::prelude::*;

/// Count.
#[mcp_prompt]
fn count(number: u8) -> String {
    number.to_string()
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.get_prompt_blocking("count", serde_json::json!({"number": "7"}));
    assert_eq!(result["messages"][0]["content"]["text"], "7");
}
