use mcp_runtime::prelude::*;
use serde_json::json;

/// Take two names.
#[mcp_tool]
fn take(r#type: String, #[arg(rename = "Type")] kind: String) -> String {
    r#type + &kind
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("take", json!({"type": "a", "Type": "b"})).text(), "ab");
}
