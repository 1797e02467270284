use mcp_runtime::prelude::*;

/// Add two integers.
#[mcp_tool(name = "add two\n", group = "")]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Measure something.
#[mcp_tool]
fn länge(größe: i64, #[arg(rename = "the unit")] unit: String) -> String {
    format!("{größe} {unit}")
}

fn main() {}
