//! Layers around calls: tower's own, and those of users.

#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a panic is how a test fails, and tools take what clients send"
)]

mod runtime;
mod service;
mod tasks;
mod tower_layers;

use mcp_runtime::prelude::*;

/// Add two integers.
#[mcp_tool(inline)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Add two integers on a thread that may block.
#[mcp_tool]
fn add_plain(a: i64, b: i64) -> i64 {
    a + b
}

/// Add two integers later.
#[mcp_tool]
async fn add_async(a: i64, b: i64) -> i64 {
    tokio::task::yield_now().await;
    a + b
}

#[mcp_type]
struct Sum {
    sum: i64,
}

/// Add two integers, with a structured result.
#[mcp_tool]
fn add_structured(a: i64, b: i64) -> Sum {
    Sum { sum: a + b }
}

/// Wait until the call is dropped.
#[mcp_tool]
async fn wait() -> String {
    std::future::pending().await
}

/// Fail.
#[mcp_tool]
fn fail() -> Result<String, ToolError> {
    Err(ToolError::new("no luck"))
}

/// Run a runtime.
#[mcp_tool]
fn own_runtime() -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(async { "ran".to_owned() })
}

/// Greet somebody.
#[mcp_prompt]
fn greet(name: String) -> String {
    format!("Greet {name}.")
}

/// A note.
#[mcp_resource("notes://{day}")]
fn note(day: &str) -> String {
    format!("the note of {day}")
}

#[derive(ElicitForm)]
struct Confirm {
    /// Is that what you want?
    yes: bool,
}

/// Ask before it answers.
#[mcp_tool]
async fn ask(ctx: &Context) -> Result<String, ToolError> {
    let confirm: ElicitOutcome<Confirm> = ctx.elicit("confirm", "Really?").await?;
    Ok(match confirm {
        ElicitOutcome::Accepted(Confirm { yes: true }) => "confirmed".to_owned(),
        _ => "refused".to_owned(),
    })
}

/// What a layer attaches to calls.
#[derive(Debug, Clone)]
struct Tenant(&'static str);

/// Name the tenant of the caller.
#[mcp_tool]
fn tenant(tenant: Extension<Tenant>) -> String {
    tenant.0.0.to_owned()
}

/// Name the tenant of the caller by the context.
#[mcp_tool]
async fn tenant_of_context(ctx: &Context) -> Option<String> {
    let tenant = ctx.extensions().get::<Tenant>();
    tenant.map(|tenant| tenant.0.to_owned())
}

fn builder() -> ServerBuilder {
    mcp_runtime::server!()
}
