use mcp_runtime::prelude::*;

/// Take defaults of the wrong type.
#[mcp_tool]
fn take(
    #[arg(default = 1.5)] a: i64,
    #[arg(default = "one")] b: i64,
    #[arg(default = &[1])] c: Vec<u8>,
    #[arg(example = true)] d: String,
) -> String {
    format!("{a}{b}{c:?}{d}")
}

fn main() {}
