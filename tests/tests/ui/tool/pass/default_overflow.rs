use mcp_runtime::prelude::*;
use serde_json::json;

/// Take a default that is large enough.
#[mcp_tool]
fn take(#[arg(default = 255)] a: u8) -> u8 {
    a
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("take", json!({})).text(), "255");
}
