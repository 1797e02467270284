//! JSON and the envelope: what is no request, which ids there are, and what is never answered.

use serde_json::{Value, json};

use super::{answer_to_bytes, call, meta, refused, request, result, server, value};

#[test]
fn text_that_is_not_json_is_a_parse_error_without_id() {
    let deep = format!("{}{}", "[".repeat(65), "]".repeat(65));
    for bytes in [
        &b""[..],
        b"{",
        b"{'a':1}",
        b"{} {}",
        b"\x00",
        b"\"\xff\xfe\"",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"\xc3\"}",
        b"\"\\ud800\"",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"\\udc00\"}",
        deep.as_bytes(),
    ] {
        let answer = answer_to_bytes(bytes).unwrap();
        assert_eq!(answer["error"]["code"], -32700, "{}", bytes.escape_ascii());
        assert_eq!(answer.get("id"), None, "{}", bytes.escape_ascii());
    }
}

#[test]
fn json_that_is_no_object_is_refused_without_id() {
    for json in [
        "[]",
        "[{}]",
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}]",
        "\"x\"",
        "7",
        "true",
        "null",
    ] {
        let answer = answer_to_bytes(json.as_bytes()).unwrap();
        assert_eq!(answer["error"]["code"], -32600, "{json}");
        assert_eq!(answer.get("id"), None, "{json}");
    }
}

#[test]
fn a_message_that_is_too_long_is_refused() {
    let mut message = call("echo", json!({ "text": "x".repeat(4 * 1024 * 1024) }));
    let answer = answer_to_bytes(message.to_string().as_bytes()).unwrap();
    assert_eq!(answer["error"]["code"], -32600);
    message["params"]["arguments"]["text"] = json!("x".repeat(4 * 1024 * 1024 - 1000));
    assert!(
        answer_to_bytes(message.to_string().as_bytes())
            .unwrap()
            .get("result")
            .is_some()
    );
}

#[test]
fn a_method_that_is_missing_or_no_string_is_refused_with_its_id() {
    let mut message = request("tools/list", json!({}));
    for method in ["null", "7", "true", "[]", "{}"] {
        message["method"] = value(method);
        refused(-32600, &message);
    }
    message.as_object_mut().unwrap().remove("method");
    refused(-32600, &message);
}

#[test]
fn another_jsonrpc_is_refused_with_its_id() {
    let mut message = request("tools/list", json!({}));
    for jsonrpc in ["\"1.0\"", "\"2\"", "\"\"", "2", "2.0", "null", "[\"2.0\"]"] {
        message["jsonrpc"] = value(jsonrpc);
        refused(-32600, &message);
    }
    message.as_object_mut().unwrap().remove("jsonrpc");
    refused(-32600, &message);
}

#[test]
fn a_member_of_the_envelope_that_stands_twice_is_refused() {
    for members in [
        r#""jsonrpc":"2.0","id":1,"id":1,"method":"tools/list""#,
        r#""jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"tools/list""#,
        r#""jsonrpc":"2.0","id":1,"method":"tools/list","m\u0065thod":"tools/call""#,
        r#""jsonrpc":"2.0","id":1,"method":"tools/list","params":{},"params":{}"#,
    ] {
        let answer = answer_to_bytes(format!("{{{members}}}").as_bytes()).unwrap();
        assert_eq!(answer["error"]["code"], -32600, "{members}");
    }
}

#[test]
fn ids_come_back_digit_by_digit_and_with_their_type() {
    for id in [
        "0",
        "-1",
        "1",
        "9007199254740993",
        "18446744073709551616",
        "123456789012345678901234567890",
        "\"\"",
        "\"1\"",
        "\"null\"",
        "\"é 🦀\"",
    ] {
        for (method, member) in [
            ("tools/list", "result"),
            ("no/such", "error"),
            ("initialize", "error"),
        ] {
            let meta = meta();
            let message = format!(
                r#"{{"id":{id},"jsonrpc":"2.0","method":"{method}","params":{{"_meta":{meta}}}}}"#
            );
            let mut out = Vec::new();
            server().handle_message_blocking(message.as_bytes(), &mut out);
            let answer = String::from_utf8(out).unwrap();
            assert!(
                answer.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":"#)),
                "{id}: {answer}"
            );
        }
    }
}

#[test]
fn what_is_neither_a_string_nor_an_integer_is_no_id() {
    for id in ["null", "true", "1.5", "1.0", "1e3", "[]", "{}"] {
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{"_meta":{}}}}}"#,
            meta()
        );
        let answer = answer_to_bytes(message.as_bytes()).unwrap();
        assert_eq!(answer["error"]["code"], -32600, "{id}");
        assert_eq!(answer.get("id"), None, "{id}");
    }
}

