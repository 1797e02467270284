//! Calls that wait for other calls: how a client sees what else it could not, such as that its cancellation had an effect.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use mcp_runtime::prelude::*;
use tokio::sync::watch;

/// The labels of calls that were cut short or released.
static ENDED: LazyLock<watch::Sender<BTreeSet<String>>> = LazyLock::new(watch::Sender::default);

fn end(label: String) {
    ENDED.send_modify(|ended| {
        ended.insert(label);
    });
}

async fn until_ended(label: &str) -> Result<(), ToolError> {
    ENDED
        .subscribe()
        .wait_for(|ended| ended.contains(label))
        .await?;
    Ok(())
}

/// Ends its label when it is dropped.
struct Waiting(String);

impl Drop for Waiting {
    fn drop(&mut self) {
        end(std::mem::take(&mut self.0));
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
    label: &str,
) -> Result<String, ToolError> {
    until_ended(label).await?;
    Ok(format!("{label} was cut short"))
}

/// Count up, and wait to be released before answering.
#[mcp_tool]
async fn count_under(
    /// The label.
    label: &str,
    /// The last number.
    to: u32,
    ctx: &Context,
) -> Result<u32, ToolError> {
    for number in 1..=to {
        ctx.progress((number, to));
    }
    until_ended(label).await?;
    Ok(to)
}

/// Let the call of a label go on.
#[mcp_tool]
fn release(
    /// The label.
    label: String,
) {
    end(label);
}
