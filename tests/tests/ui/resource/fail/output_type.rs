use mcp_runtime::prelude::*;

/// An order.
#[mcp_resource("orders://{id}")]
fn order(id: u32) -> u32 {
    id
}

fn main() {}