#[test]
fn notifications_are_never_answered() {
    for params in [
        "null",
        "{}",
        "[]",
        "7",
        "{\"requestId\":0}",
        "{\"requestId\":\"\"}",
        "{\"requestId\":[]}",
    ] {
        for method in [
            "notifications/cancelled",
            "notifications/initialized",
            "tools/call",
            "initialize",
            "no/such",
            "",
        ] {
            let message = json!({ "jsonrpc": "2.0", "method": method, "params": value(params) });
            assert_eq!(server().handle_request(&message), None, "{message}");
        }
    }
}

#[test]
fn responses_are_never_answered() {
    for members in [
        r#""id":1,"result":{}"#,
        r#""id":"1","result":null"#,
        r#""id":1,"error":{"code":-32600,"message":"no"}"#,
        r#""id":null,"error":{"code":-32700,"message":"no"}"#,
        r#""error":{"code":-32600,"message":"as servers answer what has no id"}"#,
        // Ill-formed, and a response nevertheless.
        r#""result":7"#,
        r#""id":1.5,"result":{}"#,
        r#""id":[],"error":"no""#,
        r#""id":1,"result":{},"error":{},"params":{},"com.example/mine":1"#,
        r#""id":1,"r\u0065sult":{}"#,
    ] {
        let message = format!(r#"{{"jsonrpc":"2.0",{members}}}"#);
        assert_eq!(answer_to_bytes(message.as_bytes()), None, "{message}");
    }
    // What has a method is none, and neither is what is not of JSON-RPC 2.0.
    for (message, code) in [
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"","result":{}}"#,
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":null,"result":{}}"#,
            -32600,
        ),
        (r#"{"jsonrpc":"1.0","id":7,"result":{}}"#, -32600),
        (r#"{"id":7,"error":{"code":-32600,"message":""}}"#, -32600),
        (
            r#"{"jsonrpc":"2.0","id":7,"jsonrpc":"2.0","method":"","result":{}}"#,
            -32600,
        ),
        (r#"{"jsonrpc":"2.0","id":7,"results":{}}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":7,"params":{"result":{}}}"#, -32600),
    ] {
        let answer = answer_to_bytes(message.as_bytes()).unwrap();
        assert_eq!(answer["error"]["code"], code, "{message}");
        assert_eq!(answer["id"], 7, "{message}");
    }
    // Two servers whose ends are joined fall silent.
    let refusal = server().handle_request(&json!({})).unwrap();
    assert_eq!(server().handle_request(&refusal), None);
}

#[test]
fn initialize_is_recognised_right_after_the_envelope() {
    let old = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "old", "version": "1" } });
    for params in [old, json!({}), json!(null), json!([])] {
        let error = refused(
            -32601,
            &json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }),
        );
        let text = error["message"].as_str().unwrap();
        assert!(
            text.contains("removed") && text.contains("2026-07-28"),
            "{text}"
        );
        assert_eq!(error["data"]["supported"], json!(["2026-07-28"]));
    }
    refused(
        -32600,
        &json!({ "jsonrpc": "1.0", "id": 1, "method": "initialize" }),
    );
}

#[test]
fn unknown_methods_are_refused() {
    for method in [
        "",
        "no/such",
        "tools/List",
        "tools/list ",
        "prompts/get",
        "prompts/list",
        "resources/read",
        "ping",
        "\0",
    ] {
        refused(-32601, &request(method, json!({})));
    }
}

#[test]
fn a_server_answers_after_everything_that_it_has_refused() {
    let server = server();
    for message in [
        value("[]"),
        value("{}"),
        request("no/such", json!({})),
        call("none", json!({})),
        call("add", json!([])),
    ] {
        assert!(
            server
                .handle_request(&message)
                .unwrap()
                .get("error")
                .is_some()
        );
    }
    assert_eq!(
        server
            .call_blocking("add", json!({ "a": 1, "b": 2 }))
            .text(),
        "3"
    );
}

#[test]
fn members_that_nobody_knows_are_skipped() {
    let mut message = call("add", json!({ "a": 1, "b": 2 }));
    message["com.example/mine"] = json!([{}]);
    message["params"]["com.example/mine"] = json!(null);
    message["params"]["_meta"]["com.example/mine"] = Value::Null;
    assert_eq!(result(&message)["content"][0]["text"], "3");
}

#[test]
fn many_threads_may_share_a_server() {
    let server = server();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let server = &server;
            scope.spawn(move || {
                for number in 0..100 {
                    let mut message = call("add", json!({ "a": thread, "b": number }));
                    message["id"] = json!(format!("{thread}/{number}"));
                    let answer = server.handle_request(&message).unwrap();
                    assert_eq!(answer["id"], message["id"]);
                    assert_eq!(
                        answer["result"]["content"][0]["text"],
                        (thread + number).to_string()
                    );
                }
            });
        }
    });
}
