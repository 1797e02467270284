use mcp_runtime::prelude::*;

/// Say good morning.
#[mcp_prompt]
async fn morning() -> String {
    "Good morning!".to_owned()
}

/// Prepare the morning.
#[mcp_tool(task)]
async fn prepare() -> String {
    "prepared".to_owned()
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.get_prompt_blocking("morning", serde_json::json!({}));
    assert_eq!(result["messages"][0]["content"]["text"], "Good morning!");
}
