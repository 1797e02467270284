use mcp_runtime::prelude::*;

/// Greet somebody.
#[mcp_prompt(alow_unknown, read_only)]
fn greet() -> &'static str {
    "Hello!"
}

fn main() {}
