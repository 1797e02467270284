//! An answer belongs to what was asked, and is never taken for one to something else that is asked under its key.

use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use super::client::{Request, accept, answers, asked, text};
use super::form::Confirm;

/// Fits the same answers as `Confirm`, and means something else.
#[derive(Debug, PartialEq, ElicitForm)]
struct Everything {
    /// Is everything to go?
    yes: bool,
}

/// Ask side by side, and on later runs something else under a key, as another version of the program might.
#[mcp_tool(group = "subjects")]
async fn change(kind: String, run: State<AtomicUsize>, ctx: &Context) -> Result<String, ToolError> {
    ctx.once("begun", async { Ok::<_, ToolError>(()) }).await?;
    let run = run.fetch_add(1, Ordering::Relaxed);
    let one = ctx.elicit::<Confirm>("a", format!("For the {run}th time?"));
    match (&*kind, run) {
        (_, 0) => {
            let other = ctx.elicit::<Confirm>("b", "Delete A?");
            tokio::try_join!(one, other)?;
        }
        // The answer to the other question is not read.
        ("unread" | "unread, returned" | "unread, the same", 1) => {
            one.await?;
            ctx.elicit::<Confirm>("c", "?").await?;
        }
        ("returned" | "unread, returned", _) => {
            return Ok(format!("{:?}", ctx.answers().elicited::<Everything>("b")?));
        }
        ("url", _) => {
            let page = ctx.elicit_url("b", "?", "https://example.com/");
            return Ok(format!("{:?}", page.await?));
        }
        ("unread, the same", _) => {
            let same = ctx.elicit::<Confirm>("b", "Delete A now?");
            return Ok(format!("{:?}", same.await?));
        }
        _ => {
            let other = ctx.elicit::<Everything>("b", "Delete everything?");
            return Ok(format!("{:?}", other.await?));
        }
    }
    Ok(String::new())
}

fn server() -> Server {
    mcp_runtime::server!()
        .groups(["subjects"])
        .state(AtomicUsize::new(0))
        .build()
        .unwrap()
}

fn yes() -> Value {
    accept(json!({"yes": true}))
}

/// The last round of a call whose questions were all answered with yes.
fn last(server: &Server, kind: &str) -> Request {
    let request = Request::call("change", json!({ "kind": kind }));
    let round = request.send(server);
    assert_eq!(asked(&round), ["a", "b"]);
    let next = request.next(&round, answers([("a", yes()), ("b", yes())]));
    if !kind.starts_with("unread") {
        return next;
    }
    let round = next.send(server);
    assert_eq!(asked(&round), ["c"]);
    request.next(&round, answers([("c", yes())]))
}

#[test]
fn an_answer_is_never_taken_for_one_to_another_question() {
    for kind in ["at once", "returned", "url", "unread", "unread, returned"] {
        let server = server();
        let (code, message) = last(&server, kind).refused(&server);
        assert_eq!(code, -32603, "{kind}");
        assert!(message.contains("under `b`"), "{kind}: {message}");
        assert!(message.contains("the same keys on each run"), "{message}");
    }
}

#[test]
fn the_words_of_a_question_may_change() {
    let server = server();
    let done = last(&server, "unread, the same").send(&server);
    assert_eq!(text(&done), "Accepted(Confirm { yes: true })");
}
