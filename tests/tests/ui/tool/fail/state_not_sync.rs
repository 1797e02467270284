use mcp_runtime::prelude::*;

use std::cell::Cell;

/// Count.
#[mcp_tool]
fn count(counter: State<Cell<u32>>) -> u32 {
    counter.replace(counter.get() + 1)
}

fn main() {}
