use mcp_runtime::prelude::*;

/// Mirror what no header can hold.
#[mcp_tool]
fn mirror(#[arg(header = "Ratio")] a: f64, #[arg(header = "Regions")] b: Option<Vec<String>>) -> String {
    format!("{a}{b:?}")
}

fn main() {}
