use mcp_runtime::prelude::*;

/// An order.
#[mcp_resource("orders://{id}")]
fn order(id: String) -> String {
    id
}

mod other {
    use mcp_runtime::prelude::*;

    /// Another order.
    #[mcp_resource("numbers://{number}")]
    fn other(number: String) -> String {
        number
    }
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.read_resource_blocking("orders://7");
    assert_eq!(result["contents"][0]["text"], "7");
}
