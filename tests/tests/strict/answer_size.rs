//! Answers that are too large: each is replaced by an error that gives its size, and the call has ended.

use mcp_runtime::prelude::*;
use mcp_runtime::{
    Profile, Server, ToolResult,
    prompt::{PromptMessage, PromptResult},
};
use serde_json::{Value, json};

/// The bound of the servers in these tests.
const LIMIT: usize = 10_000;

/// Give a text of a length.
#[mcp_tool(group = "answer_size")]
fn long_text(length: usize) -> String {
    "x".repeat(length)
}

/// Give a text of a length, later.
#[mcp_tool(group = "answer_size")]
async fn later_text(length: usize) -> String {
    std::future::ready("x".repeat(length)).await
}

/// Give metadata of a length.
#[mcp_tool(group = "answer_size")]
fn long_meta(length: usize) -> ToolResult {
    let meta = json!({"example.com/long": "x".repeat(length)});
    let Value::Object(meta) = meta else {
        unreachable!()
    };
    ToolResult::default().with_meta(meta)
}

/// Give structured content of a length.
#[mcp_tool(group = "answer_size")]
fn long_structure(length: usize) -> Json<Vec<String>> {
    Json(vec!["x".repeat(length)])
}

/// Fail with a text of a length.
#[mcp_tool(group = "answer_size")]
fn long_failure(length: usize) -> Result<String, String> {
    Err("x".repeat(length))
}

/// Ask a question of a length.
#[mcp_tool(group = "answer_size")]
async fn long_question(length: usize, ctx: &Context) -> Result<String, ToolError> {
    ctx.elicit::<Agreement>("agree", "x".repeat(length)).await?;
    Ok(String::new())
}

#[derive(ElicitForm)]
struct Agreement {
    /// Do you agree?
    #[expect(dead_code, reason = "the answer is not used")]
    agrees: bool,
}

/// Give a prompt of a length.
#[mcp_prompt(group = "answer_size")]
fn long_prompt(length: &str) -> PromptResult {
    PromptResult::new([PromptMessage::user("x".repeat(length.parse().unwrap()))])
}

/// Give a resource of a length.
#[mcp_resource("long://{length}", group = "answer_size")]
fn long_resource(length: usize) -> String {
    "x".repeat(length)
}

fn server(profile: Profile) -> Server {
    let schema = json!({"type": "object", "properties": {"length": {"type": "integer"}}});
    mcp_runtime::server!()
        .profile(profile)
        .groups(["answer_size"])
        .max_answer_size(LIMIT)
        .register_tool("long_value", "A value.", schema, |it: Value| {
            let length = it["length"].as_u64().unwrap();
            Ok::<_, ToolError>(json!("x".repeat(usize::try_from(length).unwrap())))
        })
        .build()
        .unwrap()
}

#[test]
fn a_tool_whose_answer_is_too_large_has_failed_and_says_how_large_it_is() {
    for profile in [Profile::Strict, Profile::Contract] {
        let server = server(profile);
        for tool in [
            "long_text",
            "later_text",
            "long_structure",
            "long_failure",
            "long_value",
        ] {
            let short = server.call_blocking(tool, json!({"length": 1_000}));
            assert!(short.text().contains("xxxx"), "{tool}");
            let long = server.call_blocking(tool, json!({"length": LIMIT}));
            assert!(long.is_error() && long.error().is_none(), "{tool}");
            let text = long.text();
            assert!(
                text.starts_with("Error: the answer is too large: it has ")
                    && text.ends_with(" bytes, and the limit is 10000"),
                "{tool}: {text}"
            );
        }
    }
}

#[test]
fn metadata_and_questions_are_parts_of_the_answer() {
    let client = server(Profile::Strict)
        .client()
        .answer("agree", json!({"agrees": true}));
    for tool in ["long_meta", "long_question"] {
        let short = client
            .call_blocking(tool, json!({"length": 1_000}))
            .unwrap();
        assert!(!short.is_error(), "{tool}");
        let long = client
            .call_blocking(tool, json!({"length": LIMIT}))
            .unwrap();
        let text = long.text();
        assert!(
            long.is_error() && text.contains("too large"),
            "{tool}: {text}"
        );
    }
}

#[test]
fn a_prompt_or_a_resource_that_is_too_large_is_an_internal_error() {
    let server = server(Profile::Strict);
    let prompt = |length: usize| {
        server.get_prompt_blocking("long_prompt", json!({"length": length.to_string()}))
    };
    let resource = |length: usize| server.read_resource_blocking(&format!("long://{length}"));
    for (short, long) in [
        (prompt(1_000), prompt(LIMIT)),
        (resource(1_000), resource(LIMIT)),
    ] {
        assert!(short.get("code").is_none(), "{short}");
        assert_eq!(long["code"], -32603);
        let message = long["message"].as_str().unwrap();
        assert!(message.starts_with("the answer is too large: it has "));
    }
}

#[test]
fn the_bound_is_the_last_length_that_is_served() {
    let server = server(Profile::Strict);
    let message = |length: usize| {
        let params = format!(
            r#"{{"name":"long_text","arguments":{{"length":{length}}},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}"#
        );
        let message =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        let mut answer = Vec::new();
        server.handle_message_blocking(message.as_bytes(), &mut answer);
        answer
    };
    let frame = message(0).len();
    assert_eq!(message(LIMIT - frame).len(), LIMIT);
    assert!(message(LIMIT - frame + 1).len() < LIMIT);
}
