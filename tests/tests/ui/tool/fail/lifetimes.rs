use mcp_runtime::prelude::*;

/// Repeat a text.
#[mcp_tool]
fn repeat<'a>(times: usize, text: &'a str) -> String {
    text.repeat(times)
}

/// The length of the longer list.
#[mcp_tool]
fn longer<'a, 'b: 'a>(a: &'b [u8], b: &'a [u8]) -> usize {
    a.len().max(b.len())
}

fn main() {}
