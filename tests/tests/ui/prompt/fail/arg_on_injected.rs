use mcp_runtime::prelude::*;

/// Greet somebody.
#[mcp_prompt]
fn greet(#[arg(rename = "who")] context: &Context) -> String {
    context.is_cancelled().to_string()
}

fn main() {}
