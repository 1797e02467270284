use mcp_runtime::prelude::*;
use serde_json::json;

/// Add two integers.
#[mcp_tool]
fn add(pair: (i64, i64), mut offset: i64, _unused: Option<String>) -> i64 {
    let (a, b) = pair;
    offset += a + b;
    offset
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("add", json!({"pair": [1, 2], "offset": 3})).text(), "6");
}
