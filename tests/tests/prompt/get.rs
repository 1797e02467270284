//! `prompts/get`.

use std::fmt;

use mcp_runtime::content::{ResourceContents, Role};
use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use super::{Shop, ask, server};

/// Say something simple.
#[mcp_prompt]
fn simple() -> &'static str {
    "Simple."
}

/// Count.
#[mcp_prompt]
fn counted(
    text: &str,
    number: i8,
    flag: Option<bool>,
    #[arg(default = 'x')] letter: char,
) -> String {
    format!("{text} {number} {flag:?} {letter}")
}

/// Take whatever comes.
#[mcp_prompt(allow_unknown)]
fn lenient(known: Option<String>) -> String {
    format!("{known:?}")
}

/// Have messages of both sides.
#[mcp_prompt]
fn mixed() -> Vec<PromptMessage> {
    vec![
        PromptMessage::user("Look:"),
        PromptMessage::new(Role::User, ContentBlock::image([1, 2, 3], "image/png")),
        PromptMessage::new(
            Role::Assistant,
            ContentBlock::resource(
                ResourceContents::text("test://a", "text").mime_type("text/plain"),
            ),
        ),
    ]
}

/// Have one block.
#[mcp_prompt]
fn block() -> ContentBlock {
    ContentBlock::audio([1], "audio/wav")
}

/// Have several blocks.
#[mcp_prompt]
fn blocks() -> [ContentBlock; 2] {
    [
        ContentBlock::text("a"),
        ContentBlock::resource_link("test://a", "a"),
    ]
}

/// Say it all oneself.
#[mcp_prompt]
fn whole() -> PromptResult {
    PromptResult::new(["a", "b"]).description("Of its own")
}

#[derive(Debug)]
struct Sold;

impl fmt::Display for Sold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("all sold")
    }
}

/// Fail.
#[mcp_prompt]
fn failing(#[arg(default)] well: bool) -> Result<String, Sold> {
    if well {
        Ok("well".to_owned())
    } else {
        Err(Sold)
    }
}

/// Ask for input.
#[mcp_prompt]
fn asks() -> Result<String, ToolError> {
    Err(InputRequired::new("name").into())
}

/// Panic.
#[mcp_prompt]
fn panics() -> String {
    panic!("a secret")
}

