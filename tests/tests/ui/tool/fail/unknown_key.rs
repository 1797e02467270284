use mcp_runtime::prelude::*;

#[mcp_tool(descripton = "Add two integers.")]
fn add(#[arg(defualt = 1)] a: i64, #[arg(colour = 2)] b: i64) -> i64 {
    a + b
}

fn main() {}
