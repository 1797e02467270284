use mcp_runtime::prelude::*;

/// An order.
#[mcp_resource("orders://{id}")]
fn order(id: Option<String>) -> String {
    id.unwrap_or_default()
}

fn main() {}
