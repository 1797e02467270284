use mcp_runtime::prelude::*;

/// An order.
#[mcp_resource("orders://{id}", name = "order")]
fn order(id: String) -> String {
    id
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.read_resource_blocking("orders://7");
    assert_eq!(result["contents"][0]["text"], "7");
}
