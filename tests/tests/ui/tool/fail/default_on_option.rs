use mcp_runtime::prelude::*;

type Maybe<T> = Option<T>;

/// Take a default that would hide absence.
#[mcp_tool]
fn take(#[arg(default = Some(1))] a: Option<i64>, #[arg(default)] b: Maybe<String>) -> String {
    format!("{a:?}{b:?}")
}

fn main() {}
