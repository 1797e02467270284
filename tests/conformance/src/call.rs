//! Tools whose call is what is tested: what happens before the answer, and what the request has to bring.

use std::time::Duration;

use mcp_runtime::prelude::*;
use mcp_runtime::{client::Capability, context::LoggingLevel};
use tokio::time::sleep;

/// Answer with the region that the call was routed to.
// The suite calls the tool that is listed first without arguments, so this name comes first and nothing is required.
#[mcp_tool]
fn answer_by_region(
    /// The region.
    #[arg(header = "Region")]
    region: Option<String>,
) -> String {
    match region {
        Some(region) => format!("Routed to {region}."),
        None => "Routed anywhere.".to_owned(),
    }
}

/// Tell of progress three times.
#[mcp_tool]
async fn test_tool_with_progress(ctx: &Context) -> &'static str {
    const STEP: Duration = Duration::from_millis(50);
    ctx.progress((0.0, 100.0));
    sleep(STEP).await;
    ctx.progress((50.0, 100.0));
    sleep(STEP).await;
    ctx.progress((100.0, 100.0));
    "Progress has reached its end."
}

/// Answer clients that sample, and refuse the others.
#[mcp_tool]
fn test_missing_capability(ctx: &Context) -> Result<&'static str, ToolError> {
    ctx.require(Capability::Sampling)?;
    Ok("This client can sample.")
}

/// Log a message, which clients hear that ask for it.
#[mcp_tool]
fn test_logging_tool(ctx: &Context) -> &'static str {
    ctx.log(LoggingLevel::Info, "the logging tool was called");
    "One message was logged."
}

/// Log three messages while it works.
#[mcp_tool]
async fn test_tool_with_logging(ctx: &Context) -> &'static str {
    const STEP: Duration = Duration::from_millis(50);
    ctx.log(LoggingLevel::Info, "Tool execution started");
    sleep(STEP).await;
    ctx.log(LoggingLevel::Info, "Tool processing data");
    sleep(STEP).await;
    ctx.log(LoggingLevel::Info, "Tool execution completed");
    "Three messages were logged."
}

/// Tell listening clients that the tools have changed.
#[mcp_tool]
fn test_trigger_tool_change(ctx: &Context) -> &'static str {
    ctx.notify().tools_list_changed();
    "Clients that listen were told."
}

/// Tell listening clients that the prompts have changed.
#[mcp_tool]
fn test_trigger_prompt_change(ctx: &Context) -> &'static str {
    ctx.notify().prompts_list_changed();
    "Clients that listen were told."
}
