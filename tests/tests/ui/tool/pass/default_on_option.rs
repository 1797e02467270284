use mcp_runtime::prelude::*;
use serde_json::json;

/// Take the plain type, or no default.
#[mcp_tool]
fn take(#[arg(default = 1)] a: i64, b: Option<String>) -> String {
    format!("{a}{b:?}")
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("take", json!({"b": null})).text(), "1None");
}
