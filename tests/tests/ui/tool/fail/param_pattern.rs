use mcp_runtime::prelude::*;

/// Add two integers.
#[mcp_tool]
fn add((a, b): (i64, i64), _: Option<String>) -> i64 {
    a + b
}

fn main() {}
