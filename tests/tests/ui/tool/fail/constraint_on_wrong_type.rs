use mcp_runtime::prelude::*;

type Count = u8;

/// Take what cannot be bounded like this.
#[mcp_tool]
fn take(
    #[arg(range(1..=9))] a: String,
    #[arg(range(1..=9))] b: Vec<u8>,
    #[arg(length(1..=9))] c: Count,
    #[arg(length(1..=9))] d: Option<bool>,
    #[arg(pattern = "a")] e: f64,
    #[arg(format = "date")] f: Vec<String>,
) -> String {
    format!("{a}{b:?}{c}{d:?}{e}{f:?}")
}

fn main() {}
