use mcp_runtime::prelude::*;

/// Say more than is allowed.
#[mcp_tool(meta(
    "io.modelcontextprotocol/x" = 1,
    "dev.mcp/x" = 2,
    "1.example/x" = 3,
    "-x" = 4,
    "com.example/x" = 5,
    "com.example/x" = 6,
))]
fn talk() {}

fn main() {}
