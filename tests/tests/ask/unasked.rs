//! Answers that nobody asked for: where it is known what was asked, they are none.

use mcp_runtime::prelude::*;
use mcp_runtime::sealing::MemoryReplayGuard;
use serde_json::{Value, json};

use super::client::{Request, accept, answers, asked, text};
use super::form::{Confirm, Name};

/// Ask for a name after a step if there is one, and whether that is right.
#[mcp_tool(group = "unasked")]
async fn register(has_step: bool, ctx: &Context) -> Result<String, ToolError> {
    if has_step {
        ctx.once("step", async { Ok::<_, ToolError>(()) }).await?;
    }
    let name = ctx.elicit::<Name>("name", "Your name?").await?;
    let sure = ctx.elicit::<Confirm>("sure", "Sure?").await?;
    Ok(format!("{name:?} {sure:?}"))
}

/// The same with a handler that sees all answers.
fn server() -> ServerBuilder {
    mcp_runtime::server!().groups(["unasked"]).register_tool(
        "raw",
        "Show the answers.",
        json!({"type": "object"}),
        |_: Value, ctx: Context| async move {
            ctx.once("step", async { Ok::<_, ToolError>(()) }).await?;
            let sure = ctx.elicit::<Confirm>("sure", "Sure?").await?;
            let name = ctx.answers().elicited::<Name>("name")?;
            Ok::<_, ToolError>(format!("{sure:?} {name:?}"))
        },
    )
}

fn name() -> Value {
    accept(json!({"name": "Ada"}))
}

fn sure() -> Value {
    accept(json!({"yes": true}))
}

#[test]
fn what_a_state_does_not_ask_for_is_not_answered() {
    let server = server().build().unwrap();
    let request = Request::call("register", json!({"has_step": true}));
    let first = request.send(&server);
    assert_eq!(asked(&first), ["name"]);
    let both = answers([("name", name()), ("sure", sure())]);
    let second = request.next(&first, both).send(&server);
    assert_eq!(asked(&second), ["sure"]);
    let done = request.next(&second, answers([("sure", sure())]));
    let expected = r#"Accepted(Name { name: "Ada" }) Accepted(Confirm { yes: true })"#;
    assert_eq!(text(&done.send(&server)), expected);

    let raw = Request::call("raw", json!({}));
    let first = raw.send(&server);
    let both = answers([("name", name()), ("sure", sure())]);
    let done = raw.next(&first, both).send(&server);
    assert_eq!(text(&done), "Accepted(Confirm { yes: true }) None");
}

#[test]
fn without_a_state_nobody_knows_what_was_asked() {
    let server = server().build().unwrap();
    let both = answers([("name", name()), ("sure", sure())]);
    let request = Request::call("register", json!({"has_step": false}));
    let done = request.with("inputResponses", both).send(&server);
    let expected = r#"Accepted(Name { name: "Ada" }) Accepted(Confirm { yes: true })"#;
    assert_eq!(text(&done), expected);
}

#[test]
fn with_a_guard_there_is_no_answer_without_a_state() {
    let server = server();
    let server = server.replay_guard(MemoryReplayGuard::new());
    let server = server.build().unwrap();
    let both = answers([("name", name()), ("sure", sure())]);
    let request = Request::call("register", json!({"has_step": false}));
    let answered = request.with("inputResponses", both);
    assert_eq!(asked(&answered.send(&server)), ["name"]);
}
