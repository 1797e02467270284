//! Tools that are registered by hand, on the builder and on a running server.
//!
//! What the linker registers is in `registry.rs`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::needless_pass_by_value, reason = "states are taken by value")]

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::sync::Barrier;
use std::task::Poll;
use std::thread;

use mcp_runtime::prelude::*;
use mcp_runtime::{Problem, RegisterError};
use serde_json::{Value, json};

const ANNOTATED_LINE: u32 = line!() + 3;

/// Stands beside the registered tools.
#[mcp_tool]
fn annotated() -> &'static str {
    "annotated"
}

const NEEDY_LINE: u32 = line!() + 3;

/// Needs a state.
#[mcp_tool(group = "needy")]
fn needy(number: &State<u64>) -> u64 {
    **number
}

fn any_object() -> Value {
    json!({"type": "object"})
}

fn one_number() -> Value {
    json!({
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
        "additionalProperties": false,
    })
}

fn echo(arguments: Value) -> Result<Value, ToolError> {
    Ok(arguments)
}

/// Lets others go first, once.
async fn later() {
    let mut waited = false;
    poll_fn(|context| {
        if waited {
            return Poll::Ready(());
        }
        waited = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// The names in the answer to `tools/list`.
fn names(server: &Server) -> Vec<String> {
    let request = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/list",
        "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": mcp_runtime::PROTOCOL_VERSION,
            "io.modelcontextprotocol/clientCapabilities": {},
        }},
    });
    let answer = server.handle_request(&request).unwrap();
    let tools = answer["result"]["tools"].as_array().unwrap();
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

