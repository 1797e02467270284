use mcp_runtime::prelude::*;

/// An order.
#[mcp_resource("orders/{id}")]
fn f0(id: String) -> String {
    id
}

/// An order.
#[mcp_resource("orders://{id")]
fn f1(id: String) -> String {
    id
}

/// An order.
#[mcp_resource("orders://{user-id}")]
fn f2(id: String) -> String {
    id
}

/// An order.
#[mcp_resource("a b:{id}")]
fn f3(id: String) -> String {
    id
}

/// An order.
#[mcp_resource("orders://{id}{id}")]
fn f4(id: String) -> String {
    id
}

/// An order.
#[mcp_resource("orders://{;id}")]
fn f5(id: String) -> String {
    id
}

fn main() {}
