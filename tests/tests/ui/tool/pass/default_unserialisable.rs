use mcp_runtime::prelude::*;
use serde_json::json;

#[mcp_type]
#[derive(Default)]
struct Shown(u8);

/// Take defaults that can be shown.
#[mcp_tool]
fn take(#[arg(default = Shown(1))] a: Shown, #[arg(default)] b: Shown) -> u8 {
    a.0 + b.0
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("take", json!({})).text(), "1");
}
