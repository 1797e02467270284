use mcp_runtime::prelude::*;
use serde_json::json;

struct Calculator {
    offset: i64,
}

/// Add two integers.
#[mcp_tool]
fn add(calculator: State<Calculator>, a: i64, b: i64) -> i64 {
    calculator.offset + a + b
}

fn main() {
    let server = mcp_runtime::server!().state(Calculator { offset: 10 }).build().unwrap();
    assert_eq!(server.call_blocking("add", json!({"a": 1, "b": 2})).text(), "13");
}
