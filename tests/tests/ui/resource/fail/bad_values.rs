use mcp_runtime::prelude::*;

/// An order.
#[mcp_resource("orders://{id}", mime_type = "text", ttl = "soon", cache = "all")]
fn order(id: String) -> String {
    id
}

fn main() {}
