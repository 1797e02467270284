use mcp_runtime::prelude::*;

/// A function.
#[mcp_type]
fn place() {}

fn main() {}
