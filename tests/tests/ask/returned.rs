//! Asking by returning: functions that are not async, and handlers registered at run time.

use mcp_runtime::prelude::*;
use mcp_runtime::sampling::CreateMessageRequest;
use serde_json::{Value, json};

use super::client::{Request, accept, answers, asked, text};
use super::form::{Confirm, Name};

/// Ask for a name and a visit, then for a confirmation.
#[mcp_tool(group = "returned")]
fn sign(ctx: &Context) -> Result<String, ToolError> {
    let answers = ctx.answers();
    let (name, visit) = (
        answers.elicited::<Name>("name")?,
        answers.elicited_url("visit")?,
    );
    let (Some(name), Some(visit)) = (name, visit) else {
        let name = InputRequired::elicit::<Name>("name", "Your name?");
        return Err(name
            .and(InputRequired::elicit_url(
                "visit",
                "Sign.",
                "https://example.com",
            ))
            .into());
    };
    let Some(sure) = answers.elicited::<Confirm>("sure")? else {
        return Err(InputRequired::elicit::<Confirm>("sure", "Sure?").into());
    };
    Ok(format!("{name:?} {visit:?} {sure:?}"))
}

/// Ask the model and for the roots.
#[mcp_prompt(group = "returned")]
fn sampled(ctx: &Context) -> Result<String, ToolError> {
    let answers = ctx.answers();
    match (answers.sampled("text")?, answers.roots("roots")?) {
        (Some(answer), Some(roots)) => Ok(format!("{} {}", answer.text(), roots.len())),
        _ => {
            let request = CreateMessageRequest::new(5).user("?");
            Err(InputRequired::sample("text", request)
                .and(InputRequired::list_roots("roots"))
                .into())
        }
    }
}

/// Ask for a name.
#[mcp_resource("returned://it", group = "returned")]
fn returned(ctx: &Context) -> Result<String, ResourceError> {
    match ctx.answers().elicited::<Name>("name")? {
        Some(name) => Ok(format!("{name:?}")),
        None => Err(InputRequired::elicit::<Name>("name", "Your name?").into()),
    }
}

/// Ask without a way of reading the answer.
#[mcp_tool(group = "returned")]
fn deaf() -> Result<String, InputRequired> {
    Err(InputRequired::elicit::<Name>("name", "Your name?"))
}

fn question(key: &str) -> Value {
    json!({ key: {
        "method": "elicitation/create",
        "params": {"message": "?", "requestedSchema": {"type": "object", "properties": {}}},
    }})
}

fn server() -> Server {
    let schema = json!({"type": "object"});
    mcp_runtime::server!()
        .groups(["returned"])
        .register_tool(
            "raw",
            "Ask twice.",
            schema.clone(),
            |_: Value, given: Value| {
                for key in ["a", "b"] {
                    if given.get(key).is_none() {
                        return Err(InputRequired::new(question(key)));
                    }
                }
                Ok(given)
            },
        )
        .register_tool("odd", "Ask oddly.", schema.clone(), |arguments: Value| {
            Err::<(), _>(InputRequired::new(arguments["ask"].clone()))
        })
        .register_tool(
            "later",
            "Ask later.",
            schema,
            |_: Value, ctx: Context| async move {
                tokio::task::yield_now().await;
                match ctx.answers().elicited::<Name>("name")? {
                    Some(name) => Ok(format!("{name:?}")),
                    None => Err(ToolError::from(InputRequired::elicit::<Name>("name", "?"))),
                }
            },
        )
        .build()
        .unwrap()
}

fn name() -> Value {
    accept(json!({"name": "Ada"}))
}

#[test]
fn a_function_that_returns_its_questions_is_run_again_with_the_answers() {
    let server = server();
    let request = Request::call("sign", json!({}));
    let first = request.send(&server);
    assert_eq!(asked(&first), ["name", "visit"]);
    // One answer is none, the other is kept.
    let half = answers([("name", json!(1)), ("visit", json!({"action": "accept"}))]);
    let second = request.next(&first, half).send(&server);
    assert_eq!(asked(&second), ["name", "visit"]);
    let third = request
        .next(&second, answers([("name", name())]))
        .send(&server);
    assert_eq!(asked(&third), ["sure"]);
    let sure = answers([("sure", json!({"action": "decline"}))]);
    let done = request.next(&third, sure).send(&server);
    assert_eq!(
        text(&done),
        r#"Accepted(Name { name: "Ada" }) Accepted(()) Declined"#
    );
}

