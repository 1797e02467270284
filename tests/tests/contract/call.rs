//! `tools/call`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use mcp_runtime::{Profile, ToolError};
use serde_json::{Value, json};

use super::{
    NOT_STRINGS, call, failed, refused, refused_with_and_without_id, request, result, server,
    server_with, text, value,
};

#[test]
fn params_that_are_no_object_are_refused() {
    for params in ["[]", "\"echo\"", "7", "true"] {
        refused_with_and_without_id(-32602, &request("tools/call", value(params)));
    }
    refused(
        -32602,
        &json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call" }),
    );
}

#[test]
fn a_name_that_is_missing_or_no_string_is_refused_with_its_id() {
    refused_with_and_without_id(-32602, &request("tools/call", json!({ "arguments": {} })));
    for name in NOT_STRINGS {
        let params = json!({ "name": value(name), "arguments": { "text": "x" } });
        refused_with_and_without_id(-32602, &request("tools/call", params));
    }
}

#[test]
fn absent_and_null_arguments_are_none_at_all() {
    let nothing = text(r#"{"arguments":{},"input":{}}"#);
    assert_eq!(
        result(&request("tools/call", json!({ "name": "whole" }))),
        nothing
    );
    assert_eq!(result(&call("whole", Value::Null)), nothing);
}

#[test]
fn arguments_that_are_no_object_are_refused_before_the_tool_is_looked_for() {
    for arguments in [
        "true",
        "0",
        "1.5",
        "\"\"",
        "\"{}\"",
        "\"{\\\"text\\\":\\\"x\\\"}\"",
        "[]",
        "[{}]",
    ] {
        for name in ["echo", "panic"] {
            refused_with_and_without_id(-32602, &call(name, value(arguments)));
        }
    }
}

#[test]
fn an_unknown_tool_is_a_result() {
    for name in ["no_such_tool", "", "Echo", "echo ", "echo\0"] {
        assert_eq!(
            result(&call(name, json!({}))),
            failed("Tool not found"),
            "{name:?}"
        );
    }
}

#[test]
fn the_first_missing_argument_in_the_schemas_order_is_named() {
    let schema = json!({ "type": "object", "properties": { "a": {}, "b": {}, "c": {} }, "required": ["c", "text", "a"] });
    let server = server_with(schema);
    let missing = |arguments| server.call_blocking("echo", arguments).result().cloned();
    let sentence = |name| Some(failed(&format!("Missing required argument: {name}")));
    assert_eq!(missing(json!({})), sentence("c"));
    assert_eq!(missing(json!({ "a": 1, "b": 2 })), sentence("c"));
    assert_eq!(missing(json!({ "a": 1, "c": 2 })), sentence("text"));
    assert_eq!(missing(json!({ "C": 1, "c ": 1, "c\0": 1 })), sentence("c"));
    assert_eq!(missing(json!({ "text": 1, "c": null })), sentence("a"));
    assert_eq!(
        missing(json!({ "text": "x", "c": null, "a": 0 })),
        Some(text("x"))
    );
}

#[test]
fn what_else_breaks_the_schema_is_left_to_a_registered_handler() {
    let schema = json!({
        "type": "object",
        "properties": { "text": { "type": "string", "maxLength": 1 } },
        "required": ["text"],
        "additionalProperties": false,
    });
    let server = server_with(schema);
    let echoed = |arguments| server.call_blocking("echo", arguments).result().cloned();
    assert_eq!(
        echoed(json!({ "text": "long", "more": [1] })),
        Some(text("long"))
    );
    assert_eq!(echoed(json!({ "text": 5 })), Some(text("5")));
}

#[test]
fn an_annotated_function_checks_its_arguments_as_ever() {
    assert_eq!(
        result(&call("divide", json!({ "a": 6, "b": 3 }))),
        text("2")
    );
    assert_eq!(
        result(&call("divide", json!({ "a": 6, "b": 0 }))),
        failed("Error: division by zero")
    );
    let missing = "Missing required argument: a";
    assert_eq!(result(&call("divide", json!({}))), failed(missing));
    let wrong = result(&call("divide", json!({ "a": "six", "b": 3, "c": 1 })));
    let lines = wrong["content"][0]["text"].as_str().unwrap();
    assert_eq!(wrong, failed(lines));
    assert_eq!(lines.lines().count(), 2, "{lines}");
    assert!(lines.contains("`a`") && lines.contains("`c`"), "{lines}");
}

#[test]
fn a_handler_that_needs_input_is_answered_with_what_it_asks_for() {
    let wanted = json!({
        "resultType": "input_required",
        "requests": { "name": { "type": "string" } },
        "content": [{ "type": "text", "text": "Additional client input is required before this tool can finish." }],
    });
    let mut message = call("ask", json!({}));
    for responses in ["null", "{}", "{\"other\":1}", "{\"name\":7}"] {
        message["params"]["inputResponses"] = value(responses);
        assert_eq!(result(&message), wanted, "{responses}");
    }
    message["params"]["inputResponses"] = json!({ "name": "Ada" });
    assert_eq!(result(&message), text("Hello, Ada!"));
    for responses in ["[]", "\"{}\"", "7", "true"] {
        message["params"]["inputResponses"] = value(responses);
        refused_with_and_without_id(-32602, &message);
    }
}

#[test]
fn a_handler_gets_both_objects_as_they_were_sent() {
    let mut message = call("whole", json!({ "a": { "b": [1, null, 1.0] } }));
    message["params"]["inputResponses"] = json!({ "c": true });
    assert_eq!(
        result(&message),
        text(r#"{"arguments":{"a":{"b":[1,null,1.0]}},"input":{"c":true}}"#)
    );
}

#[test]
fn a_handler_that_fails_is_a_result() {
    for message in ["", "plain", "two\nlines", "\"quoted\" \\ \0 \u{2028} 🦀"] {
        let answer = result(&call("fail", json!({ "message": message })));
        assert_eq!(answer, failed(&format!("Error: {message}")));
    }
    assert_eq!(refused(-32050, &call("refuse", json!({}))), "not today");
}

#[test]
fn a_handler_that_panics_is_a_result_without_its_words() {
    assert_eq!(
        result(&call("panic", json!({ "key": 1 }))),
        failed("Error: the tool failed")
    );
}

#[test]
fn a_server_goes_on_after_a_panic() {
    let server = server();
    assert!(server.call_blocking("panic", json!({})).is_error());
    assert_eq!(
        server.call_blocking("echo", json!({ "text": "on" })).text(),
        "on"
    );
}

#[test]
fn success_is_one_text_and_nothing_else() {
    for string in [
        "",
        "x",
        "null",
        "5",
        "{\"a\":1}",
        "\"\\\0\u{7f}\u{2028}",
        "<b> && 🦀",
    ] {
        assert_eq!(
            result(&call("echo", json!({ "text": string }))),
            text(string)
        );
    }
    for (json, compact) in [
        ("null", "null"),
        ("true", "true"),
        ("-0.5", "-0.5"),
        ("18446744073709551615", "18446744073709551615"),
        ("[1, \"a\", {}]", "[1,\"a\",{}]"),
        ("{\"b\": [], \"a\": \"<é>\"}", "{\"a\":\"<é>\",\"b\":[]}"),
    ] {
        assert_eq!(
            result(&call("echo", json!({ "text": value(json) }))),
            text(compact),
            "{json}"
        );
    }
}

#[test]
fn a_number_that_json_does_not_have_is_an_error() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let server = mcp_runtime::server!()
            .profile(Profile::Contract)
            .register_tool(
                "number",
                "Give a number.",
                json!({ "type": "object" }),
                move |_: Value| Ok::<_, ToolError>(number),
            )
            .register_tool(
                "numbers",
                "Give numbers.",
                json!({ "type": "object" }),
                move |_: Value| Ok::<_, ToolError>(BTreeMap::from([("deep", vec![1.0, number])])),
            )
            .build()
            .unwrap();
        assert!(
            server.call_blocking("number", json!({})).is_error(),
            "{number}"
        );
        let outcome = server.call_blocking("numbers", json!({}));
        assert!(
            outcome.is_error() && outcome.text().contains("deep[1]"),
            "{number}: {}",
            outcome.text()
        );
    }
}

