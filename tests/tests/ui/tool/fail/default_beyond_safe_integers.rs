use mcp_runtime::prelude::*;

/// Take defaults that hosts round.
#[mcp_tool]
fn take(
    #[arg(default = 9_007_199_254_740_992)] a: i64,
    #[arg(default = -9007199254740992)] b: i64,
    #[arg(default = 1e300)] c: f64,
    #[arg(default = 9_007_199_254_740_991)] d: i64,
) -> String {
    format!("{a} {b} {c} {d}")
}

fn main() {}
