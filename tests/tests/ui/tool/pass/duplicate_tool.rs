#![forbid(unsafe_code)]

use mcp_runtime::prelude::*;
use serde_json::json;

mod orders {
    use super::*;

    /// Search the orders.
    #[mcp_tool(name = "search_orders")]
    pub fn search() -> &'static str {
        "orders"
    }
}

mod customers {
    use super::*;

    /// Search the customers.
    #[mcp_tool]
    pub fn search() -> &'static str {
        "customers"
    }
}

mod admin {
    use super::*;

    /// Search for administrators.
    #[mcp_tool(group = "admin")]
    pub fn search() -> &'static str {
        "admin"
    }
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("search_orders", json!({})).text(), "orders");
    assert_eq!(server.call_blocking("search", json!({})).text(), "customers");
    let server = mcp_runtime::server!().groups(["admin"]).build().unwrap();
    assert_eq!(server.call_blocking("search", json!({})).text(), "admin");
}
