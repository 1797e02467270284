//! `_meta` of requests: the members that every one carries, and of which kind they are.

use mcp_runtime::Context;
use serde_json::{Value, json};

use super::{
    CAPABILITIES_KEY, CLIENT_INFO_KEY, VERSION_KEY, meta, refused, request, result, value,
};

const LOG_LEVEL_KEY: &str = "io.modelcontextprotocol/logLevel";
const METHODS: [&str; 3] = ["tools/list", "tools/call", "server/discover"];

/// Every method with a `_meta`.
fn with(meta: &Value) -> impl Iterator<Item = Value> {
    let params = json!({ "_meta": meta, "name": "add", "arguments": { "a": 1, "b": 2 } });
    METHODS
        .into_iter()
        .map(move |method| request(method, params.clone()))
}

fn changed(key: &str, json: &str) -> Value {
    let mut meta = meta();
    meta[key] = value(json);
    meta
}

#[test]
fn every_request_needs_meta() {
    for method in METHODS {
        refused(
            -32602,
            &json!({ "jsonrpc": "2.0", "id": 1, "method": method }),
        );
        for params in [
            "null",
            "{}",
            "[]",
            "7",
            "\"x\"",
            "{\"_meta\":null}",
            "{\"_meta\":[]}",
            "{\"_meta\":\"x\"}",
        ] {
            refused(
                -32602,
                &json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": value(params) }),
            );
        }
    }
    let mut beside = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    beside["_meta"] = meta();
    refused(-32602, &beside);
}

#[test]
fn the_version_and_the_capabilities_are_required() {
    for key in [VERSION_KEY, CAPABILITIES_KEY] {
        let mut meta = meta();
        meta.as_object_mut().unwrap().remove(key);
        for message in with(&meta) {
            let error = refused(-32602, &message);
            assert!(error["message"].as_str().unwrap().contains(key), "{error}");
        }
    }
}

#[test]
fn members_of_another_kind_are_refused_by_name() {
    for (key, wrong) in [
        (VERSION_KEY, &["null", "7", "true", "[]", "{}"][..]),
        (CAPABILITIES_KEY, &["null", "7", "true", "[]", "\"{}\""]),
        (CLIENT_INFO_KEY, &["null", "7", "true", "[]", "\"me\""]),
        (
            LOG_LEVEL_KEY,
            &[
                "null",
                "7",
                "true",
                "[]",
                "{}",
                "\"\"",
                "\"warn\"",
                "\"Error\"",
                "\"error \"",
            ],
        ),
        ("progressToken", &["null", "1.5", "1.0", "true", "[]", "{}"]),
    ] {
        for json in wrong {
            for message in with(&changed(key, json)) {
                let error = refused(-32602, &message);
                assert!(
                    error["message"].as_str().unwrap().contains(key),
                    "{json}: {error}"
                );
            }
        }
    }
}

#[test]
fn every_string_and_integer_is_a_progress_token() {
    for token in ["0", "-1", "9007199254740993", "\"\"", "\"0\""] {
        for message in with(&changed("progressToken", token)) {
            result(&message);
        }
    }
}

#[test]
fn a_version_that_is_not_served_is_told_which_are() {
    for version in [
        "2025-11-25",
        "1900-01-01",
        "",
        " 2026-07-28",
        "2026-07-28 ",
        "\u{0}",
    ] {
        let mut meta = meta();
        meta[VERSION_KEY] = json!(version);
        for message in with(&meta) {
            let error = refused(-32022, &message);
            assert_eq!(
                error["data"],
                json!({ "supported": ["2026-07-28"], "requested": version })
            );
        }
    }
}

#[test]
fn metadata_is_checked_before_the_method_and_its_params() {
    let unserved = changed(VERSION_KEY, "\"2025-11-25\"");
    refused(-32022, &request("no/such", json!({ "_meta": unserved })));
    refused(
        -32022,
        &request("tools/call", json!({ "_meta": unserved, "name": 7 })),
    );
    refused(-32602, &request("no/such", json!({ "_meta": {} })));
    let mut incomplete = unserved;
    incomplete.as_object_mut().unwrap().remove(CAPABILITIES_KEY);
    refused(
        -32602,
        &request("tools/list", json!({ "_meta": incomplete })),
    );
}

