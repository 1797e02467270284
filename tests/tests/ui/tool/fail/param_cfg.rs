use mcp_runtime::prelude::*;

/// Add two integers.
#[mcp_tool]
fn add(a: i64, #[cfg(all())] b: i64) -> i64 {
    a + b
}

fn main() {}
