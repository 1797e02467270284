use mcp_runtime::prelude::*;

/// Add, on the calling thread.
#[mcp_tool(task)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Ask whether there is a task.
#[mcp_tool(task = "needed")]
async fn ask() {}

/// Say yes or no.
#[mcp_tool(task = true)]
async fn say() {}

/// Both at once.
#[mcp_tool(task = "always")]
fn both() {}

fn main() {}
