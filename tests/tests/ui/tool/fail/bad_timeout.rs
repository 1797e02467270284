use mcp_runtime::prelude::*;

/// Wait.
#[mcp_tool(timeout = "10")]
fn no_unit() {}

/// Wait.
#[mcp_tool(timeout = "0s")]
fn no_time() {}

/// Wait.
#[mcp_tool(timeout = "1.5s")]
fn no_number() {}

fn main() {}
