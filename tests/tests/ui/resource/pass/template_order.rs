use mcp_runtime::prelude::*;

/// An order.
#[mcp_resource("orders://{rest}/{id}")]
fn order(rest: String, id: String) -> String {
    rest + &id
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.read_resource_blocking("orders://7/8");
    assert_eq!(result["contents"][0]["text"], "78");
}
