use mcp_runtime::prelude::*;
use serde_json::json;

/// Repeat a text.
#[mcp_tool]
fn repeat(times: usize, text: &str) -> String {
    text.repeat(times)
}

/// The length of the longer list.
#[mcp_tool]
fn longer(a: &[u8], b: &[u8]) -> usize {
    a.len().max(b.len())
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("repeat", json!({"times": 2, "text": "a"})).text(), "aa");
    assert_eq!(server.call_blocking("longer", json!({"a": [1], "b": [1, 2]})).text(), "2");
}
