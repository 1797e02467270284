use mcp_runtime::prelude::*;

/// An order.
#[mcp_resource("orders://{id}")]
fn order(#[arg(default)] id: String) -> String {
    id
}

fn main() {}
