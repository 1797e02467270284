use mcp_runtime::prelude::*;
use serde_json::json;

#[mcp_type]
struct Percent(u8);

/// Take what can be bounded like this.
#[mcp_tool]
fn take(
    #[arg(length(1..=9))] a: String,
    #[arg(length(1..=9))] b: Vec<u8>,
    #[arg(range(1..=9))] c: Option<u8>,
    #[arg(range(0..=100))] d: Percent,
    #[arg(pattern = "a")] e: &str,
    #[arg(format = "date")] f: Option<String>,
) -> String {
    format!("{a}{b:?}{c:?}{}{e}{f:?}", d.0)
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let right = json!({"a": "a", "b": [1], "d": 100, "e": "xax"});
    assert_eq!(server.call_blocking("take", right).text(), "a[1]None100xaxNone");
    assert!(server.call_blocking("take", json!({"a": "a", "b": [1], "d": 101, "e": "xax"})).is_error());
}
