use mcp_runtime::prelude::*;
use serde_json::json;

#[mcp_tool(description = "Add two integers.")]
fn add(#[arg(default = 1)] a: i64, #[arg(default = 2)] b: i64) -> i64 {
    a + b
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("add", json!({})).text(), "3");
}
