//! The contract profile, clause by clause, in process: a value in, a value out.
//!
//! The same clauses over standard input and output are checked by `examples/mcp-server/verify.py`.

#![allow(
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    reason = "values are made to be sent, and a test fails by panicking"
)]

mod call;
mod edges;
mod list;
mod message;

use mcp_runtime::{
    Profile, Server, ToolError, context::ErrorObject, mcp_tool, tool::InputRequired,
};
use serde_json::{Value, json};

/// Everything that is not a string.
const NOT_STRINGS: [&str; 7] = ["null", "true", "7", "1.5", "[]", "[\"echo\"]", "{}"];

/// Divide two integers.
#[mcp_tool]
fn divide(
    /// The dividend.
    a: i64,
    /// The divisor.
    b: i64,
) -> Result<i64, String> {
    a.checked_div(b)
        .ok_or_else(|| "division by zero".to_owned())
}

fn server() -> Server {
    server_with(
        json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] }),
    )
}

/// A server whose tool `echo` has the given schema.
fn server_with(schema: Value) -> Server {
    mcp_runtime::server!()
        .profile(Profile::Contract)
        .register_tool("echo", "Give the text back.", schema, |arguments: Value| {
            Ok::<_, ToolError>(arguments["text"].clone())
        })
        .register_tool(
            "whole",
            "Give all arguments back.",
            json!({ "type": "object" }),
            |arguments: Value, input: Value| {
                Ok::<_, ToolError>(json!({ "arguments": arguments, "input": input }))
            },
        )
        .register_tool(
            "ask",
            "Ask for a name.",
            json!({ "type": "object" }),
            |_: Value, input: Value| match input["name"].as_str() {
                Some(name) => Ok(format!("Hello, {name}!")),
                None => Err(ToolError::from(InputRequired::new(
                    json!({ "name": { "type": "string" } }),
                ))),
            },
        )
        .register_tool(
            "fail",
            "Fail.",
            json!({ "type": "object" }),
            |arguments: Value| {
                Err::<(), _>(ToolError::new(
                    arguments["message"].as_str().unwrap_or("no reason"),
                ))
            },
        )
        .register_tool(
            "refuse",
            "Fail as a request.",
            json!({ "type": "object" }),
            |_: Value| Err::<(), _>(ToolError::request(ErrorObject::new(-32050, "not today"))),
        )
        .register_tool(
            "panic",
            "Panic.",
            json!({ "type": "object" }),
            |arguments: Value| -> Result<(), ToolError> { panic!("secret {arguments}") },
        )
        .build()
        .unwrap()
}

fn request(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": "kept", "method": method, "params": params })
}

fn call(name: &str, arguments: Value) -> Value {
    request(
        "tools/call",
        json!({ "name": name, "arguments": arguments }),
    )
}

fn answer(message: &Value) -> Value {
    server()
        .handle_request(message)
        .expect("the contract answers every message")
}

/// The answer's result; its envelope has to be right.
#[track_caller]
fn result(message: &Value) -> Value {
    let answer = answer(message);
    let id = message.get("id").cloned().unwrap_or_default();
    let result = answer
        .get("result")
        .unwrap_or_else(|| panic!("no result: {answer}"))
        .clone();
    assert_eq!(
        answer,
        json!({ "jsonrpc": "2.0", "id": id, "result": result })
    );
    result
}

/// Checks that a message is refused with a code, its id kept; gives the sentence.
#[track_caller]
fn refused(code: i32, message: &Value) -> String {
    let answer = answer(message);
    let id = message.get("id").cloned().unwrap_or_default();
    assert_eq!(answer["error"]["code"], code, "{message} -> {answer}");
    assert_eq!(
        (&answer["jsonrpc"], &answer["id"]),
        (&json!("2.0"), &id),
        "{message} -> {answer}"
    );
    assert!(answer.get("result").is_none(), "{answer}");
    answer["error"]["message"]
        .as_str()
        .expect("an error has a message")
        .to_owned()
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

fn failed(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }], "isError": true })
}

/// Every way of leaving a member out or getting it wrong, with the id and without.
#[track_caller]
fn refused_with_and_without_id(code: i32, message: &Value) {
    refused(code, message);
    let mut without = message.clone();
    without.as_object_mut().unwrap().remove("id");
    refused(code, &without);
}

fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}