/// Answer later.
#[mcp_prompt]
async fn later(text: &str, shop: State<Shop>) -> Result<String, ToolError> {
    let mut polled = false;
    std::future::poll_fn(|context| {
        if polled {
            return std::task::Poll::Ready(());
        }
        polled = true;
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
    if text == "panic" {
        panic!("a secret");
    }
    Ok(format!("{text} {}", shop.0))
}

struct Client(String);

impl FromContext for Client {
    fn from_context(context: &Context) -> Result<Self, ToolError> {
        context
            .client_info()
            .map(|client| Self(client.name))
            .ok_or_else(|| ToolError::new("who are you?"))
    }
}

/// Know the client.
#[mcp_prompt]
fn injected(client: Client) -> String {
    client.0
}

fn get(name: &str, arguments: Value) -> Value {
    server().get_prompt_blocking(name, arguments)
}

fn text(name: &str, arguments: Value) -> String {
    let result = get(name, arguments);
    let text = &result["messages"][0]["content"]["text"];
    text.as_str()
        .unwrap_or_else(|| panic!("{result}"))
        .to_owned()
}

/// The code and the message of an error.
fn error(name: &str, arguments: Value) -> (i64, String) {
    let error = get(name, arguments);
    (
        error["code"].as_i64().unwrap_or_else(|| panic!("{error}")),
        error["message"].as_str().unwrap().to_owned(),
    )
}

#[test]
fn a_text_is_a_message_of_the_user() {
    let answer = ask(&server(), "prompts/get", json!({"name": "simple"}));
    let mut result = answer["result"].clone();
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "mcp-tests"
    );
    result.as_object_mut().unwrap().remove("_meta");
    assert_eq!(
        result,
        json!({
            "resultType": "complete",
            "description": "Say something simple.",
            "messages": [{"role": "user", "content": {"type": "text", "text": "Simple."}}],
        })
    );
}

#[test]
fn messages_have_any_content() {
    let messages = get("mixed", json!({}))["messages"].clone();
    assert_eq!(
        messages[1],
        json!({"role": "user", "content": {"type": "image", "data": "AQID", "mimeType": "image/png"}})
    );
    assert_eq!(messages[2]["role"], "assistant");
    assert_eq!(
        messages[2]["content"]["resource"],
        json!({"uri": "test://a", "mimeType": "text/plain", "text": "text"})
    );
    assert_eq!(
        get("block", json!({}))["messages"][0]["content"]["mimeType"],
        "audio/wav"
    );
    assert_eq!(
        get("blocks", json!({}))["messages"][1]["content"]["type"],
        "resource_link"
    );
}

#[test]
fn a_result_may_describe_itself() {
    let result = get("whole", json!({}));
    assert_eq!(result["description"], "Of its own");
    assert_eq!(result["messages"].as_array().unwrap().len(), 2);
}

#[test]
fn arguments_are_parsed_by_their_types() {
    assert_eq!(
        text(
            "counted",
            json!({"text": "a\"b", "number": "-3", "flag": "true", "letter": "é"})
        ),
        "a\"b -3 Some(true) é"
    );
    assert_eq!(
        text("counted", json!({"text": "", "number": "+7"})),
        " 7 None x"
    );
    assert_eq!(text("review-order", json!({"id": "7"})), "7 None 3 otters");
}

#[test]
fn every_fault_is_told_at_once() {
    assert_eq!(
        error(
            "counted",
            json!({"number": "1000", "flag": "banana", "txet": "x"})
        ),
        (
            -32602,
            "Invalid params: `txet` is not an argument; did you mean `text`?; \
             `flag`: provided string was not `true` or `false`; `flag` may be left out; \
             `number`: number too large to fit in target type; `text` is missing"
                .to_owned()
        )
    );
}

#[test]
fn of_many_faults_some_are_told() {
    let arguments = |count: usize| {
        let named = (0..count).map(|number| (format!("unknown{number}"), json!(0)));
        Value::Object(named.collect())
    };
    let told = |count| {
        let (code, message) = error("counted", arguments(count));
        assert_eq!(code, -32602);
        message.split("; ").map(str::to_owned).collect::<Vec<_>>()
    };
    // The two that are missing are told as well.
    assert_eq!(told(30).len(), 32);
    assert_eq!(told(30)[30], "`text` is missing");
    let most = told(10_000);
    assert_eq!(most.len(), 33);
    assert_eq!(most[31], "`unknown1025` is not an argument");
    assert_eq!(most[32], "… and more of the same");
    let name = "x".repeat(100_000);
    let (_, message) = error("simple", json!({ name: "" }));
    assert_eq!(
        message,
        format!("Invalid params: `{}…` is not an argument", "x".repeat(40))
    );
}

#[test]
fn arguments_are_strings_in_an_object() {
    assert_eq!(
        error("counted", json!({"text": "", "number": 1})).1,
        "Invalid params: `number` must be a string"
    );
    for arguments in [json!([]), json!("x"), json!(1), json!(true)] {
        assert_eq!(error("simple", arguments).0, -32602);
    }
    assert_eq!(text("simple", Value::Null), "Simple.");
    let twice =
        br#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"lenient","arguments":
        {"known":"a","known":"b"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let mut out = Vec::new();
    server().handle_message_blocking(twice, &mut out);
    assert!(
        String::from_utf8(out)
            .unwrap()
            .contains("`known` stands twice")
    );
}

#[test]
fn unknown_arguments_pass_only_where_they_may() {
    assert_eq!(
        error("simple", json!({"x": "y"})),
        (-32602, "Invalid params: `x` is not an argument".to_owned())
    );
    assert_eq!(text("lenient", json!({"x": "y", "z": 1})), "None");
}

#[test]
fn names_are_known_or_refused() {
    assert_eq!(
        error("nobody", json!({})),
        (-32602, "Unknown prompt: nobody".to_owned())
    );
    for name in [json!(1), json!(null), json!({}), json!(["simple"])] {
        let answer = ask(&server(), "prompts/get", json!({"name": name}));
        assert_eq!(answer["error"]["code"], -32602);
        assert_eq!(answer["id"], 1);
    }
}

#[test]
fn a_failure_is_an_error_of_the_request() {
    assert_eq!(error("failing", json!({})), (-32603, "all sold".to_owned()));
    assert_eq!(text("failing", json!({"well": "true"})), "well");
    assert_eq!(
        error("panics", json!({})),
        (-32603, "the prompt failed".to_owned())
    );
    assert_eq!(error("asks", json!({})).0, -32603);
    assert_eq!(
        error("injected", json!({})),
        (-32603, "who are you?".to_owned())
    );
    let masked = mcp_runtime::server!()
        .state(Shop(""))
        .mask_errors()
        .build()
        .unwrap();
    assert_eq!(
        masked.get_prompt_blocking("failing", json!({}))["message"],
        "the prompt failed"
    );
}

#[test]
fn async_prompts_are_driven_to_their_end() {
    assert_eq!(text("later", json!({"text": "a"})), "a otters");
    assert_eq!(
        error("later", json!({})),
        (-32602, "Invalid params: `text` is missing".to_owned())
    );
    assert_eq!(
        error("later", json!({"text": "panic"})),
        (-32603, "the prompt failed".to_owned())
    );
}

#[test]
fn a_state_that_a_prompt_takes_is_asked_for() {
    let error = mcp_runtime::server!().build().unwrap_err().to_string();
    assert!(error.contains("prompt::list::review-order"), "{error}");
    assert!(error.contains("add `.state(…)`"), "{error}");
}
