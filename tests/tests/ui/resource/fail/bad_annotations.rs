use mcp_runtime::prelude::*;

/// An order.
#[mcp_resource("orders://{id}", annotations(audience = ["robot"], priority = 2, last_modified = "yesterday", aim = 1))]
fn order(id: String) -> String {
    id
}

fn main() {}
