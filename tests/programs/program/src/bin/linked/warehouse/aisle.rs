//! A module in a file of its own.

use mcp_runtime::prelude::*;

/// Stands in another file, under another name than its function's.
#[mcp_tool(name = "warehouse.aisle")]
fn aisle() -> &'static str {
    "aisle"
}
