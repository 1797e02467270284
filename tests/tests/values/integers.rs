//! Integers that a 64-bit float cannot hold, which many clients can send as strings alone.

use std::collections::BTreeMap;

use mcp_runtime::{ToolError, mcp_tool, mcp_type};
use serde_json::{Value, json};

use super::{failed, succeeded};

#[mcp_type]
#[derive(Debug)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Change {
    Moved { id: u64, to: Option<i64> },
}

#[mcp_type]
#[derive(Debug)]
#[serde(untagged)]
enum Either {
    Number(i64),
    Text(String),
}

/// Tell what arrived.
#[mcp_tool]
fn arrive(
    id: i64,
    wide: Option<u128>,
    #[arg(default = vec![])] list: Vec<i64>,
    #[arg(default = BTreeMap::new())] map: BTreeMap<String, i64>,
    #[arg(default = vec![])] changes: Vec<Change>,
    either: Option<Either>,
) -> String {
    format!("{id} {wide:?} {list:?} {map:?} {changes:?} {either:?}")
}

/// Take a number of some size.
#[mcp_tool]
fn limited(#[arg(range(..=9007199254740999))] id: i64) -> i64 {
    id
}

#[test]
fn large_integers_in_strings_arrive_exactly_at_every_depth() {
    assert_eq!(
        succeeded(
            "arrive",
            r#"{"id":"2574604874062343519","wide":"340282366920938463463374607431768211455","list":["-9007199254740993",7],"map":{"a":"9007199254740993"},"changes":[{"kind":"moved","id":"18446744073709551615","to":"9223372036854775807"}]}"#
        ),
        r#"2574604874062343519 Some(340282366920938463463374607431768211455) [-9007199254740993, 7] {"a": 9007199254740993} [Moved { id: 18446744073709551615, to: Some(9223372036854775807) }] None"#
    );
    assert!(
        succeeded("arrive", r#"{"id":1,"either":"2574604874062343519"}"#)
            .ends_with(r#"Some(Text("2574604874062343519"))"#)
    );
}

#[test]
fn bounds_and_widths_hold_for_integers_in_strings() {
    assert_eq!(
        succeeded("limited", r#"{"id":"9007199254740999"}"#),
        "9007199254740999"
    );
    let lines = failed("limited", r#"{"id":"9007199254741000"}"#);
    assert!(lines[0].ends_with("found 9007199254741000"), "{lines:?}");
    let lines = failed("arrive", r#"{"id":"9223372036854775808"}"#);
    assert!(lines[0].ends_with("found 9223372036854775808"), "{lines:?}");
    let lines = failed("arrive", r#"{"id":"5"}"#);
    assert!(lines[0].ends_with("send 5 without quotes"), "{lines:?}");
}

#[test]
fn a_registered_handler_gets_the_number() {
    let schema = json!({
        "type": "object",
        "properties": {"id": {"type": "integer"}, "free": {}},
        "required": ["id"],
    });
    let server = mcp_runtime::server!()
        .register_tool("given", "Give back.", schema, |arguments: Value| {
            Ok::<_, ToolError>(arguments)
        })
        .build()
        .unwrap();
    let large = "2574604874062343519";
    let given = server.call_blocking("given", json!({"id": large, "free": large}));
    assert_eq!(
        serde_json::from_str::<Value>(&given.text()).unwrap(),
        json!({"id": 2574604874062343519_u64, "free": large})
    );
}

#[test]
fn an_optional_argument_may_be_left_out() {
    assert_eq!(
        failed(
            "arrive",
            r#"{"id":1,"wide":"null","list":["null"],"map":""}"#
        ),
        [
            "`wide`: expected an integer, found the string \"null\"; `wide` may be left out",
            "`list[0]`: expected an integer, found the string \"null\"; `list` may be left out",
            "`map`: expected an object, found the string \"\"; `map` may be left out",
        ]
    );
}
