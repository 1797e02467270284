use mcp_runtime::prelude::*;

/// An order.
#[mcp_resource("orders://{id}")]
fn order(id: String, line: u32) -> String {
    format!("{id}{line}")
}

fn main() {}
