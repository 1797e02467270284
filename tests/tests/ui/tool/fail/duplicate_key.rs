use mcp_runtime::prelude::*;

/// Add two integers.
#[mcp_tool(name = "add", read_only, name = "sum")]
#[mcp_tool]
fn add(#[arg(default = 1)] #[arg(default = 2)] a: i64, b: i64) -> i64 {
    a + b
}

fn main() {}
