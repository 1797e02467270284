use mcp_runtime::prelude::*;

/// Take a default that is too large.
#[mcp_tool]
fn take(#[arg(default = 300)] a: u8) -> u8 {
    a
}

fn main() {}