/// What `build` says of one registration.
fn refusal(name: &str, schema: Value) -> String {
    let builder = mcp_runtime::server!().register_tool(name, "", schema, echo);
    match builder.build() {
        Ok(_) => format!("`{name}` was accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn handlers_are_sync_or_async_and_may_take_the_context() {
    let server = mcp_runtime::server!()
        .register_tool("sync", "", one_number(), |arguments: Value| {
            Ok::<_, ToolError>(arguments["n"].clone())
        })
        .register_tool(
            "sync_context",
            "",
            any_object(),
            |_: Value, context: Context| Ok::<_, ToolError>(context.request_id().is_some()),
        )
        .register_tool("async", "", one_number(), async |arguments: Value| {
            later().await;
            Ok::<_, ToolError>(arguments["n"].clone())
        })
        .register_tool(
            "async_context",
            "",
            any_object(),
            async |_: Value, responses: Value, context: Context| {
                later().await;
                Ok::<_, ToolError>(json!([responses, context.state::<u64>().as_deref()]))
            },
        )
        .state(5_u64)
        .build()
        .unwrap();
    assert_eq!(server.call_blocking("sync", json!({"n": 3})).text(), "3");
    assert_eq!(
        server.call_blocking("sync_context", json!({})).text(),
        "true"
    );
    assert_eq!(server.call_blocking("async", json!({"n": 4})).text(), "4");
    assert_eq!(
        server
            .call_blocking("async_context", json!({}))
            .structured_content(),
        Some(&json!([{}, 5]))
    );
    let wrong = server.call_blocking("async", json!({"n": "4", "m": 1}));
    assert!(wrong.is_error());
    assert_eq!(
        names(&server),
        [
            "annotated",
            "async",
            "async_context",
            "sync",
            "sync_context"
        ]
    );
}

#[test]
fn the_next_list_shows_what_a_running_server_was_given() {
    let server = mcp_runtime::server!().build().unwrap();
    let clone = server.clone();
    assert_eq!(names(&server), ["annotated"]);
    assert!(server.call_blocking("zebra", json!({})).is_error());
    clone
        .register_tool("zebra", "Striped.", any_object(), echo)
        .unwrap();
    clone
        .register_tool(
            "Aardvark",
            "Digs.",
            any_object(),
            async |_: Value, context: Context| Ok::<_, ToolError>(context.is_cancelled()),
        )
        .unwrap();
    assert_eq!(names(&server), ["Aardvark", "annotated", "zebra"]);
    assert_eq!(server.call_blocking("Aardvark", json!({})).text(), "false");
    assert!(!server.call_blocking("zebra", json!({"any": 1})).is_error());
}

#[test]
fn a_name_is_given_once() {
    let server = mcp_runtime::server!()
        .register_tool("mine", "", any_object(), echo)
        .build()
        .unwrap();
    for name in ["mine", "annotated"] {
        let refused = server
            .register_tool(name, "", any_object(), echo)
            .unwrap_err();
        assert_eq!(refused, RegisterError::NameTaken(name.to_owned()));
        assert_eq!(
            refused.to_string(),
            format!("a tool is called `{name}` already; choose another name")
        );
    }
    assert_eq!(names(&server), ["annotated", "mine"]);
}

#[test]
fn a_state_that_was_given_within_an_arc_is_told() {
    let error = mcp_runtime::server!()
        .groups(["needy"])
        .state(std::sync::Arc::new(5_u64))
        .build()
        .unwrap_err();
    let file = file!();
    assert_eq!(
        error.to_string(),
        format!(
            "no state of type `u64`, which `registration::needy` at {file}:{NEEDY_LINE} takes; the builder was given an `Arc` of it \
             by `.state(…)`: write `.shared_state(…)` there"
        )
    );
}

#[test]
fn all_problems_are_told_together() {
    let error = mcp_runtime::server!()
        .groups(["", "needy", "needi"])
        .exclude("anotated")
        .register_tool("annotated", "", any_object(), echo)
        .register_tool("mine", "", any_object(), echo)
        .register_tool("mine", "", any_object(), echo)
        .register_tool("not mine", "", any_object(), echo)
        .register_tool("listed", "", json!([]), echo)
        .build()
        .unwrap_err();
    let file = file!();
    assert_eq!(
        error.to_string(),
        format!(
            "7 problems:\n\
             - 2 tools are called `annotated`: `registration::annotated` at {file}:{ANNOTATED_LINE}, `annotated`, registered at run \
             time; rename one with `#[mcp_tool(name = \"…\")]`, or, if it is not yours, with \
             `.rename(\"registration::annotated\", \"…\")` or `.exclude(\"registration::annotated\")` on the builder\n\
             - 2 tools are called `mine`: `mine`, registered at run time, `mine`, registered at run time; choose another \
             name for one\n\
             - no tool is in the group `needi`; did you mean `needy`?\n\
             - `.exclude(\"anotated\")` finds no annotated function; did you mean `annotated`?\n\
             - no state of type `u64`, which `registration::needy` at {file}:{NEEDY_LINE} takes; add `.state(…)` to the builder\n\
             - \"not mine\" is not a tool name; use 1 to 128 of the characters A-Z, a-z, 0-9, `_`, `-` and `.`\n\
             - the schema of `listed` cannot be used: the schema of arguments has to be a JSON object"
        )
    );
    assert_eq!(error.problems().len(), 7);
    assert!(matches!(error.problems()[0], Problem::DuplicateTool { .. }));
}

#[test]
fn names_are_those_of_the_specification() {
    let longest = "x".repeat(128);
    let good = ["a", "A-b_c.d", "0", ".", &longest];
    let mut builder = mcp_runtime::server!();
    for name in good {
        builder = builder.register_tool(name, "", any_object(), echo);
    }
    let server = builder.build().unwrap();
    for name in good {
        assert!(!server.call_blocking(name, json!({})).is_error(), "{name}");
    }
    let too_long = "x".repeat(129);
    for name in [
        "",
        "name\n",
        "\nname",
        "na me",
        "name\r",
        "name\0",
        "näme",
        "名前",
        "a/b",
        "a:b",
        "a\u{200b}",
        "a'",
        &too_long,
    ] {
        let refused = server
            .register_tool(name, "", any_object(), echo)
            .unwrap_err();
        assert_eq!(refused, RegisterError::BadName(name.to_owned()));
        assert_eq!(
            refusal(name, any_object()),
            format!(
                "{name:?} is not a tool name; use 1 to 128 of the characters A-Z, a-z, 0-9, `_`, `-` and `.`"
            )
        );
    }
}

#[test]
fn schemas_that_cannot_be_used_are_refused_with_the_reason() {
    const NO_OBJECT: &str = "the schema of arguments has to be a JSON object";
    const ROOT: &str = "the schema of arguments needs `\"type\": \"object\"` at its root, since arguments are always an object";
    for (schema, reason) in [
        (json!(null), NO_OBJECT),
        (json!("{\"type\": \"object\"}"), NO_OBJECT),
        (json!(true), NO_OBJECT),
        (json!({}), ROOT),
        (json!({"type": "string"}), ROOT),
        (json!({"type": ["object", "null"]}), ROOT),
    ] {
        let told = format!("the schema of `tool` cannot be used: {reason}");
        assert_eq!(refusal("tool", schema), told);
    }
    for (keyword, value, reason) in [
        ("properties", json!([]), "`properties` has to be an object"),
        (
            "properties",
            json!(null),
            "`properties` has to be an object",
        ),
        (
            "patternProperties",
            json!([]),
            "`patternProperties` has to be an object",
        ),
        (
            "required",
            json!("n"),
            "`required` has to be a list of names, but is `\"n\"`",
        ),
        (
            "required",
            json!([1]),
            "`required` has to be a list of names, but is `[1]`",
        ),
        ("title", json!(5), "`title` has to be a string, but is `5`"),
        (
            "minProperties",
            json!(-1),
            "`minProperties` has to be a whole number that is not negative, but is `-1`",
        ),
    ] {
        let mut schema = any_object();
        schema[keyword] = value;
        let told = format!("the schema of `tool` cannot be used: {reason}");
        assert_eq!(refusal("tool", schema), told);
    }
    for (property, reason) in [
        (
            json!({"type": "int"}),
            "`type` has no meaning for `\"int\"`",
        ),
        (
            json!({"enum": "a"}),
            "`enum` has to be a list, but is `\"a\"`",
        ),
        (
            json!({"pattern": 5}),
            "`pattern` has to be a string, but is `5`",
        ),
        (
            json!({"uniqueItems": "yes"}),
            "`uniqueItems` has to be `true` or `false`, but is `\"yes\"`",
        ),
        (
            json!({"description": ["a"]}),
            "`description` has to be a string, but is `[\"a\"]`",
        ),
        (json!({"anyOf": {}}), "`anyOf` has to be a list of schemas"),
        (
            json!({"minimum": "1"}),
            "`minimum` has to be a number, but is `\"1\"`",
        ),
        (
            json!("integer"),
            "a schema has to be an object or a boolean, but `\"integer\"` stands in the place of one",
        ),
        (json!({"$ref": 1}), "`$ref` has to be a string"),
    ] {
        let schema = json!({"type": "object", "properties": {"n": property}});
        let told = format!("the schema of `tool` cannot be used: {reason}");
        assert_eq!(refusal("tool", schema), told);
    }
    let dangling = json!({"type": "object", "properties": {"n": {"$ref": "#/$defs/gone"}}});
    assert!(refusal("tool", dangling).contains("`#/$defs/gone`"));
}

#[test]
fn references_that_leave_the_schema_are_refused_with_what_to_do() {
    for reference in [
        "https://example.com/schema.json",
        "http://127.0.0.1:1/x#/y",
        "file:///etc/passwd",
        "../other.json",
        "other.json#/$defs/n",
        "//example.com/x",
    ] {
        let schema = json!({"type": "object", "properties": {"n": {"$ref": reference}}});
        assert_eq!(
            refusal("tool", schema),
            format!(
                "the schema of `tool` cannot be used: `$ref` to `{reference}` leaves the schema: references are never \
                 fetched, so copy what it points to into `$defs`"
            )
        );
    }
}

#[test]
fn a_very_deep_schema_is_answered_and_not_a_crash() {
    let mut schema = json!({"type": "integer"});
    for _ in 0..200 {
        // Moved in: `json!` would copy what is inside on every level.
        let mut level = any_object();
        level["properties"] = json!({"n": null});
        level["properties"]["n"] = schema;
        schema = level;
    }
    let told = refusal("tool", schema);
    assert!(
        told.starts_with("the schema of `tool` cannot be used: "),
        "{told}"
    );
}

#[test]
fn a_running_server_takes_tools_while_it_is_called() {
    const WRITERS: usize = 4;
    const TOOLS: usize = 25;
    let server = mcp_runtime::server!().build().unwrap();
    let start = Barrier::new(2 * WRITERS);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (server, start) = (&server, &start);
            scope.spawn(move || {
                start.wait();
                for index in 0..TOOLS {
                    let name = format!("tool_{writer}_{index:02}");
                    server.register_tool(&name, "", one_number(), echo).unwrap();
                    let outcome = server.call_blocking(&name, json!({"n": index}));
                    assert_eq!(outcome.structured_content(), Some(&json!({"n": index})));
                }
            });
            scope.spawn(move || {
                start.wait();
                let mut seen = 0;
                for _ in 0..TOOLS {
                    assert_eq!(
                        server.call_blocking("annotated", json!({})).text(),
                        "annotated"
                    );
                    let listed = names(server);
                    assert!(listed.is_sorted() && listed.len() >= seen);
                    seen = listed.len();
                }
            });
        }
    });
    let mut expected: BTreeSet<String> = BTreeSet::from(["annotated".to_owned()]);
    for writer in 0..WRITERS {
        expected.extend((0..TOOLS).map(|index| format!("tool_{writer}_{index:02}")));
    }
    assert!(names(&server).iter().eq(expected.iter()));
}

