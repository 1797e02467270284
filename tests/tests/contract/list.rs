//! `tools/list`.

use mcp_runtime::{Profile, ToolError};
use serde_json::{Value, json};

use super::{request, server, server_with};

#[test]
fn the_list_has_three_members_a_tool_in_the_order_of_registration() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "kept",
        "type": "object",
        "properties": { "text": { "type": ["string", "null"], "format": "uuid", "x-mine": 1 } },
        "required": ["text"],
    });
    let server = server_with(schema.clone());
    let list = server
        .handle_request(&request("tools/list", json!({})))
        .unwrap();
    assert_eq!(
        list["result"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["tools"]
    );
    let tools = list["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["divide", "echo", "whole", "ask", "fail", "refuse", "panic"]
    );
    for tool in tools {
        assert_eq!(
            tool.as_object().unwrap().keys().collect::<Vec<_>>(),
            ["description", "inputSchema", "name"]
        );
    }
    assert_eq!(
        tools[1],
        json!({ "name": "echo", "description": "Give the text back.", "inputSchema": schema })
    );
}

#[test]
fn a_list_is_whole_however_long_it_is() {
    let mut builder = mcp_runtime::server!()
        .profile(Profile::Contract)
        .page_size(2);
    for number in 0..5 {
        builder = builder.register_tool(
            format!("tool{number}"),
            "A tool.",
            json!({ "type": "object" }),
            |_: Value| Ok::<_, ToolError>(1),
        );
    }
    let server = builder.build().unwrap();
    let list = server
        .handle_request(&request("tools/list", json!({})))
        .unwrap();
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 6);
    assert_eq!(list["result"].get("nextCursor"), None);
}

#[test]
fn a_tool_registered_while_the_server_runs_comes_last() {
    let server = server();
    let registered = server.register_tool(
        "another",
        "Another.",
        json!({ "type": "object" }),
        |_: Value| Ok::<_, ToolError>(1),
    );
    assert_eq!(registered, Ok(()));
    let list = server
        .handle_request(&request("tools/list", json!({})))
        .unwrap();
    assert_eq!(list["result"]["tools"][7]["name"], "another");
    assert_eq!(server.call_blocking("another", json!({})).text(), "1");
}
