use mcp_runtime::prelude::*;

#[mcp_prompt]
fn greet() -> &'static str {
    "Hello!"
}

fn main() {}
