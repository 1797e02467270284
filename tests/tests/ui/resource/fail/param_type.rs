use mcp_runtime::prelude::*;

/// An order.
#[mcp_resource("orders://{id}")]
fn order(id: Vec<Vec<String>>) -> String {
    format!("{id:?}")
}

fn main() {}
