use mcp_runtime::prelude::*;

/// Wait for nothing.
#[mcp_tool(inline)]
async fn wait(n: i64) -> i64 {
    n
}

/// Wait for nothing, either.
#[mcp_prompt(inline)]
async fn summarize() -> String {
    String::new()
}

/// Neither does this.
#[mcp_resource("data://{id}", inline)]
async fn data(id: u32) -> String {
    id.to_string()
}

fn main() {}
