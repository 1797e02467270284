use mcp_runtime::prelude::*;

fn rows(_: &str) -> [&'static str; 1] {
    ["1"]
}

/// A row.
#[mcp_resource("rows://{row}/{other}/{third}")]
fn row(
    #[arg(complete(rows))] row: String,
    #[arg(complete(rows, async))] other: String,
    #[arg(complete)] third: String,
) -> String {
    row + &other + &third
}

fn main() {}
