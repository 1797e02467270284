use mcp_runtime::prelude::*;

/// Count.
#[mcp_prompt]
fn count() -> usize {
    1
}

fn main() {}
