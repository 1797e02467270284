//! Asking again under the same key, since the answer that came will not do.

use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use super::client::{Request, accept, answers, asked, text};
use super::form::{Confirm, Name};

fn is_free(name: &str) -> bool {
    name == "free"
}

fn reserve_as_answered(ctx: &Context) -> Result<String, ToolError> {
    match ctx.answers().elicited::<Name>("name")? {
        Some(ElicitOutcome::Accepted(name)) if is_free(&name.name) => Ok("reserved".to_owned()),
        _ => Err(InputRequired::elicit::<Name>("name", "Another name?").into()),
    }
}

/// Reserve a name, and ask for another as long as it is taken.
#[mcp_tool(group = "again")]
fn reserve(ctx: &Context) -> Result<String, ToolError> {
    reserve_as_answered(ctx)
}

/// Ask two things, both again until both will do.
#[mcp_tool(group = "again")]
fn pair(ctx: &Context) -> Result<String, ToolError> {
    let answers = ctx.answers();
    let name = answers.elicited::<Name>("name")?;
    let sure = match &name {
        Some(ElicitOutcome::Accepted(name)) if is_free(&name.name) => {
            answers.elicited::<Confirm>("sure")?
        }
        _ => None,
    };
    match (name, sure) {
        (Some(name), Some(sure)) => Ok(format!("{name:?} {sure:?}")),
        _ => Err(InputRequired::elicit::<Name>("name", "Your name?")
            .and(InputRequired::elicit::<Confirm>("sure", "Sure?"))
            .into()),
    }
}

fn server() -> Server {
    mcp_runtime::server!()
        .groups(["again"])
        .register_tool(
            "later",
            "Reserve a name later.",
            json!({"type": "object"}),
            |_: Value, ctx: Context| async move {
                tokio::task::yield_now().await;
                reserve_as_answered(&ctx)
            },
        )
        .build()
        .unwrap()
}

fn name(name: &str) -> Value {
    accept(json!({ "name": name }))
}

#[test]
fn an_answer_that_will_not_do_gives_way_to_the_next() {
    let server = server();
    for tool in ["reserve", "later"] {
        let request = Request::call(tool, json!({}));
        let mut round = request.send(&server);
        for answer in [
            name("taken"),
            json!({"action": "decline"}),
            json!(5),
            name("taken"),
        ] {
            assert_eq!(asked(&round), ["name"]);
            round = request
                .next(&round, answers([("name", answer)]))
                .send(&server);
        }
        let done = request.next(&round, answers([("name", name("free"))]));
        assert_eq!(text(&done.send(&server)), "reserved", "{tool}");
    }
}

#[test]
fn what_is_asked_again_and_not_answered_again_stays_answered() {
    let server = server();
    let request = Request::call("pair", json!({}));
    let first = request.send(&server);
    // The second answer is not looked at before the first will do.
    let both = answers([
        ("name", name("taken")),
        ("sure", accept(json!({"yes": true}))),
    ]);
    let second = request.next(&first, both).send(&server);
    assert_eq!(asked(&second), ["name", "sure"]);
    let done = request
        .next(&second, answers([("name", name("free"))]))
        .send(&server);
    assert_eq!(
        text(&done),
        r#"Accepted(Name { name: "free" }) Accepted(Confirm { yes: true })"#
    );
    // Answered once more unseen, the last word counts.
    let unseen = answers([
        ("name", name("taken")),
        ("sure", accept(json!({"yes": false}))),
    ]);
    let third = request.next(&second, unseen).send(&server);
    assert_eq!(asked(&third), ["name", "sure"]);
    let done = request
        .next(&third, answers([("name", name("free"))]))
        .send(&server);
    assert_eq!(
        text(&done),
        r#"Accepted(Name { name: "free" }) Accepted(Confirm { yes: false })"#
    );
}

#[test]
fn what_comes_last_counts_though_it_is_no_answer() {
    let server = server();
    let request = Request::call("pair", json!({}));
    let first = request.send(&server);
    let second = request
        .next(&first, answers([("name", name("free"))]))
        .send(&server);
    assert_eq!(asked(&second), ["name", "sure"]);
    let both = answers([
        ("name", json!({"action": "perhaps"})),
        ("sure", accept(json!({"yes": true}))),
    ]);
    let third = request.next(&second, both).send(&server);
    assert_eq!(asked(&third), ["name", "sure"]);
    // What was not asked for again has its answer, whatever is sent along.
    let done = request
        .next(&third, answers([("name", name("free"))]))
        .send(&server);
    assert!(text(&done).ends_with("Accepted(Confirm { yes: true })"));
}
