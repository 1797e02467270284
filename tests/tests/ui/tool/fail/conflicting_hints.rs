use mcp_runtime::prelude::*;

/// Delete nothing.
#[mcp_tool(read_only, destructive)]
fn delete() {}

fn main() {}
