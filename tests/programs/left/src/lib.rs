//! A library of tools that no code names.

pub mod shelf;

use mcp_runtime::prelude::*;

/// Tells that the left library is linked.
#[mcp_tool]
fn left() -> &'static str {
    "left"
}

/// The name of this tool exists in the other library too.
#[mcp_tool(group = "clash")]
fn shared() -> &'static str {
    "left"
}
