//! Another library of tools that no code names.

use mcp_runtime::prelude::*;

/// Tells that the right library is linked.
#[mcp_tool]
fn right() -> &'static str {
    "right"
}

/// The name of this tool exists in the other library too.
#[mcp_tool(group = "clash")]
fn shared() -> &'static str {
    "right"
}
