use mcp_runtime::prelude::*;
use serde_json::json;

/// Mirror arguments.
#[mcp_tool]
fn mirror(#[arg(header = "My-Region")] a: String, #[arg(header = "Region")] b: String) -> String {
    format!("{a}{b}")
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("mirror", json!({"a": "a", "b": "b"})).text(), "ab");
}
