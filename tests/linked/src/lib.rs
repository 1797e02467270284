//! A library of tools that no code names: `link!` alone brings them into a program.

use mcp_runtime::prelude::*;

/// Come along from another crate.
#[mcp_tool]
fn come_along() -> &'static str {
    "here"
}
