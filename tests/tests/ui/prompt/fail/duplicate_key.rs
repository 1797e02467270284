use mcp_runtime::prelude::*;

/// Greet somebody.
#[mcp_prompt(name = "a", name = "b")]
fn greet() -> &'static str {
    "Hello!"
}

fn main() {}
