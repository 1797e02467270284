use mcp_runtime::prelude::*;

/// Take defaults that break their own rules.
#[mcp_tool]
fn take(
    #[arg(default = 0, range(1..=100))] a: i64,
    #[arg(default = -1.5, range(0.0..))] b: f64,
    #[arg(default = 10, range(0..10))] c: u8,
    #[arg(default = "", length(1..))] d: String,
    #[arg(default = "A", pattern = "^[a-z]$")] e: String,
    #[arg(examples("a", "bc"), length(..2))] f: String,
) -> String {
    format!("{a}{b}{c}{d}{e}{f}")
}

fn main() {}
