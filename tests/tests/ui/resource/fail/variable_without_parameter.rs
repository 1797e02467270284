use mcp_runtime::prelude::*;

/// An order.
#[mcp_resource("orders://{id}/{line}")]
fn order(id: String) -> String {
    id
}

fn main() {}
