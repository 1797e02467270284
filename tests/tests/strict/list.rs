//! `tools/list` and `server/discover`.

use mcp_runtime::prelude::*;
use mcp_runtime::resource::CacheScope;
use serde_json::{Value, json};

use super::{SERVER_INFO_KEY, refused, request, result, server, value};

/// The first of some tools.
#[mcp_tool(group = "pages", name = "t0")]
fn first_of_some() {}

#[test]
fn a_list_has_all_members_sorted_by_name() {
    let list = result(&request("tools/list", json!({})));
    let members: Vec<_> = list.as_object().unwrap().keys().collect();
    assert_eq!(
        members,
        ["_meta", "cacheScope", "resultType", "tools", "ttlMs"]
    );
    assert_eq!(list["resultType"], "complete");
    assert_eq!(list["_meta"][SERVER_INFO_KEY]["name"], "mcp-tests");
    let names: Vec<_> = list["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(names, sorted);
    assert!(
        names.contains(&"add") && names.contains(&"echo"),
        "{names:?}"
    );
}

#[test]
fn hints_are_written_when_they_are_set_be_they_true_or_false() {
    let list = result(&request("tools/list", json!({})));
    let tools = list["tools"].as_array().unwrap();
    let tool = |name| tools.iter().find(|tool| tool["name"] == name).unwrap();
    assert_eq!(
        tool("note")["annotations"],
        json!({ "readOnlyHint": true, "destructiveHint": false })
    );
    assert_eq!(tool("add").get("annotations"), None);
    assert_eq!(tool("note")["title"], "Note");
    assert_eq!(
        tool("note")["inputSchema"]["properties"]["note"]["description"],
        "A text, if there is one."
    );
    assert_eq!(tool("note")["inputSchema"].get("required"), None);
}

#[test]
fn following_the_cursors_finds_every_tool_once() {
    for page_size in [1, 2, 3, 7, 1000] {
        let mut builder = mcp_runtime::server!()
            .page_size(page_size)
            .groups(["pages"]);
        for number in 1..7 {
            builder = builder.register_tool(
                format!("t{number}"),
                "A tool.",
                json!({ "type": "object" }),
                |_: Value| Ok::<_, ToolError>(1),
            );
        }
        let server = builder.build().unwrap();
        let (mut names, mut cursors, mut params) = (Vec::new(), Vec::new(), json!({}));
        loop {
            let answer = server
                .handle_request(&request("tools/list", params))
                .unwrap();
            let page = &answer["result"];
            names.extend(
                page["tools"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|tool| tool["name"].as_str().unwrap().to_owned()),
            );
            let Some(cursor) = page.get("nextCursor") else {
                break;
            };
            let cursor = cursor.as_str().unwrap().to_owned();
            assert!(
                !cursor.is_empty() && !cursors.contains(&cursor),
                "{cursor:?} after {cursors:?}"
            );
            params = json!({ "cursor": cursor });
            cursors.push(cursor);
        }
        assert_eq!(names, ["t0", "t1", "t2", "t3", "t4", "t5", "t6"]);
        assert_eq!(cursors.len(), 6 / page_size);
    }
}

#[test]
fn a_cursor_that_is_null_is_none() {
    let first = result(&request("tools/list", json!({})));
    assert_eq!(
        result(&request("tools/list", json!({ "cursor": null }))),
        first
    );
}

#[test]
fn cursors_that_were_not_issued_are_refused() {
    for cursor in [
        "\"\"",
        "\"0\"",
        "\"x\"",
        "\"ffffffffffffffffffffffff\"",
        "\"\\u0000\"",
        "0",
        "true",
        "[]",
        "{}",
    ] {
        refused(
            -32602,
            &request("tools/list", json!({ "cursor": value(cursor) })),
        );
    }
}

#[test]
fn cache_hints_are_those_of_the_builder() {
    let list = result(&request("tools/list", json!({})));
    assert_eq!(
        (&list["ttlMs"], &list["cacheScope"]),
        (&json!(60_000), &json!("private"))
    );
    let ttl = std::time::Duration::from_millis(1500);
    let server = mcp_runtime::server!()
        .cache(ttl, CacheScope::Public)
        .build()
        .unwrap();
    let answer = server
        .handle_request(&request("tools/list", json!({})))
        .unwrap();
    assert_eq!(
        (&answer["result"]["ttlMs"], &answer["result"]["cacheScope"]),
        (&json!(1500), &json!("public"))
    );
}

#[test]
fn a_tool_registered_while_the_server_runs_is_in_the_next_list() {
    let server = server();
    let names = || {
        let answer = server
            .handle_request(&request("tools/list", json!({})))
            .unwrap();
        let tools = answer["result"]["tools"].as_array().unwrap().clone();
        tools
            .into_iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let before = names();
    let registered = server.register_tool(
        "a first",
        "No name.",
        json!({ "type": "object" }),
        |_: Value| Ok::<_, ToolError>(1),
    );
    assert!(registered.is_err());
    assert_eq!(names(), before);
    let registered = server.register_tool(
        "Another",
        "Another.",
        json!({ "type": "object" }),
        |_: Value| Ok::<_, ToolError>(1),
    );
    assert_eq!(registered, Ok(()));
    assert_eq!(names()[0], "Another");
    assert_eq!(names().len(), before.len() + 1);
}

/// Look at the request.
#[mcp_tool(group = "logging")]
fn look(_ctx: &Context) {}

#[test]
fn logging_is_declared_by_servers_that_have_a_function_which_could_log() {
    let declared = |builder: ServerBuilder| {
        let server = builder.build().unwrap();
        let answer = server
            .handle_request(&request("server/discover", json!({})))
            .unwrap();
        answer["result"]["capabilities"]["logging"].clone()
    };
    let schema = json!({ "type": "object" });
    assert_eq!(declared(mcp_runtime::server!()), json!(null));
    assert_eq!(
        declared(mcp_runtime::server!().groups(["logging"])),
        json!({})
    );
    let takes_none = |_: Value| Ok::<_, ToolError>(1);
    let takes_one = |_: Value, _: Context| Ok::<_, ToolError>(1);
    assert_eq!(
        declared(mcp_runtime::server!().register_tool("a", "A.", schema.clone(), takes_none)),
        json!(null)
    );
    assert_eq!(
        declared(mcp_runtime::server!().register_tool("a", "A.", schema, takes_one)),
        json!({})
    );
}

#[test]
fn discovery_tells_the_versions_and_no_more_than_the_server_can_do() {
    let found = result(&request("server/discover", json!({})));
    assert_eq!(found["resultType"], "complete");
    assert_eq!(found["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(found["capabilities"], json!({ "tools": {} }));
    assert_eq!(found["_meta"][SERVER_INFO_KEY]["name"], "mcp-tests");
    assert_eq!(found.get("instructions"), None);
    let server = mcp_runtime::server!()
        .instructions("Add.")
        .title("Tests")
        .build()
        .unwrap();
    let answer = server
        .handle_request(&request("server/discover", json!({})))
        .unwrap();
    assert_eq!(answer["result"]["instructions"], "Add.");
    assert_eq!(answer["result"]["_meta"][SERVER_INFO_KEY]["title"], "Tests");
}

/// Find the length of a text.
#[mcp_tool(group = "optional")]
fn find_length(text: String) -> Option<Json<usize>> {
    (!text.is_empty()).then_some(Json(text.len()))
}

/// Find the length of a text, or fail.
#[mcp_tool(group = "optional")]
fn try_length(text: String) -> Result<Option<Json<usize>>, String> {
    Ok(find_length(text))
}

#[test]
fn an_optional_structured_result_lists_its_schema_and_keeps_to_it() {
    let server = mcp_runtime::server!().groups(["optional"]).build().unwrap();
    let list = server
        .handle_request(&request("tools/list", json!({})))
        .unwrap();
    for tool in list["result"]["tools"].as_array().unwrap() {
        let schema = &tool["outputSchema"];
        let validator = jsonschema::validator_for(schema).unwrap();
        let name = tool["name"].as_str().unwrap();
        for (text, expected) in [("abc", json!(3)), ("", json!(null))] {
            let result = server.call_blocking(name, json!({ "text": text }));
            assert!(!result.is_error(), "{name}: {}", result.text());
            let structured = result.structured_content().unwrap();
            assert_eq!(*structured, expected, "{name}");
            assert!(validator.is_valid(structured), "{name}: {schema}");
        }
    }
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 2);
}
