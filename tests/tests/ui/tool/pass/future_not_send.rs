use mcp_runtime::prelude::*;
use serde_json::json;

use std::sync::Arc;

/// Wait with something that can change threads.
#[mcp_tool]
async fn wait() -> i64 {
    let count = Arc::new(1);
    std::future::ready(()).await;
    *count
}

fn main() {
    let server = mcp_runtime::server!().build().unwrap();
    assert_eq!(server.call_blocking("wait", json!({})).text(), "1");
}
