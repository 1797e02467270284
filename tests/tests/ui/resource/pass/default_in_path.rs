use mcp_runtime::prelude::*;

/// An order.
#[mcp_resource("orders://all{?id}")]
fn order(#[arg(default)] id: String) -> String {
    id
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.read_resource_blocking("orders://all?id=7");
    assert_eq!(result["contents"][0]["text"], "7");
}
