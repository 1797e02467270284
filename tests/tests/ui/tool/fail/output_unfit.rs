use mcp_runtime::prelude::*;

struct Plain;

/// Return what has no JSON form.
#[mcp_tool]
fn plain() -> Plain {
    Plain
}

/// Return what has no JSON form, or an error.
#[mcp_tool]
async fn fallible() -> Result<Vec<Plain>, ToolError> {
    Ok(vec![Plain])
}

/// Fail without a text.
#[mcp_tool]
fn mute() -> Result<i64, Plain> {
    Err(Plain)
}

fn main() {}
