use mcp_runtime::prelude::*;
use serde_json::json;

/// Add two integers.
#[cfg(all())]
#[mcp_tool]
fn add(a: i64, #[allow(unused_variables)] b: i64) -> i64 {
    a
}

/// Add two integers.
#[cfg(not(all()))]
#[mcp_tool]
fn add(a: i64) -> i64 {
    a
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("add", json!({"a": 1, "b": 2})).text(), "1");
}
