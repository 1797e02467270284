use mcp_runtime::prelude::*;

/// Greet somebody.
#[mcp_prompt]
fn greet(#[arg(default)] name: Option<String>) -> String {
    format!("{name:?}")
}

fn main() {}
