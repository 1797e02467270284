use mcp_runtime::prelude::*;
use serde_json::json;

use std::sync::atomic::{AtomicU32, Ordering};

/// Count.
#[mcp_tool]
fn count(counter: State<AtomicU32>) -> u32 {
    counter.fetch_add(1, Ordering::Relaxed) + 1
}

fn main() {
    let server = mcp_runtime::server!().state(AtomicU32::new(0)).build().unwrap();
    assert_eq!(server.call_blocking("count", json!({})).text(), "1");
    assert_eq!(server.call_blocking("count", json!({})).text(), "2");
}
