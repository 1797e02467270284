use mcp_runtime::prelude::*;

/// Add two integers.
#[mcp_tool(name, title =, read_only = 1, "add", timeout = 10, icons = [], meta("a" = nothing))]
fn add(#[arg(range = 3, length(1, 2), pattern)] a: i64, #[arg] b: i64) -> i64 {
    a + b
}

fn main() {}
