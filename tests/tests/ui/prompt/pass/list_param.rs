use mcp_runtime::prelude::*;
use serde_json::json;

/// Describe what has these tags.
#[mcp_prompt]
fn describe(tags: &str) -> String {
    let tags: Vec<&str> = tags.split(',').collect();
    tags.join(" and ")
}

/// All files of a folder.
#[mcp_resource("files://{folder*}")]
fn files(folder: Vec<String>) -> String {
    folder.join(" in ")
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.get_prompt_blocking("describe", json!({"tags": "a,b"}));
    assert_eq!(result["messages"][0]["content"]["text"], "a and b");
}
