use mcp_runtime::prelude::*;

/// Count.
#[mcp_prompt]
fn count(#[arg(range(1..=9), header = "N")] number: u8) -> String {
    number.to_string()
}

fn main() {}
