use mcp_runtime::prelude::*;

/// Show a value.
#[mcp_tool]
fn show<T: ToString>(value: T) -> String {
    value.to_string()
}

/// Show a value.
#[mcp_tool]
fn bounded(value: i64) -> String
where
    i64: ToString,
{
    value.to_string()
}

/// Add two integers.
#[mcp_tool]
unsafe extern "C" fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Not a function.
#[mcp_tool]
struct Tool;

fn main() {}
