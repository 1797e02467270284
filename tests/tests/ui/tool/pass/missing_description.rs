use mcp_runtime::prelude::*;
use serde_json::json;

/// Add two integers.
#[mcp_tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[mcp_tool(description = "Subtract two integers.", title = "Difference")]
fn sub(a: i64, b: i64) -> i64 {
    a - b
}

#[doc = "Multiply two integers."]
#[mcp_tool]
fn mul(#[doc = "A factor."] a: i64, /** Another. */ b: i64) -> i64 {
    a * b
}

#[doc = concat!("Divide ", "two integers.")]
#[mcp_tool(description = "Divide two integers.")]
fn div(#[doc = concat!("A ", "number.")] #[arg(description = "A number.")] a: i64, b: i64) -> i64 {
    a / b
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    for (tool, result) in [("add", "8"), ("sub", "4"), ("mul", "12"), ("div", "3")] {
        assert_eq!(server.call_blocking(tool, json!({"a": 6, "b": 2})).text(), result, "{tool}");
    }
}
