//! Values on their way from the client to the function: none is rounded, and what cannot be taken is told where it stands.

#![allow(
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    reason = "tools take values of their own, and a test fails by panicking"
)]

mod aliases;
mod decoders;
mod files;
mod formats;
mod free;
mod integers;

use mcp_runtime::Server;
use serde_json::Value;

fn server() -> Server {
    mcp_runtime::server!().build().unwrap()
}

/// The answer to a call whose arguments are JSON text, which a `Value` may not hold.
fn answer(name: &str, arguments: &str) -> Value {
    answer_of(&server(), name, arguments)
}

fn answer_of(server: &Server, name: &str, arguments: &str) -> Value {
    let message = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{arguments},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    );
    let mut out = Vec::new();
    server.handle_message_blocking(message.as_bytes(), &mut out);
    let answer: Value = serde_json::from_slice(&out).unwrap();
    answer["result"].clone()
}

/// The text of a call that succeeds.
#[track_caller]
fn succeeded(name: &str, arguments: &str) -> String {
    let result = answer(name, arguments);
    assert_ne!(result["isError"], true, "{arguments}: {result}");
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

/// The lines of a call that fails as a result.
#[track_caller]
fn failed(name: &str, arguments: &str) -> Vec<String> {
    let result = answer(name, arguments);
    assert_eq!(result["isError"], true, "{arguments}: {result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    text.lines().map(str::to_owned).collect()
}
