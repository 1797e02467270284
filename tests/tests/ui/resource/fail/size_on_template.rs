use mcp_runtime::prelude::*;

/// An order.
#[mcp_resource("orders://{id}", size = 7)]
fn order(id: String) -> String {
    id
}

fn main() {}
