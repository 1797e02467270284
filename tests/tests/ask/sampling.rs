//! What a model may be asked: messages whose tool uses have their results, and what clients must have declared for it.

use mcp_runtime::prelude::*;
use mcp_runtime::{
    content::{Role, TextContent},
    sampling::{
        CreateMessageRequest, IncludeContext, SamplingContent, SamplingMessage, ToolChoice,
        ToolResultContent,
    },
};
use serde_json::{Value, json};

use super::client::{Request, asked};

fn text(text: &str) -> SamplingContent {
    TextContent::new(text).into()
}

/// A model's wish, as its answer has it.
fn wish(id: &str) -> SamplingContent {
    let wish = json!({"type": "tool_use", "id": id, "name": "look", "input": {}});
    serde_json::from_value(wish).unwrap()
}

fn result(id: &str) -> SamplingContent {
    ToolResultContent::new(id, []).into()
}

fn user<const N: usize>(content: [SamplingContent; N]) -> SamplingMessage {
    SamplingMessage::of(Role::User, content)
}

fn model<const N: usize>(content: [SamplingContent; N]) -> SamplingMessage {
    SamplingMessage::of(Role::Assistant, content)
}

/// Messages by their name.
fn messages(of: &str) -> Vec<SamplingMessage> {
    let question = || user([text("?")]);
    match of {
        "plain" => vec![question(), model([text("!")]), question()],
        "balanced" => vec![
            question(),
            model([text("I look."), wish("a"), wish("b")]),
            user([result("b"), result("a")]),
            model([wish("c")]),
            user([result("c")]),
        ],
        "mixed" => vec![
            question(),
            model([wish("a")]),
            user([text("Here:"), result("a")]),
        ],
        "of the model" => vec![question(), model([wish("a")]), model([result("a")])],
        "unanswered" => vec![
            question(),
            model([wish("a"), wish("b")]),
            user([result("a")]),
        ],
        "passed over" => vec![question(), model([wish("a")]), question()],
        "last" => vec![question(), model([wish("a")])],
        _ => vec![question(), user([result("a")])],
    }
}

/// Ask the model, awaited, returned, or in own words.
#[mcp_tool(group = "sampling")]
async fn sample(of: String, how: String, ctx: &Context) -> Result<String, ToolError> {
    let mut request = CreateMessageRequest::new(5);
    match &*of {
        "tools" => {
            request = request
                .user("?")
                .tool(json!({"name": "look", "inputSchema": {"type": "object"}}))
        }
        "choice" => request = request.user("?").tool_choice(ToolChoice::Auto),
        "bad tool" => request = request.user("?").tool(json!({"name": "look"})),
        "context" => {
            request = request.user("?");
            request.include_context = Some(IncludeContext::ThisServer);
        }
        "no context" => {
            request = request.user("?");
            request.include_context = Some(IncludeContext::None);
        }
        _ => request.messages = messages(&of),
    }
    match &*how {
        "awaited" => Ok(ctx.sample("text", request).await?.text()),
        "returned" => Err(InputRequired::sample("text", request).into()),
        _ => {
            let params = serde_json::to_value(request)?;
            let request = json!({"text": {"method": "sampling/createMessage", "params": params}});
            Err(InputRequired::new(request).into())
        }
    }
}

const WAYS: [&str; 3] = ["awaited", "returned", "own words"];

fn server() -> Server {
    mcp_runtime::server!().groups(["sampling"]).build().unwrap()
}

fn request(of: &str, how: &str, sampling: Value) -> Request {
    let request = Request::call("sample", json!({"of": of, "how": how}));
    request.capable_of(json!({ "sampling": sampling }))
}

#[test]
fn tool_uses_have_their_results_and_these_are_alone() {
    let server = server();
    for how in WAYS {
        for of in ["plain", "balanced"] {
            let round = request(of, how, json!({"tools": {}})).send(&server);
            assert_eq!(asked(&round), ["text"]);
        }
        for (of, fault) in [
            (
                "mixed",
                "`params.messages[2]` has tool results, which have to be alone",
            ),
            (
                "of the model",
                "`params.messages[2]` has tool results, which have to be alone",
            ),
            (
                "unanswered",
                "`params.messages[2]` has to have the result of the tool use `b`",
            ),
            (
                "passed over",
                "`params.messages[2]` has to have the result of the tool use `a`",
            ),
            ("last", "the tool use `a` has no result behind it"),
            (
                "strange",
                "`params.messages[1]` has a result of the tool use `a`",
            ),
            ("bad tool", "`params.tools[0].inputSchema` is missing"),
        ] {
            let (code, message) = request(of, how, json!({"tools": {}})).refused(&server);
            assert_eq!(code, -32603, "{of}, {how}");
            assert!(message.contains("asks under `text`"), "{message}");
            assert!(message.contains(fault), "{of}, {how}: {message}");
        }
    }
}

#[test]
fn what_goes_beyond_plain_sampling_has_to_be_declared() {
    let server = server();
    for how in WAYS {
        for (of, missing) in [
            ("tools", "tools"),
            ("choice", "tools"),
            ("balanced", "tools"),
            ("context", "context"),
        ] {
            let response = request(of, how, json!({})).response(&server);
            assert_eq!(response["error"]["code"], -32021, "{of}, {how}: {response}");
            assert_eq!(
                response["error"]["data"],
                json!({"requiredCapabilities": {"sampling": {missing: {}}}}),
                "{of}, {how}"
            );
            let round = request(of, how, json!({missing: {}})).send(&server);
            assert_eq!(asked(&round), ["text"], "{of}, {how}");
        }
        for of in ["plain", "no context"] {
            let round = request(of, how, json!({})).send(&server);
            assert_eq!(asked(&round), ["text"]);
        }
    }
}
