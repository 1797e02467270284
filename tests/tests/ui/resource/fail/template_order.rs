use mcp_runtime::prelude::*;

/// An order.
#[mcp_resource("orders://{+rest}/{id}")]
fn order(rest: String, id: String) -> String {
    rest + &id
}

/// Two.
#[mcp_resource("orders://{a}.{b}")]
fn two(a: String, b: String) -> String {
    a + &b
}

fn main() {}
