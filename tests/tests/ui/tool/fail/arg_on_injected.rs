use mcp_runtime::prelude::*;

/// Look at the context.
#[mcp_tool]
fn look(#[arg(rename = "context")] ctx: &Context) {
    let _ = ctx;
}

fn main() {}
