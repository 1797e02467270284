use mcp_runtime::prelude::*;
use serde_json::json;

/// Add two integers.
#[mcp_tool(name = "add-2.TWO_integers", group = "a-b.c_d")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Measure something.
#[mcp_tool(name = "length")]
fn länge(#[arg(rename = "size")] größe: i64, #[arg(rename = "the.unit")] unit: String) -> String {
    format!("{größe} {unit}")
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("length", json!({"size": 1, "the.unit": "m"})).text(), "1 m");
    let server = mcp_runtime::server!().groups(["a-b.c_d"]).build().unwrap();
    assert_eq!(server.call_blocking("add-2.TWO_integers", json!({"a": 1, "b": 2})).text(), "3");
}