#[test]
fn prompts_and_resources_return_questions_too() {
    let server = server();
    let prompt = Request::new("prompts/get", json!({"name": "sampled"}));
    let round = prompt.send(&server);
    assert_eq!(asked(&round), ["roots", "text"]);
    let given = answers([
        (
            "text",
            json!({"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"}),
        ),
        ("roots", json!({"roots": []})),
    ]);
    let done = prompt.next(&round, given).send(&server);
    assert_eq!(done["messages"][0]["content"]["text"], "hi 0");
    let resource = Request::new("resources/read", json!({"uri": "returned://it"}));
    let round = resource.send(&server);
    let done = resource
        .next(&round, answers([("name", name())]))
        .send(&server);
    assert_eq!(
        done["contents"][0]["text"],
        r#"Accepted(Name { name: "Ada" })"#
    );
}

#[test]
fn a_function_that_returns_its_questions_never_sees_what_is_no_answer() {
    let server = server();
    let prompt = Request::new("prompts/get", json!({"name": "sampled"}));
    let said =
        || json!({"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"});
    let mut round = prompt.send(&server);
    for (said, roots) in [
        (json!({"action": "accept"}), json!({"roots": []})),
        (said(), json!({"roots": [{}]})),
        (json!(null), json!(null)),
    ] {
        assert_eq!(asked(&round), ["roots", "text"]);
        let given = answers([("text", said), ("roots", roots)]);
        round = prompt.next(&round, given).send(&server);
    }
    let given = answers([("text", said()), ("roots", json!({"roots": []}))]);
    let done = prompt.next(&round, given).send(&server);
    assert_eq!(done["messages"][0]["content"]["text"], "hi 0");
    // A page that was not visited as the protocol says it, was not visited.
    let sign = Request::call("sign", json!({}));
    let odd = answers([("name", name()), ("visit", json!({"action": "visited"}))]);
    let round = sign.with("inputResponses", odd).send(&server);
    assert_eq!(asked(&round), ["name", "visit"]);
}

#[test]
fn a_handler_of_run_time_gets_the_answers_of_all_rounds() {
    let server = server();
    let request = Request::call("raw", json!({}));
    let first = request.send(&server);
    assert_eq!(first["inputRequests"], question("a"));
    let second = request
        .next(&first, answers([("a", json!([1]))]))
        .send(&server);
    assert_eq!(second["inputRequests"], question("b"));
    let done = request
        .next(&second, answers([("b", json!(null))]))
        .send(&server);
    assert_eq!(text(&done), r#"{"a":[1],"b":null}"#);
}

#[test]
fn an_async_handler_may_return_its_questions() {
    let server = server();
    let request = Request::call("later", json!({}));
    let round = request.send(&server);
    assert_eq!(asked(&round), ["name"]);
    let done = request
        .next(&round, answers([("name", name())]))
        .send(&server);
    assert_eq!(text(&done), r#"Accepted(Name { name: "Ada" })"#);
}

#[test]
fn what_the_protocol_cannot_ask_is_an_error_of_the_server() {
    let server = server();
    for ask in [
        json!("name"),
        json!([1]),
        json!({"a": 1}),
        json!({"a": {"method": "tools/list"}}),
        json!({"a": {"method": "elicitation/create"}}),
        json!({"a": {"method": "elicitation/create", "params": {"mode": "url"}}}),
        json!({"a": {"method": "sampling/createMessage", "params": {}}}),
        json!({}),
        json!(null),
    ] {
        let (code, _) = Request::call("odd", json!({ "ask": ask })).refused(&server);
        assert_eq!(code, -32603, "{ask}");
    }
    let (code, message) = Request::call("deaf", json!({})).refused(&server);
    assert_eq!(code, -32603);
    assert!(message.contains("takes no `Context`"), "{message}");
}

#[test]
fn returned_questions_need_their_capabilities_too() {
    let server = server();
    let sign = Request::call("sign", json!({})).capable_of(json!({"elicitation": {}}));
    let response = sign.response(&server);
    assert_eq!(
        response["error"]["data"]["requiredCapabilities"],
        json!({"elicitation": {"url": {}}})
    );
    let raw = Request::call("raw", json!({})).capable_of(json!({}));
    assert_eq!(raw.refused(&server).0, -32021);
}
