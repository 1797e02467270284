use mcp_runtime::prelude::*;

type Maybe<T> = Option<T>;

/// Take a default that would hide absence.
#[mcp_tool]
fn take(#[arg(default = 1)] a: Option<i64>) -> String {
    format!("{a:?}")
}

/// Take one under another name.
#[mcp_tool]
fn alias(#[arg(default)] b: Maybe<String>) -> String {
    format!("{b:?}")
}

fn main() {}
