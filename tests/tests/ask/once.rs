//! Steps that are not run again, and what they keep from ending.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use mcp_runtime::prelude::*;
use serde_json::json;
use tokio::sync::Notify;

use super::client::{Request, accept, answers, asked, text};
use super::form::{Confirm, Name};
use super::functions::{builder, runs};

fn server() -> Server {
    server_with(Arc::default())
}

fn server_with(gate: Arc<Notify>) -> Server {
    builder()
        .groups(["steps"])
        .state(gate)
        .state(AtomicUsize::new(0))
        .build()
        .unwrap()
}

fn yes() -> serde_json::Value {
    accept(json!({"yes": true}))
}

#[test]
fn a_step_is_run_in_one_round_and_remembered_in_all_others() {
    let server = server();
    let request = Request::call("pay", json!({"name": "remembered"}));
    let first = request.send(&server);
    assert_eq!(asked(&first), ["tip"]);
    assert_eq!(runs("remembered").len(), 1);
    let second = request
        .next(&first, answers([("tip", yes())]))
        .send(&server);
    assert_eq!(asked(&second), ["last"]);
    assert_ne!(first["requestState"], second["requestState"]);
    let done = request
        .next(&second, answers([("last", yes())]))
        .send(&server);
    assert_eq!(
        text(&done),
        "1 2 Some(Confirm { yes: true }) Some(Confirm { yes: true })"
    );
    let keys = runs("remembered");
    assert_eq!(keys.len(), 2);
    assert_ne!(keys[0], keys[1], "two steps, two keys");
}

#[test]
fn a_round_that_is_sent_twice_runs_its_step_twice_under_one_key() {
    let server = server();
    let request = Request::call("pay", json!({"name": "repeated"}));
    let first = request.send(&server);
    let again = request.next(&first, answers([("tip", yes())]));
    again.send(&server);
    again.send(&server);
    let keys = runs("repeated");
    assert_eq!(keys.len(), 3);
    assert_eq!(keys[1], keys[2], "a service can tell that it is one step");
    // The call from the beginning is another conversation.
    request.send(&server);
    assert!(!keys.contains(&runs("repeated")[3]));
}

/// Fail at first.
#[mcp_tool(group = "steps")]
async fn fail_first(name: String, ctx: &Context) -> Result<String, ToolError> {
    let step = |_: IdempotencyKey| async { Err::<u8, _>(ToolError::new("no luck")) };
    let failed = ctx.once_with("step", step).await;
    let name = ctx.elicit::<Name>("name", format!("{name}?")).await?;
    let done = ctx.once("step", async { Ok::<_, ToolError>(5_u8) }).await;
    Ok(format!("{} {} {name:?}", failed.is_err(), done?))
}

#[test]
fn a_step_that_fails_is_not_remembered() {
    let server = server();
    let request = Request::call("fail_first", json!({"name": "x"}));
    let first = request.send(&server);
    assert_eq!(first.get("requestState"), None);
    let answers = answers([("name", json!({"action": "decline"}))]);
    let done = request.next(&first, answers).send(&server);
    assert_eq!(text(&done), "true 5 Declined");
}

/// Ask, and work beside.
#[mcp_tool(group = "steps")]
async fn work_beside(gate: State<Arc<Notify>>, ctx: &Context) -> Result<String, ToolError> {
    let work = ctx.once("work", async {
        gate.notified().await;
        Ok::<_, ToolError>("worked".to_owned())
    });
    let (name, work) = tokio::join!(ctx.elicit::<Name>("name", "?"), work);
    Ok(format!("{name:?} {}", work?))
}

#[tokio::test]
async fn a_round_does_not_end_while_a_step_is_run() {
    let gate = Arc::new(Notify::new());
    let server = server_with(Arc::clone(&gate));
    let request = Request::call("work_beside", json!({}));
    let message = request.message();
    let mut call = pin!(server.handle(&message));
    assert!(poll_once(&mut call).await.is_none(), "the step is not done");
    gate.notify_one();
    let round = call.await.unwrap()["result"].clone();
    assert_eq!(asked(&round), ["name"]);
    let next = request.next(&round, answers([("name", json!({"action": "cancel"}))]));
    let message = next.message();
    let response = server.handle(&message).await.unwrap();
    assert_eq!(
        text(&response["result"]),
        "Ok(Cancelled) worked",
        "without the gate"
    );
}

/// Polls once.
async fn poll_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    poll_fn(|task| {
        Poll::Ready(match Pin::new(&mut *future).poll(task) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        })
    })
    .await
}

/// Ask from a task of its own.
#[mcp_tool(group = "steps")]
async fn ask_elsewhere(ctx: Context) -> Result<String, ToolError> {
    let asking = tokio::spawn(async move {
        tokio::task::yield_now().await;
        ctx.elicit::<Name>("name", "?").await
    });
    Ok(format!(
        "{:?}",
        asking.await?.map_err(|error| error.to_string())
    ))
}

#[tokio::test]
async fn a_question_of_another_task_ends_the_round() {
    let server = server();
    let request = Request::call("ask_elsewhere", json!({}));
    let response = server.handle(&request.message()).await.unwrap();
    assert_eq!(asked(&response["result"]), ["name"]);
}

