use mcp_runtime::prelude::*;

fn names(_: &str) -> usize {
    1
}

/// Greet somebody.
#[mcp_prompt]
fn greet(#[arg(complete = names)] name: String) -> String {
    name
}

fn main() {}