#[test]
fn a_refused_message_runs_no_handler() {
    let ran = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&ran);
    let schema = json!({ "type": "object", "required": ["x"] });
    let server = mcp_runtime::server!()
        .profile(Profile::Contract)
        .register_tool("count", "Count.", schema, move |_: Value| {
            Ok::<_, ToolError>(count.fetch_add(1, Ordering::Relaxed))
        })
        .build()
        .unwrap();
    let mut versioned = call("count", json!({ "x": 1 }));
    versioned["_meta"] = json!({ "protocolVersion": "2025-11-25" });
    for message in [
        call("count", json!({})),
        call("count", json!([1])),
        versioned,
    ] {
        assert!(server.handle_request(&message).is_some());
    }
    assert_eq!(ran.load(Ordering::Relaxed), 0);
    assert!(
        !server
            .call_blocking("count", json!({ "x": null }))
            .is_error()
    );
    assert_eq!(ran.load(Ordering::Relaxed), 1);
}

#[test]
fn a_handler_that_waits_is_driven_to_its_end() {
    let server = mcp_runtime::server!()
        .profile(Profile::Contract)
        .register_tool(
            "wait",
            "Wait.",
            json!({ "type": "object" }),
            |arguments: Value| async move {
                let mut polls = 0;
                std::future::poll_fn(|context| {
                    polls += 1;
                    context.waker().wake_by_ref();
                    if polls < 5 {
                        Poll::Pending
                    } else {
                        Poll::Ready(())
                    }
                })
                .await;
                Ok::<_, ToolError>(arguments)
            },
        )
        .build()
        .unwrap();
    let answer = server.call_blocking("wait", json!({ "a": 1 }));
    assert_eq!(answer.result(), Some(&text(r#"{"a":1}"#)));
}

#[test]
fn masked_errors_say_nothing() {
    let server = mcp_runtime::server!()
        .profile(Profile::Contract)
        .mask_errors()
        .register_tool("fail", "Fail.", json!({ "type": "object" }), |_: Value| {
            Err::<(), _>(ToolError::new("password 123"))
        })
        .build()
        .unwrap();
    assert_eq!(
        server.call_blocking("fail", json!({})).result(),
        Some(&failed("Error: the tool failed"))
    );
}

#[test]
fn a_number_that_no_handler_can_be_given_is_told() {
    for place in [
        r#""arguments":{"text":[1e400]}"#,
        r#""arguments":{"text":"x"},"inputResponses":{"x":-1e999}"#,
    ] {
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo",{place}}}}}"#
        );
        let mut out = Vec::new();
        server().handle_message_blocking(message.as_bytes(), &mut out);
        let answer: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(answer["result"]["isError"], true, "{place}: {answer}");
        assert!(
            answer["result"]["content"][0]["text"]
                .as_str()
                .unwrap()
                .contains("64-bit"),
            "{place}: {answer}"
        );
    }
}
