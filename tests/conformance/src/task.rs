//! Calls that are tasks, from their beginning or from some point on.

use std::time::Duration;

use mcp_runtime::context::ErrorObject;
use mcp_runtime::prelude::*;

use crate::ask::Named;

/// A confirmation.
#[derive(ElicitForm)]
struct Confirmation {
    confirm: bool,
}

/// Greet somebody, at once.
#[mcp_tool]
fn greet(name: &str) -> String {
    format!("Hello, {name}!")
}

/// Compute for some time.
#[mcp_tool(task)]
async fn slow_compute(
    /// How long it takes.
    #[arg(range(0.0..=3600.0))]
    seconds: f64,
    /// What it is for.
    label: Option<String>,
    ctx: &Context,
) -> String {
    ctx.status("computing");
    tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
    format!("{} took {seconds} s", label.as_deref().unwrap_or("it"))
}

/// Work for a moment, in vain.
#[mcp_tool(task = "required")]
async fn failing_job() -> Result<String, ToolError> {
    tokio::time::sleep(Duration::from_secs(1)).await;
    Err(ToolError::new("the job has failed, as it always does"))
}

/// Break off with an error of the whole request.
#[mcp_tool(task)]
async fn protocol_error_job() -> Result<String, ToolError> {
    let error = ErrorObject::new(-32_603, "the job has broken off, as it always does");
    Err(ToolError::request(error))
}

/// Delete a file, if the user wants that.
#[mcp_tool(task)]
async fn confirm_delete(filename: String, ctx: &Context) -> Result<String, ToolError> {
    let question = format!("Delete {filename}?");
    let answer = ctx.elicit::<Confirmation>("confirm", question).await?;
    let is_confirmed = answer.accepted().is_some_and(|answer| answer.confirm);
    Ok(if is_confirmed {
        format!("{filename} is deleted")
    } else {
        format!("{filename} is kept")
    })
}

/// Ask two things at a time.
#[mcp_tool(task)]
async fn multi_input(ctx: &Context) -> Result<String, ToolError> {
    let (first, second) = tokio::try_join!(
        ctx.elicit::<Confirmation>("first", "Is the first one right?"),
        ctx.elicit::<Confirmation>("second", "Is the second one right?"),
    )?;
    let confirmed = [first, second].map(|answer| answer.accepted().is_some_and(|it| it.confirm));
    Ok(format!("confirmed: {confirmed:?}"))
}

/// Ask for a name, and go on as a task.
#[mcp_tool(task = "deferred")]
async fn test_tool_with_task(ctx: &Context) -> Result<String, ToolError> {
    let named = ctx
        .elicit::<Named>("user_name", "What is your name?")
        .await?;
    let name = named
        .accepted()
        .map_or_else(|| "whoever".to_owned(), |named| named.name);
    ctx.into_task().await?;
    Ok(format!("Done for {name}"))
}
