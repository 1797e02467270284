//! What surrounds a method: the envelope, the version, ids and notifications.

use serde_json::{Value, json};

use super::{
    NOT_STRINGS, answer, call, refused, refused_with_and_without_id, request, result, server, text,
    value,
};

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

#[test]
fn what_is_no_object_is_refused_with_id_null() {
    for message in ["[]", "[{}]", "\"tools/list\"", "7", "1.5", "true", "null"] {
        let message = value(message);
        let answer = answer(&message);
        assert_eq!(answer["error"]["code"], -32600, "{message}");
        assert_eq!(answer["id"], Value::Null, "{message}");
    }
}

#[test]
fn a_method_that_is_missing_or_no_string_is_refused_with_its_id() {
    let mut message = request("tools/list", json!({}));
    for wrong in NOT_STRINGS {
        message["method"] = value(wrong);
        refused_with_and_without_id(-32600, &message);
    }
    message.as_object_mut().unwrap().remove("method");
    refused_with_and_without_id(-32600, &message);
    refused(-32600, &json!({}));
}

#[test]
fn a_response_is_refused_like_anything_without_a_method() {
    for member in ["result", "error"] {
        let mut message = json!({ "jsonrpc": "2.0", "id": 7 });
        message[member] = json!({ "code": -32600, "message": "no" });
        refused_with_and_without_id(-32600, &message);
    }
}

#[test]
fn another_jsonrpc_is_refused_with_its_id() {
    let mut message = request("tools/list", json!({}));
    for wrong in [
        "\"1.0\"", "\"2\"", "\"2.00\"", "\"\"", "2", "2.0", "null", "[]", "true",
    ] {
        message["jsonrpc"] = value(wrong);
        refused_with_and_without_id(-32600, &message);
    }
    message.as_object_mut().unwrap().remove("jsonrpc");
    refused_with_and_without_id(-32600, &message);
}

#[test]
fn text_that_is_not_json_is_a_parse_error_with_id_null() {
    for bytes in [
        &b""[..],
        b" ",
        b"{",
        b"{'a':1}",
        b"{} {}",
        b"\"\xff\"",
        b"\"\\ud800\"",
        b"nul",
    ] {
        let mut out = Vec::new();
        server().handle_message_blocking(bytes, &mut out);
        let answer: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(answer["error"]["code"], -32700, "{}", bytes.escape_ascii());
        assert_eq!(
            answer.get("id"),
            Some(&Value::Null),
            "{}",
            bytes.escape_ascii()
        );
    }
}

#[test]
fn initialize_was_removed() {
    for params in [
        json!({}),
        json!({ "protocolVersion": "2025-11-25", "capabilities": {} }),
        json!({ "_meta": { "protocolVersion": "2025-11-25" } }),
        json!({ "_meta": { VERSION_KEY: "2025-11-25" } }),
        json!([]),
    ] {
        let sentence = refused(-32601, &request("initialize", params));
        assert!(
            sentence.contains("removed by the stateless 2026-07-28 specification"),
            "{sentence}"
        );
    }
}

#[test]
fn a_plain_version_that_is_not_served_is_refused_before_anything_else() {
    for version in [
        "\"2025-11-25\"",
        "\"\"",
        "\" 2026-07-28\"",
        "20260728",
        "null",
        "[]",
        "{}",
        "true",
    ] {
        let meta = json!({ "protocolVersion": value(version) });
        for (method, params) in [
            ("tools/list", json!({})),
            ("no/such", json!({})),
            ("tools/call", json!({ "name": 7 })),
            ("tools/call", json!({ "name": "panic" })),
        ] {
            let mut message = request(method, params);
            message["_meta"] = meta.clone();
            refused_with_and_without_id(-32600, &message);
            message.as_object_mut().unwrap().remove("_meta");
            message["params"]["_meta"] = meta.clone();
            refused_with_and_without_id(-32600, &message);
        }
    }
}

