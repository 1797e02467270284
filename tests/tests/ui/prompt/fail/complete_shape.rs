use mcp_runtime::prelude::*;

fn names(_: String) -> Vec<String> {
    Vec::new()
}

/// Greet somebody.
#[mcp_prompt]
fn greet(#[arg(complete = names)] name: String) -> String {
    name
}

fn main() {}