#[test]
fn of_many_who_want_one_name_one_gets_it() {
    const THREADS: usize = 8;
    let server = mcp_runtime::server!().build().unwrap();
    let start = Barrier::new(THREADS);
    let winners: Vec<usize> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (server, start) = (&server, &start);
                scope.spawn(move || {
                    start.wait();
                    let handler = move |_: Value| Ok::<_, ToolError>(thread);
                    server
                        .register_tool("prize", "", any_object(), handler)
                        .is_ok()
                        .then_some(thread)
                })
            })
            .collect();
        threads
            .into_iter()
            .filter_map(|thread| thread.join().unwrap())
            .collect()
    });
    let [winner] = winners[..] else {
        panic!("{winners:?}");
    };
    assert_eq!(
        server.call_blocking("prize", json!({})).text(),
        winner.to_string()
    );
    assert_eq!(names(&server), ["annotated", "prize"]);
}

#[test]
fn a_header_on_what_it_cannot_mirror_is_refused_though_another_is_right() {
    let schema = json!({
        "type": "object",
        "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "tenant": {"type": ["integer", "null"], "x-mcp-header": "Tenant"},
        },
    });
    let sentence =
        "argument `tenant`: the header `Tenant` can mirror a string, an integer or a boolean";
    let refused = mcp_runtime::server!()
        .register_tool("mirrored", "Mirror.", schema.clone(), echo)
        .build()
        .unwrap_err();
    assert!(refused.to_string().contains(sentence), "{refused}");
    let server = mcp_runtime::server!().build().unwrap();
    let refused = server
        .register_tool("mirrored", "Mirror.", schema.clone(), echo)
        .unwrap_err();
    assert!(refused.to_string().contains(sentence), "{refused}");
    let mut mended = schema;
    mended["properties"]["tenant"]["type"] = json!("integer");
    server
        .register_tool("mirrored", "Mirror.", mended, echo)
        .unwrap();
}
