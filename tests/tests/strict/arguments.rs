//! The arguments of annotated functions: what is taken, and what a model is told of the rest.

use serde_json::{Value, json};

use super::{call, failed, refused, request, result, succeeded, value};

#[test]
fn absent_and_null_arguments_are_none_at_all() {
    let nothing = request("tools/call", json!({ "name": "note" }));
    assert_eq!(result(&nothing)["content"][0]["text"], "None 5");
    assert_eq!(succeeded("note", Value::Null), "None 5");
    assert_eq!(succeeded("note", json!({})), "None 5");
}

#[test]
fn arguments_that_are_no_object_are_refused() {
    for arguments in [
        "true",
        "0",
        "\"\"",
        "\"{}\"",
        "\"{\\\"a\\\":1,\\\"b\\\":2}\"",
        "[]",
        "[1,2]",
    ] {
        refused(-32602, &call("add", value(arguments)));
        refused(-32602, &call("echo", value(arguments)));
    }
}

#[test]
fn missing_arguments_are_named_in_the_functions_order() {
    let first = |text: String| text.lines().next().map(str::to_owned);
    assert_eq!(
        failed("add", json!({ "b": 2 })),
        "Missing required argument: a"
    );
    assert_eq!(
        first(failed("add", json!({}))).unwrap(),
        "Missing required argument: a"
    );
    assert_eq!(
        first(failed("add", json!({ "B": 1, "a": 1 }))).unwrap(),
        "Missing required argument: b"
    );
    assert_eq!(failed("echo", json!({})), "Missing required argument: text");
}

#[test]
fn all_faults_are_told_one_a_line() {
    let text = failed("note", json!({ "note": 7, "limit": 101, "lmit": 1 }));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    for (argument, hint) in [
        ("`note`", "string"),
        ("`limit`", "100"),
        ("`lmit`", "`limit`"),
    ] {
        assert!(
            lines
                .iter()
                .any(|line| line.contains(argument) && line.contains(hint)),
            "{argument}: {text}"
        );
    }
    for jargon in ["Option", "u32", "line 1", "column", "serde"] {
        assert!(!text.contains(jargon), "{text}");
    }
}

#[test]
fn a_registered_handler_is_held_to_its_whole_schema() {
    assert_eq!(succeeded("echo", json!({ "text": "x" })), "x");
    assert!(failed("echo", json!({ "text": 5 })).contains("`text`"));
}

#[test]
fn null_is_absence_for_optional_arguments() {
    assert_eq!(
        succeeded("note", json!({ "note": null, "limit": null })),
        "None 5"
    );
    assert!(failed("add", json!({ "a": null, "b": 1 })).contains("`a`"));
}

#[test]
fn zero_values_are_values() {
    assert_eq!(
        succeeded("note", json!({ "note": "", "limit": 0 })),
        "Some(\"\") 0"
    );
}

#[test]
fn texts_arrive_as_they_were_sent() {
    for text in ["null", "5", "true", "{}", "\0", "\u{2028}", "🦀"] {
        assert_eq!(
            succeeded("note", json!({ "note": text })),
            format!("{:?} 5", Some(text))
        );
    }
}

#[test]
fn a_name_with_a_nul_is_another_name() {
    assert!(failed("note", json!({ "no\0te": "x" })).contains("unknown argument"));
}

#[test]
fn whole_numbers_are_integers_however_they_are_written() {
    for five in ["5", "5.0", "5e0", "0.5e1", "50e-1"] {
        assert_eq!(
            succeeded("add", json!({ "a": value(five), "b": 0 })),
            "5",
            "{five}"
        );
    }
    let extremes = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":-9223372036854775808,"b":-0},"_meta":"#;
    let answer =
        super::answer_to_bytes(format!("{extremes}{}}}}}", super::meta()).as_bytes()).unwrap();
    assert_eq!(
        answer["result"]["content"][0]["text"],
        "-9223372036854775808"
    );
}

#[test]
fn numbers_that_do_not_fit_are_told_and_never_rounded() {
    for number in [
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551616",
        "1e400",
        "-1e400",
        "1e19",
        "0.1",
        "5.5",
        "9223372036854775807.5",
    ] {
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"add","arguments":{{"a":{number},"b":0}},"_meta":{}}}}}"#,
            super::meta()
        );
        let answer = super::answer_to_bytes(message.as_bytes()).unwrap();
        let text = answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_default();
        assert_eq!(answer["result"]["isError"], true, "{number}: {answer}");
        assert!(text.contains("`a`"), "{number}: {text}");
    }
}

#[test]
fn values_of_another_type_are_told_with_the_fix() {
    for wrong in ["\"5\"", "true", "[5]", "{\"value\":5}", "\"five\""] {
        let text = failed("add", json!({ "a": value(wrong), "b": 1 }));
        assert!(
            text.contains("`a`") && text.contains("integer"),
            "{wrong}: {text}"
        );
    }
}

#[test]
fn an_argument_that_stands_twice_is_refused() {
    let message = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"add","arguments":{{"a":1,"a":2,"b":0}},"_meta":{}}}}}"#,
        super::meta()
    );
    let answer = super::answer_to_bytes(message.as_bytes()).unwrap();
    assert_eq!(answer["result"]["isError"], true, "{answer}");
}

#[test]
fn almost_right_arguments_are_mended_only_where_the_server_says_so() {
    let values = json!({ "a": "5", "b": 1.0 });
    assert!(failed("add", values.clone()).contains("without quotes"));
    let server = mcp_runtime::server!().coerce_arguments().build().unwrap();
    let mended = server.call_blocking("add", values);
    assert_eq!(mended.text(), "6");
    let told = &mended.result().unwrap()["_meta"]["mcp-runtime/repairedArguments"];
    assert_eq!(told, &json!(["a"]));
    assert_eq!(
        server
            .call_blocking("add", json!({ "a": 5, "b": 1 }))
            .result()
            .unwrap()["_meta"]
            .get("mcp-runtime/repairedArguments"),
        None
    );
    for wrong in ["\"five\"", "\"5x\"", "true", "[5]", "\"0.5\""] {
        assert!(
            server
                .call_blocking("add", json!({ "a": value(wrong), "b": 1 }))
                .is_error(),
            "{wrong}"
        );
    }
    assert!(
        server
            .call_blocking("note", json!({ "note": 5 }))
            .is_error(),
        "nothing is made a text"
    );
    refused(-32602, &call("add", json!("{\"a\":1,\"b\":2}")));
}
