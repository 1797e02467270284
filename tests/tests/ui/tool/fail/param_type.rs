use mcp_runtime::prelude::*;

/// Take what cannot be sent.
#[mcp_tool]
fn take(
    a: impl ToString,
    b: &'static str,
    c: &mut String,
    d: Vec<&str>,
    e: std::borrow::Cow<'_, str>,
) -> String {
    format!("{}{b}{c}{d:?}{e}", a.to_string())
}

fn main() {}
