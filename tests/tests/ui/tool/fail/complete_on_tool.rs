use mcp_runtime::prelude::*;

fn names(_: &str) -> Vec<String> {
    Vec::new()
}

/// Greet somebody.
#[mcp_tool]
fn greet(#[arg(complete = names, raw)] name: String) -> String {
    name
}

fn main() {
    names("");
}
