use mcp_runtime::prelude::*;
use serde_json::json;

/// Mirror what a header can hold.
#[mcp_tool]
fn mirror(
    #[arg(header = "Count")] a: i64,
    #[arg(header = "Region")] b: Option<String>,
    #[arg(header = "Dry-Run")] c: bool,
) -> String {
    format!("{a}{b:?}{c}")
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("mirror", json!({"a": 1, "c": true})).text(), "1Nonetrue");
}
