use mcp_runtime::prelude::*;

/// Look at the context twice.
#[mcp_tool]
fn twice(a: i64, first: &Context, b: i64, second: Context) -> i64 {
    let _ = (first, second);
    a + b
}

fn main() {}
