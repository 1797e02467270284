use mcp_runtime::prelude::*;
use serde_json::json;

/// Look at the context once, wherever it stands.
#[mcp_tool]
fn once(a: i64, context: &Context, first: State<u8>, second: State<u8>) -> i64 {
    let _ = context;
    a + i64::from(*first) + i64::from(*second)
}

fn main() {
    let server = mcp_runtime::server!().state(1_u8).build().unwrap();
    assert_eq!(server.call_blocking("once", json!({"a": 1})).text(), "3");
}
