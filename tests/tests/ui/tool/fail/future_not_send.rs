use mcp_runtime::prelude::*;

use std::rc::Rc;

/// Wait with something that cannot change threads.
#[mcp_tool]
async fn wait() -> i64 {
    let count = Rc::new(1);
    std::future::ready(()).await;
    *count
}

fn main() {}
