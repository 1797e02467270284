//! What a call may carry, how often, and for how long.

use std::time::Duration;

use mcp_runtime::prelude::*;
use serde_json::json;

use super::client::{Request, accept, answers, asked, text};
use super::form::Name;
use super::functions::builder;

/// Ask so often.
#[mcp_tool(group = "limits")]
async fn ask_often(times: u32, ctx: &Context) -> Result<String, ToolError> {
    for _ in 0..times {
        ctx.elicit::<Name>("name", "?").await?;
    }
    Ok("done".into())
}

/// Remember a text of some size, and ask.
#[mcp_tool(group = "limits")]
async fn remember(size: usize, ctx: &Context) -> Result<String, ToolError> {
    let text = async { Ok::<_, ToolError>("x".repeat(size)) };
    let text = ctx.once("text", text).await?;
    ctx.elicit::<Name>("name", "?").await?;
    Ok(text.len().to_string())
}

fn limited() -> ServerBuilder {
    builder().groups(["limits"])
}

#[test]
fn rounds_are_bounded() {
    let server = limited().max_rounds(2).build().unwrap();
    let answered = |key: &str| answers([(key, accept(json!({"name": "x"})))]);
    let play = |times: u32| {
        let request = Request::call("ask_often", json!({ "times": times }));
        // The first round has nothing to remember, and does not count.
        let first = request.send(&server);
        let second = request.next(&first, answered("name")).send(&server);
        let third = request.next(&second, answered("name#2")).send(&server);
        request.next(&third, answered("name#3"))
    };
    assert_eq!(text(&play(3).send(&server)), "done");
    let (code, message) = play(4).refused(&server);
    assert_eq!(code, -32603);
    assert_eq!(
        message,
        "the call is not done after 2 rounds of questions, which is the limit"
    );
}

#[test]
fn refused_answers_count_as_rounds() {
    let server = limited().build().unwrap();
    let request = Request::call("ask_often", json!({"times": 1}));
    let mut round = request.send(&server);
    for _ in 0..10 {
        round = request
            .next(&round, answers([("name", json!(1))]))
            .send(&server);
        assert_eq!(asked(&round), ["name"]);
    }
    let (code, _) = request
        .next(&round, answers([("name", json!(1))]))
        .refused(&server);
    assert_eq!(code, -32603);
}

#[test]
fn the_journal_is_bounded() {
    let server = limited().max_journal_size(2000).build().unwrap();
    let request = |size: usize| Request::call("remember", json!({ "size": size }));
    let round = request(1000).send(&server);
    let done = request(1000)
        .next(&round, answers([("name", json!({"action": "decline"}))]))
        .send(&server);
    assert_eq!(text(&done), "1000");
    let (code, message) = request(2000).refused(&server);
    assert_eq!(code, -32603);
    assert!(message.ends_with("bytes; the limit is 2000"), "{message}");
    let usual = limited().build().unwrap();
    request(60_000).send(&usual);
    assert_eq!(request(70_000).refused(&usual).0, -32603);
}

#[test]
fn the_largest_journal_comes_back() {
    let server = limited().max_journal_size(2000).build().unwrap();
    let size = (1000..2000)
        .take_while(|size| {
            let request = Request::call("remember", json!({ "size": size }));
            request.response(&server).get("result").is_some()
        })
        .last()
        .unwrap();
    let request = Request::call("remember", json!({ "size": size }));
    let round = request.send(&server);
    let done = request
        .next(&round, answers([("name", json!({"action": "decline"}))]))
        .send(&server);
    assert_eq!(text(&done), size.to_string());
}

#[test]
fn the_lifetime_of_a_state_is_the_builders_to_say() {
    let lasting = limited()
        .request_state_ttl(Duration::from_secs(u64::MAX))
        .build()
        .unwrap();
    let request = Request::call("remember", json!({"size": 1}));
    let round = request.send(&lasting);
    let done = request
        .next(&round, answers([("name", json!({"action": "decline"}))]))
        .send(&lasting);
    assert_eq!(text(&done), "1");
}
