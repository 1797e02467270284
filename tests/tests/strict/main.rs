//! The strict profile, in process: what the published protocol answers to right and wrong messages.
//!
//! Transports have tests of their own; this is the pipeline that they all share.

#![allow(
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    reason = "values are made to be sent, and a test fails by panicking"
)]

mod answer_size;
mod arguments;
mod call;
mod capabilities;
mod doubled;
mod envelope;
mod list;
mod meta;
mod panics;
mod refused_ids;

use mcp_runtime::{Server, ToolError, mcp_tool};
use serde_json::{Value, json};

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO_KEY: &str = "io.modelcontextprotocol/clientInfo";
const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// Add two integers.
#[mcp_tool]
fn add(a: i64, b: i64) -> i64 {
    a.saturating_add(b)
}

/// Tell what arrived.
#[mcp_tool(read_only, destructive = false)]
fn note(
    /// A text, if there is one.
    note: Option<String>,
    /// A number.
    #[arg(default = 5, range(..=100))]
    limit: u32,
) -> String {
    format!("{note:?} {limit}")
}

fn server() -> Server {
    mcp_runtime::server!()
        .register_tool(
            "echo",
            "Give the text back.",
            json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] }),
            |arguments: Value| Ok::<_, ToolError>(arguments["text"].clone()),
        )
        .build()
        .unwrap()
}

fn meta() -> Value {
    json!({ VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {} })
}

/// A request as a client sends it: `_meta` is added to its parameters.
fn request(method: &str, mut params: Value) -> Value {
    if let Some(params) = params.as_object_mut() {
        params.entry("_meta").or_insert_with(meta);
    }
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

fn call(name: &str, arguments: Value) -> Value {
    request(
        "tools/call",
        json!({ "name": name, "arguments": arguments }),
    )
}

fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

/// The answer to the bytes of a message, if it gets one.
fn answer_to_bytes(message: &[u8]) -> Option<Value> {
    let mut out = Vec::new();
    server().handle_message_blocking(message, &mut out);
    (!out.is_empty()).then(|| serde_json::from_slice(&out).unwrap())
}

/// The result of a request; its envelope has to be right.
#[track_caller]
fn result(message: &Value) -> Value {
    let answer = server().handle_request(message).unwrap();
    let result = answer
        .get("result")
        .unwrap_or_else(|| panic!("{message} -> {answer}"));
    assert_eq!(
        answer,
        json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })
    );
    result.clone()
}

/// Checks that a request is refused with a code, its id kept; gives the error.
#[track_caller]
fn refused(code: i32, message: &Value) -> Value {
    let answer = server().handle_request(message).unwrap();
    let error = answer
        .get("error")
        .unwrap_or_else(|| panic!("{message} -> {answer}"));
    assert_eq!(error["code"], code, "{message} -> {answer}");
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|text| !text.is_empty()),
        "{answer}"
    );
    assert_eq!(
        answer,
        json!({ "jsonrpc": "2.0", "id": message["id"], "error": error })
    );
    error.clone()
}

/// The text of a call that failed as a result.
#[track_caller]
fn failed(name: &str, arguments: Value) -> String {
    let result = result(&call(name, arguments));
    assert_eq!(result["isError"], true, "{result}");
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result.get("structuredContent"), None);
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

/// The text of a call that succeeded.
#[track_caller]
fn succeeded(name: &str, arguments: Value) -> String {
    let result = result(&call(name, arguments));
    assert_eq!(result.get("isError"), None, "{result}");
    result["content"][0]["text"].as_str().unwrap().to_owned()
}
