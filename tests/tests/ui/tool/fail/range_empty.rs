use mcp_runtime::prelude::*;

/// Take what cannot be given.
#[mcp_tool]
fn take(
    #[arg(range(9..=1))] a: i64,
    #[arg(range(0.5..0.5))] b: f64,
    #[arg(range(..))] c: i64,
    #[arg(range(0..=MAX))] d: i64,
    #[arg(length(9..=1))] e: String,
    #[arg(length(..0))] f: String,
    #[arg(length(-1..=2.5))] g: String,
) -> String {
    format!("{a}{b}{c}{d}{e}{f}{g}")
}

fn main() {}
