use mcp_runtime::prelude::*;

/// Greet somebody.
#[mcp_prompt]
fn greet<T: ToString>(name: T) -> impl ToString {
    name.to_string()
}

/// Greet a thing.
#[mcp_prompt]
struct Thing;

fn main() {}
