use mcp_runtime::prelude::*;

/// Greet somebody.
#[mcp_prompt]
fn greet(#[arg(raw)] name: String) -> String {
    name
}

fn main() {}
