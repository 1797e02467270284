//! Calls that wait to be cancelled, and calls that wait to hear of it: what a client cannot see of its own cancellation.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use mcp_runtime::prelude::*;
use tokio::sync::watch;

/// The labels of the calls that were dropped before their end.
static DROPPED: LazyLock<watch::Sender<BTreeSet<String>>> = LazyLock::new(watch::Sender::default);

/// Tells when it is dropped.
struct Waiting(String);

impl Drop for Waiting {
    fn drop(&mut self) {
        let label = std::mem::take(&mut self.0);
        DROPPED.send_modify(|dropped| {
            dropped.insert(label);
        });
    }
}

/// Wait for ever, and be known by a label when that is cut short.
#[mcp_tool]
async fn wait_under(
    /// The label.
    label: String,
    ctx: &Context,
) -> String {
    let _waiting = Waiting(label);
    // A client that asks to be told of progress knows by it that the call has begun.
    ctx.progress(1.0);
    std::future::pending().await
}

/// Wait until the call of a label was cut short.
#[mcp_tool(read_only)]
async fn cut_short(
    /// The label.
    label: String,
) -> Result<String, ToolError> {
    let mut dropped = DROPPED.subscribe();
    dropped.wait_for(|labels| labels.contains(&label)).await?;
    Ok(format!("{label} was cut short"))
}
