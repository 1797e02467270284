use mcp_runtime::prelude::*;

/// An order.
#[mcp_resource(name = "order")]
fn order(id: String) -> String {
    id
}

fn main() {}
