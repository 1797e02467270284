//! The functions that ask.

use std::sync::Mutex;

use mcp_runtime::prelude::*;
use mcp_runtime::sampling::CreateMessageRequest;

use super::form::{Colour, Confirm, Name};

/// Ask for a yes or a no.
#[mcp_tool(group = "ask")]
pub(crate) async fn agree(ctx: &Context) -> Result<bool, ToolError> {
    ctx.confirm("sure", "Are you sure?").await
}

/// Delete something after asking.
#[mcp_tool(group = "ask")]
pub(crate) async fn delete(what: String, ctx: &Context) -> Result<String, ToolError> {
    let answer = ctx.elicit::<Confirm>("confirm", format!("Delete {what}?"));
    Ok(match answer.await? {
        ElicitOutcome::Accepted(answer) if answer.yes => format!("{what} deleted"),
        ElicitOutcome::Accepted(_) => format!("{what} kept"),
        ElicitOutcome::Declined => "declined".to_owned(),
        ElicitOutcome::Cancelled => "cancelled".to_owned(),
    })
}

/// Ask for a name, then for a colour.
#[mcp_tool(group = "ask")]
pub(crate) async fn introduce(ctx: Context) -> Result<String, ToolError> {
    let name = ctx.elicit::<Name>("name", "Your name?").await?;
    let colour = ctx.elicit::<Colour>("colour", "Your colour?").await?;
    Ok(format!("{name:?} {colour:?}"))
}

/// Ask everything at once.
#[mcp_tool(group = "ask")]
pub(crate) async fn everything(ctx: &Context) -> Result<String, ToolError> {
    let question = CreateMessageRequest::new(50).user("A greeting?");
    let (name, visited, greeting, roots) = tokio::try_join!(
        ctx.elicit::<Name>("name", "Your name?"),
        ctx.elicit_url("visit", "Look at this.", "https://example.com/"),
        ctx.sample("greeting", question),
        ctx.list_roots("roots"),
    )?;
    Ok(format!(
        "{:?} {visited:?} {} {}",
        name.accepted().map(|name| name.name),
        greeting.text(),
        roots[0].uri
    ))
}

/// Ask under one key three times.
#[mcp_tool(group = "ask")]
pub(crate) async fn thrice(ctx: &Context) -> Result<String, ToolError> {
    let mut names = Vec::new();
    for _ in 0..3 {
        let name = ctx.elicit::<Name>("name", "Your name?").await?;
        names.extend(name.accepted().map(|name| name.name));
    }
    Ok(names.join(" "))
}

/// How often a step has been run, under which key.
pub(crate) static RUNS: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

/// The idempotency keys under which the step of a name has been run.
pub(crate) fn runs(name: &str) -> Vec<String> {
    let runs = RUNS.lock().unwrap();
    let runs = runs.iter().filter(|(other, _)| other == name);
    runs.map(|(_, key)| key.clone()).collect()
}

async fn effect(name: String, key: IdempotencyKey) -> Result<usize, ToolError> {
    tokio::task::yield_now().await;
    RUNS.lock().unwrap().push((name.clone(), key.to_string()));
    Ok(runs(&name).len())
}

/// Charge, ask, and charge once more.
#[mcp_tool(group = "ask")]
pub(crate) async fn pay(name: String, ctx: &Context) -> Result<String, ToolError> {
    let step = |key| effect(name.clone(), key);
    let first = ctx.once_with("charge", step).await?;
    let tip = ctx.elicit::<Confirm>("tip", "A tip?").await?;
    let second = ctx.once_with("charge", step).await?;
    let last = ctx.elicit::<Confirm>("last", "Done?").await?;
    Ok(format!(
        "{first} {second} {:?} {:?}",
        tip.accepted(),
        last.accepted()
    ))
}

/// A prompt that asks.
#[mcp_prompt(group = "ask")]
pub(crate) async fn asking(topic: String, ctx: &Context) -> Result<String, ToolError> {
    let name = ctx.elicit::<Name>("name", "Your name?").await?;
    Ok(format!("{topic} for {:?}", name.accepted()))
}

/// A resource that asks.
#[mcp_resource("asking://{id}", group = "ask")]
pub(crate) async fn asking_resource(id: String, ctx: &Context) -> Result<String, ResourceError> {
    let name = ctx.elicit::<Name>("name", "Your name?").await?;
    Ok(format!("{id} for {:?}", name.accepted()))
}

/// Complete after asking, which no completion can.
async fn complete_asking(_: &str, completing: &CompletionContext) -> Vec<String> {
    let name = completing.context().elicit::<Name>("name", "?").await;
    vec![format!("{name:?}")]
}

/// A prompt whose completion asks.
#[mcp_prompt(group = "ask")]
pub(crate) fn completed(#[arg(complete = complete_asking)] word: String) -> String {
    word
}

/// A server of these functions; those that need a state have it from their own files.
pub(crate) fn builder() -> ServerBuilder {
    mcp_runtime::server!().groups(["ask"])
}

pub(crate) fn server() -> Server {
    builder().build().unwrap()
}
