use mcp_runtime::prelude::*;
use serde_json::json;

/// Add two integers.
#[mcp_tool(
    name = "sum",
    title = "Sum",
    read_only = true,
    timeout = "10s",
    icons(icon(src = "data:image/png;base64,AA==")),
    meta("a" = null)
)]
fn add(#[arg(range(3..))] a: i64, #[arg(range(1..=2), example = 1)] b: i64) -> i64 {
    a + b
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("sum", json!({"a": 3, "b": 2})).text(), "5");
    assert!(server.call_blocking("sum", json!({"a": 2, "b": 2})).is_error());
}
