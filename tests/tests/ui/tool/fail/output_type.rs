use mcp_runtime::prelude::*;

/// Never come back.
#[mcp_tool]
fn never() -> ! {
    std::process::exit(0)
}

/// Return something.
#[mcp_tool]
fn opaque() -> impl ToString {
    1
}

/// Return later.
#[mcp_tool]
fn later() -> Result<impl Future<Output = i64>, ToolError> {
    Ok(async { 1 })
}

fn main() {}
