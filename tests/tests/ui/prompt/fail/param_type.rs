use mcp_runtime::prelude::*;

struct Name(String);

/// Greet somebody.
#[mcp_prompt]
fn greet(name: Name) -> String {
    format!("Hello, {}!", name.0)
}

fn main() {}