#[test]
fn the_envelope_is_checked_before_the_version() {
    let mut message = request("tools/list", json!({}));
    message["_meta"] = json!({ "protocolVersion": "2025-11-25" });
    message["jsonrpc"] = json!("1.0");
    assert!(refused(-32600, &message).contains("jsonrpc"));
}

#[test]
fn the_version_that_is_served_is_welcome_in_every_place() {
    for key in ["protocolVersion", VERSION_KEY] {
        let mut message = call("echo", json!({ "text": "x" }));
        message["_meta"] = json!({ key: "2026-07-28" });
        message["params"]["_meta"] = json!({ key: "2026-07-28" });
        assert_eq!(result(&message), text("x"));
    }
}

#[test]
fn the_protocols_own_version_key_is_held_to_the_same() {
    for version in ["\"2025-11-25\"", "\"1900-01-01\"", "\"\"", "7"] {
        let params = json!({ "_meta": { VERSION_KEY: value(version) } });
        refused_with_and_without_id(-32600, &request("tools/list", params));
    }
}

#[test]
fn metadata_may_be_anything_or_nothing() {
    for meta in [
        "null",
        "{}",
        "[]",
        "7",
        "\"x\"",
        "{\"com.example/mine\":[1]}",
        "{\"progressToken\":{}}",
    ] {
        let mut message = call("echo", json!({ "text": "x" }));
        message["params"]["_meta"] = value(meta);
        assert_eq!(result(&message), text("x"), "{meta}");
        message["_meta"] = value(meta);
        assert_eq!(result(&message), text("x"), "{meta}");
    }
}

#[test]
fn an_unknown_method_is_refused() {
    for method in [
        "",
        "no/such",
        "tools/List",
        "tools/list ",
        "resources/list",
        "prompts/get",
        "server/discover",
        "completion/complete",
        "subscriptions/listen",
        "tasks/get",
        "tasks/update",
        "tasks/cancel",
        "ping",
        "logging/setLevel",
        "\0",
    ] {
        refused_with_and_without_id(-32601, &request(method, json!({})));
    }
}

#[test]
fn a_notification_is_answered_with_id_null() {
    let mut message = call("echo", json!({ "text": "x" }));
    message.as_object_mut().unwrap().remove("id");
    assert_eq!(result(&message), text("x"));
    message["method"] = json!("notifications/initialized");
    refused(-32601, &message);
}

#[test]
fn ids_come_back_as_they_were() {
    for id in [
        "1",
        "0",
        "-1",
        "9007199254740993",
        "18446744073709551615",
        "\"a\"",
        "\"\"",
        "\"0\"",
        "null",
        "\"é 🦀\"",
    ] {
        for message in [
            request("tools/list", json!({})),
            call("none", json!({})),
            call("echo", json!([])),
            request("no/such", json!({})),
        ] {
            let mut message = message;
            message["id"] = value(id);
            assert_eq!(answer(&message)["id"], value(id));
        }
    }
}

#[test]
fn whatever_stands_as_the_id_comes_back() {
    for id in [
        "1.5",
        "true",
        "[1]",
        "{\"a\":1}",
        "123456789012345678901234567890",
    ] {
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"no/such"}}"#);
        let mut out = Vec::new();
        server().handle_message_blocking(message.as_bytes(), &mut out);
        let answer = String::from_utf8(out).unwrap();
        assert!(
            answer.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":"#)),
            "{answer}"
        );
    }
}

#[test]
fn a_member_that_stands_twice_is_refused() {
    for (code, message) in [
        (
            -32600,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}"#,
        ),
        (
            -32600,
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}"#,
        ),
        (
            -32602,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"panic"}}"#,
        ),
    ] {
        let mut out = Vec::new();
        server().handle_message_blocking(message.as_bytes(), &mut out);
        let answer: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(answer["error"]["code"], code, "{message} -> {answer}");
    }
}