/// Ask within a step.
#[mcp_tool(group = "steps")]
async fn ask_within(ctx: &Context) -> Result<String, ToolError> {
    ctx.once("step", async {
        ctx.elicit::<Name>("name", "?")
            .await
            .map(|name| name.accepted().is_some())
    })
    .await
    .map(|asked| asked.to_string())
}

#[test]
fn a_question_within_a_step_is_refused() {
    let request = Request::call("ask_within", json!({}));
    let (code, message) = request.refused(&server());
    assert_eq!(code, -32603);
    assert!(message.contains("within the step `step`"), "{message}");
}

/// Begin a step and a question within a step, and go on whatever becomes of them.
#[mcp_tool(group = "steps")]
async fn step_within(early: bool, ctx: &Context) -> Result<String, ToolError> {
    let begin = || {
        let inner = ctx.once("inner", async {
            Ok::<_, ToolError>("from within".to_owned())
        });
        (inner, ctx.elicit::<Name>("name", "?"))
    };
    let outer = ctx.once_with("outer", |_| {
        let begun = early.then(begin);
        async {
            let (inner, name) = begun.unwrap_or_else(begin);
            Ok::<_, ToolError>(inner.await.is_err() && name.await.is_err())
        }
    });
    let is_refused = outer.await?;
    let inner = ctx
        .once("inner", async { Ok::<_, ToolError>("behind".to_owned()) })
        .await?;
    ctx.elicit::<Name>("name", "?").await?;
    Ok(format!("{is_refused} {inner}"))
}

#[test]
fn what_begins_within_a_step_is_refused_and_takes_no_key() {
    let server = server();
    for early in [false, true] {
        let request = Request::call("step_within", json!({ "early": early }));
        let first = request.send(&server);
        assert_eq!(asked(&first), ["name"]);
        let name = answers([("name", json!({"action": "decline"}))]);
        let done = request.next(&first, name).send(&server);
        assert_eq!(text(&done), "true behind");
    }
}

/// Ask side by side, and stop on the second run before one answer is read.
#[mcp_tool(group = "steps")]
async fn dawdle(run: State<AtomicUsize>, ctx: &Context) -> Result<String, ToolError> {
    ctx.once("begun", async { Ok::<_, ToolError>(()) }).await?;
    let is_slow = run.fetch_add(1, Ordering::Relaxed) == 1;
    let quick = async {
        ctx.elicit::<Confirm>("a", "?").await?;
        ctx.elicit::<Confirm>("c", "?").await
    };
    let slow = async {
        if is_slow {
            std::future::pending::<()>().await;
        }
        ctx.elicit::<Confirm>("b", "?").await
    };
    let (c, b) = tokio::try_join!(quick, slow)?;
    Ok(format!("{b:?} {c:?}"))
}

#[test]
fn an_answer_that_came_too_early_is_not_asked_for_again() {
    let server = server();
    let request = Request::call("dawdle", json!({}));
    let first = request.send(&server);
    assert_eq!(asked(&first), ["a", "b"]);
    let both = answers([("a", yes()), ("b", json!({"action": "cancel"}))]);
    let second = request.next(&first, both).send(&server);
    assert_eq!(asked(&second), ["c"]);
    let done = request.next(&second, answers([("c", yes())])).send(&server);
    assert_eq!(text(&done), "Cancelled Accepted(Confirm { yes: true })");
}

/// Take another way on each run: the first remembers something that the second does not expect.
#[mcp_tool(group = "steps")]
async fn wander(kind: String, run: State<AtomicUsize>, ctx: &Context) -> Result<(), ToolError> {
    let is_first = run.fetch_add(1, Ordering::Relaxed) == 0;
    match (kind.as_str(), is_first) {
        ("step, question", true) | ("question, step", false) => {
            ctx.once("a", async { Ok::<_, ToolError>(1) }).await?;
        }
        ("form, form", false) => {
            ctx.elicit::<Name>("a", "?").await?;
        }
        ("type, type", _) => {
            let result = |ok| async move { Ok::<_, ToolError>(ok) };
            if is_first {
                ctx.once("a", result("text".to_owned())).await?;
            } else {
                ctx.once("a", async { Ok::<_, ToolError>(1) }).await?;
            }
        }
        _ => {
            ctx.elicit::<Confirm>("a", "?").await?;
        }
    }
    ctx.elicit::<Name>("b", "?").await?;
    Ok(())
}

#[test]
fn another_way_than_before_is_an_error_and_never_a_wrong_value() {
    for (kind, sentence) in [
        (
            "step, question",
            "the journal has the result of a step under `a`",
        ),
        ("question, step", "the journal has an answer to a form"),
        ("form, form", "the journal has an answer to a form"),
        (
            "type, type",
            "the result of the step `a` cannot be read back",
        ),
    ] {
        let server = server();
        let request = Request::call("wander", json!({ "kind": kind }));
        let first = request
            .clone()
            .with("inputResponses", answers([("a", yes())]))
            .send(&server);
        assert_eq!(asked(&first), ["b"]);
        let (code, message) = request.next(&first, json!({})).refused(&server);
        assert_eq!(code, -32603);
        assert!(message.contains(sentence), "{kind}: {message}");
    }
}
