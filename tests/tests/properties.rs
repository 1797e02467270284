//! Whatever comes in: no panic, one answer to each request, none to a notification, and each answer a message.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::LazyLock;

use mcp_runtime::{Profile, Server, ServerBuilder, ToolError, mcp_tool};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// Add two integers.
#[mcp_tool]
fn add(a: i64, #[arg(default = 2, range(..100))] b: i64) -> i64 {
    a.saturating_add(b)
}

/// Count what is there.
#[mcp_tool]
fn count(text: &str, items: Option<Vec<Option<f64>>>) -> String {
    format!("{} {}", text.len(), items.map_or(0, |items| items.len()))
}

fn build(builder: ServerBuilder) -> Server {
    let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] });
    let handler = |arguments: Value| Ok::<_, ToolError>(arguments["text"].clone());
    builder
        .register_tool("echo", "Give the text back.", schema, handler)
        .build()
        .unwrap()
}

static STRICT: LazyLock<Server> = LazyLock::new(|| build(mcp_runtime::server!()));
static MENDING: LazyLock<Server> =
    LazyLock::new(|| build(mcp_runtime::server!().coerce_arguments()));
static CONTRACT: LazyLock<Server> =
    LazyLock::new(|| build(mcp_runtime::server!().profile(Profile::Contract)));

/// Words that mean something somewhere in a message, so that it gets far.
const WORDS: [&str; 22] = [
    "2.0",
    "2026-07-28",
    "_meta",
    "a",
    "add",
    "arguments",
    "b",
    "count",
    "cursor",
    "echo",
    "id",
    "initialize",
    "inputResponses",
    "io.modelcontextprotocol/clientCapabilities",
    "items",
    "method",
    "name",
    "params",
    "server/discover",
    "text",
    "tools/call",
    "tools/list",
];

fn word() -> impl Strategy<Value = String> {
    prop_oneof![4 => proptest::sample::select(&WORDS[..]).prop_map(String::from), 1 => any::<String>()]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        // Eighths are the same number again after they were written and read.
        any::<i32>().prop_map(|number| Value::from(f64::from(number) / 8.0)),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(word(), inner, 0..4).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// A request that is right but for one member or two, which may be anything or missing.
fn message() -> impl Strategy<Value = Value> {
    let place = proptest::sample::select(
        &[
            "/id",
            "/jsonrpc",
            "/method",
            "/params",
            "/params/_meta",
            "/params/name",
            "/params/arguments",
            "/params/cursor",
            "/params/inputResponses",
            "/params/requestState",
            "/params/arguments/a",
            "/params/arguments/b",
            "/params/arguments/text",
            "/params/arguments/items",
            "/params/arguments/c",
            "/_meta",
            "/params/_meta/progressToken",
        ][..],
    );
    let tool = proptest::sample::select(&["add", "count", "echo"][..]);
    let changes = vec((place, proptest::option::of(value())), 0..3);
    (tool, any::<u32>(), changes).prop_map(|(tool, id, changes)| {
        let mut message = json!({
            "jsonrpc": "2.0",
            "id": id,
            "method": "tools/call",
            "params": {
                "name": tool,
                "arguments": {},
                "_meta": {
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": {},
                },
            },
        });
        for (place, change) in changes {
            let (parent, member) = place.rsplit_once('/').unwrap();
            if let Some(Value::Object(parent)) = message.pointer_mut(parent) {
                match change {
                    Some(value) => parent.insert(member.into(), value),
                    None => parent.remove(member),
                };
            }
        }
        message
    })
}

/// The answer to some bytes, which has to be one whole message.
fn answer(server: &Server, message: &[u8]) -> Option<Value> {
    let mut out = b"before".to_vec();
    server.handle_message_blocking(message, &mut out);
    let answer = out
        .strip_prefix(b"before")
        .expect("what stands in the buffer stays");
    if answer.is_empty() {
        return None;
    }
    assert!(!answer.contains(&b'\n'), "an answer is one line");
    let Ok(answer) = serde_json::from_slice::<Value>(answer) else {
        // An id such as 1e999, which comes back as it was, is more than a reader of ours can hold.
        serde_json::from_slice::<&RawValue>(answer).expect("an answer is JSON");
        return Some(Value::Null);
    };
    assert_eq!(answer["jsonrpc"], "2.0");
    assert!(
        answer.get("result").is_some() != answer.get("error").is_some(),
        "{answer}"
    );
    if let Some(error) = answer.get("error") {
        assert!(
            [-32700, -32600, -32601, -32602, -32603, -32022]
                .contains(&error["code"].as_i64().unwrap()),
            "{answer}"
        );
        assert!(error["message"].is_string(), "{answer}");
    }
    if let Some(content) = answer["result"].get("content") {
        assert!(content.is_array(), "{answer}");
    }
    Some(answer)
}

proptest! {
    // Failures are told in full and reproduced from the message that is shown.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_request_is_answered_once_and_a_notification_never(message in prop_oneof![3 => message(), 1 => value()]) {
        for server in [&STRICT, &MENDING] {
            let answer = answer(server, message.to_string().as_bytes());
            let id = message.get("id");
            let proper = id.is_some_and(|id| id.is_string() || id.is_i64() || id.is_u64());
            let envelope = message.is_object() && message["jsonrpc"] == "2.0" && message["method"].is_string();
            match answer {
                None => prop_assert!(envelope && id.is_none(), "only notifications are not answered"),
                Some(answer) if proper => prop_assert_eq!(&answer["id"], id.unwrap()),
                Some(answer) => {
                    prop_assert!(!envelope || id.is_some(), "a notification is answered: {}", answer);
                    prop_assert!(answer.get("id").is_none(), "an id that nobody sent: {}", answer);
                }
            }
        }
    }

    #[test]
    fn the_contract_answers_everything_with_the_id_that_came(message in prop_oneof![3 => message(), 1 => value()]) {
        let answer = answer(&CONTRACT, message.to_string().as_bytes());
        let id = message.get("id").cloned().unwrap_or_default();
        prop_assert_eq!(&answer.unwrap()["id"], &id);
    }

    #[test]
    fn values_and_bytes_get_one_answer(message in message()) {
        for server in [&STRICT, &CONTRACT] {
            prop_assert_eq!(server.handle_request(&message), answer(server, message.to_string().as_bytes()));
        }
    }

    #[test]
    fn bytes_that_were_damaged_on_the_way_are_survived(
        message in message(),
        damage in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = message.to_string().into_bytes();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        answer(&STRICT, &bytes);
        prop_assert!(answer(&CONTRACT, &bytes).is_some());
    }

    #[test]
    fn bytes_of_any_kind_are_survived(bytes in vec(any::<u8>(), 0..200)) {
        answer(&STRICT, &bytes);
        prop_assert!(answer(&CONTRACT, &bytes).is_some());
    }
}
