use mcp_runtime::prelude::*;
use serde_json::json;

/// Take what can be given.
#[mcp_tool]
fn take(
    #[arg(range(1..=1))] a: i64,
    #[arg(range(0.5..0.75))] b: f64,
    #[arg(length(1..=1))] c: String,
    #[arg(length(..1))] d: Vec<u8>,
    #[arg(length(2))] e: [u8; 2],
) -> String {
    format!("{a}{b}{c}{d:?}{e:?}")
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let right = json!({"a": 1, "b": 0.5, "c": "c", "d": [], "e": [1, 2]});
    assert_eq!(server.call_blocking("take", right).text(), "10.5c[][1, 2]");
}
