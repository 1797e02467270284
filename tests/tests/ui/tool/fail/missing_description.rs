use mcp_runtime::prelude::*;

#[mcp_tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[mcp_tool(description = " ", title = "")]
fn sub(a: i64, b: i64) -> i64 {
    a - b
}

#[doc = concat!("Multiply ", "two integers.")]
#[mcp_tool]
fn mul(#[doc = concat!("A ", "factor.")] a: i64, b: i64) -> i64 {
    a * b
}

fn main() {}