#[test]
fn a_plain_version_is_no_key_of_the_protocol() {
    for message in with(&changed("protocolVersion", "\"1900-01-01\"")) {
        result(&message);
    }
    let mut message = request("tools/list", json!({}));
    message["_meta"] = json!({ "protocolVersion": "1900-01-01", VERSION_KEY: 7 });
    result(&message);
}

#[test]
fn what_the_client_can_do_and_is_may_have_members_that_nobody_knows() {
    let mut meta = changed(
        CAPABILITIES_KEY,
        r#"{"elicitation":{},"sampling":7,"x":[null]}"#,
    );
    meta[CLIENT_INFO_KEY] = json!({ "name": "me", "version": "1", "x": {} });
    for message in with(&meta) {
        result(&message);
    }
}

#[test]
fn a_key_that_stands_twice_is_refused() {
    let meta = format!(
        r#"{{"{VERSION_KEY}":"2026-07-28","{VERSION_KEY}":"2025-11-25","{CAPABILITIES_KEY}":{{}}}}"#
    );
    let message =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{meta}}}}}"#);
    let answer = super::answer_to_bytes(message.as_bytes()).unwrap();
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[test]
fn every_level_of_log_messages_is_taken() {
    for level in [
        "\"debug\"",
        "\"info\"",
        "\"notice\"",
        "\"warning\"",
        "\"error\"",
        "\"critical\"",
        "\"alert\"",
        "\"emergency\"",
        "\"\\u0065rror\"",
    ] {
        for message in with(&changed(LOG_LEVEL_KEY, level)) {
            result(&message);
        }
    }
}

#[test]
fn trace_context_is_passed_to_functions_and_never_refused() {
    let server = mcp_runtime::server!().groups(["trace"]).build().unwrap();
    let parent = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
    for (traceparent, tracestate, expected) in [
        (
            json!(parent),
            json!("a=1"),
            format!("traceparent={parent} tracestate=a=1 baggage=b=2"),
        ),
        (
            json!(parent),
            json!([]),
            format!("traceparent={parent} baggage=b=2"),
        ),
        (json!("00-x"), json!("a=1"), "baggage=b=2".to_owned()),
    ] {
        let mut meta = meta();
        meta["traceparent"] = traceparent;
        meta["tracestate"] = tracestate;
        meta["baggage"] = json!("b=2");
        let params = json!({ "_meta": meta, "name": "trace_of" });
        let answer = server
            .handle_request(&request("tools/call", params))
            .unwrap();
        assert_eq!(answer["result"]["content"][0]["text"], expected);
    }
    let answer = server
        .handle_request(&super::call("trace_of", json!({})))
        .unwrap();
    assert_eq!(answer["result"]["content"][0]["text"], "none");
}

/// Tell the trace of this request.
#[mcp_runtime::mcp_tool(group = "trace")]
fn trace_of(ctx: &Context) -> String {
    let Some(trace) = ctx.trace_context() else {
        return "none".to_owned();
    };
    let fields: Vec<_> = trace
        .fields()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    fields.join(" ")
}

/// Tell what the client adds under some keys.
#[mcp_runtime::mcp_tool(group = "trace")]
fn meta_of(keys: Vec<String>, ctx: &Context) -> String {
    let found: Vec<_> = keys
        .iter()
        .map(|key| ctx.request_meta(key).map_or("-".into(), Value::to_string))
        .collect();
    found.join(" ")
}

#[test]
fn keys_of_the_clients_own_are_passed_to_functions() {
    let server = mcp_runtime::server!().groups(["trace"]).build().unwrap();
    let keys = [
        "com.example/tenant",
        "traceparent",
        VERSION_KEY,
        "plain",
        "none",
    ];
    let answer = |meta: Value| {
        let params = json!({ "_meta": meta, "name": "meta_of", "arguments": { "keys": keys } });
        let answer = server
            .handle_request(&request("tools/call", params))
            .unwrap();
        answer["result"]["content"][0]["text"].clone()
    };
    assert_eq!(answer(meta()), "- - - - -");
    let mut own = meta();
    own["com.example/tenant"] = json!({"id": [7, "\"x\""]});
    own["plain"] = json!(null);
    own["traceparent"] = json!("00-x");
    assert_eq!(answer(own), r#"{"id":[7,"\"x\""]} - - null -"#);
}
