use mcp_runtime::prelude::*;
use serde_json::json;

/// Add two integers.
#[mcp_tool(name = "sum", read_only)]
fn add(
    #[arg(default = 1)]
    #[arg(description = "First addend.")]
    a: i64,
    b: i64,
) -> i64 {
    a + b
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("sum", json!({"b": 2})).text(), "3");
}
