use mcp_runtime::prelude::*;

/// Take patterns that only one dialect reads.
#[mcp_tool]
fn take(
    #[arg(pattern = "(?i)yes")] a: String,
    #[arg(pattern = "(?P<year>[0-9]+)")] b: String,
    #[arg(pattern = r"\p{L}+")] c: String,
    #[arg(pattern = r"\Aabc\z")] d: String,
    #[arg(pattern = "[[:alpha:]]")] e: String,
    #[arg(pattern = "(?=a)a")] f: String,
    #[arg(pattern = "a**")] g: String,
    #[arg(pattern = "(a")] h: String,
    #[arg(format = "datetime")] i: String,
    #[arg(format = "colour")] j: String,
) -> String {
    format!("{a}{b}{c}{d}{e}{f}{g}{h}{i}{j}")
}

fn main() {}
