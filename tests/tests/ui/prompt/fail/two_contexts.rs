use mcp_runtime::prelude::*;

/// Greet somebody.
#[mcp_prompt]
fn greet(one: &Context, two: &Context) -> String {
    (one.is_cancelled() || two.is_cancelled()).to_string()
}

fn main() {}
