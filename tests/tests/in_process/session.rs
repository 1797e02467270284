//! Sessions of older clients over a connection in memory.

use mcp_runtime::prelude::*;
use serde_json::{Value, json};

/// The answers to lines of a client.
async fn answers(server: &Server, messages: &[Value]) -> Vec<Value> {
    let mut connection = server.connect();
    for message in messages {
        connection.receive(format!("{message}\n").as_bytes());
    }
    connection.end();
    let mut lines = Vec::new();
    while let Some(bytes) = connection.transmit().await {
        lines.extend(bytes);
    }
    let lines = lines.split(|byte| *byte == b'\n');
    lines
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}

fn opening() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}})
}

#[tokio::test]
async fn a_session_is_served_in_memory() {
    let server = mcp_tests::legacy::server().build().unwrap();
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "add", "arguments": {"a": 1, "b": 2}}});
    let answers = answers(&server, &[opening(), call]).await;
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(
        answers[1]["result"],
        json!({"content": [{"type": "text", "text": "3"}]})
    );
}

#[tokio::test]
async fn a_server_of_the_current_revision_alone_refuses_sessions() {
    let server = mcp_tests::legacy::server().modern_only().build().unwrap();
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    let answers = answers(&server, &[opening(), ping]).await;
    let error = &answers[0]["error"];
    assert_eq!(error["code"], -32601, "{error}");
    assert_eq!(error["data"]["supported"], json!(["2026-07-28"]));
    assert_eq!(answers[1]["error"]["code"], -32602, "{answers:?}");
}

#[tokio::test]
async fn the_contract_profile_has_no_sessions() {
    let server = mcp_tests::legacy::server().profile(mcp_runtime::Profile::Contract);
    let answers = answers(&server.build().unwrap(), &[opening()]).await;
    assert_eq!(answers[0]["error"]["code"], -32601, "{answers:?}");
}
