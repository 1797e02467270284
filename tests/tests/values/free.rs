//! Integers that a `Value` cannot hold.

use std::collections::BTreeMap;

use mcp_runtime::{ToolError, mcp_tool, mcp_type};
use serde_json::{Value, json};

use super::{answer_of, server, succeeded};

const WIDE: &str = r#"{"a":18446744073709551616,"b":[-9223372036854775809,18446744073709551615],"c":"18446744073709551616"}"#;
const KEPT: &str = r#"{"a":"18446744073709551616","b":["-9223372036854775809",18446744073709551615],"c":"18446744073709551616"}"#;

#[mcp_type]
struct Held {
    inner: Value,
    #[serde(flatten)]
    more: BTreeMap<String, Value>,
}

/// Give a value back.
#[mcp_tool]
fn free(value: Value, held: Option<Held>, wide: Option<u128>) -> String {
    let held = held.map(|held| json!([held.inner, held.more]));
    format!("{value} {held:?} {wide:?}")
}

#[test]
fn a_value_keeps_the_digits_of_every_integer() {
    assert_eq!(
        succeeded("free", &format!(r#"{{"value":{WIDE}}}"#)),
        format!("{KEPT} None None")
    );
    assert_eq!(
        succeeded("free", r#"{"value":18446744073709551616}"#),
        r#""18446744073709551616" None None"#
    );
    assert_eq!(
        succeeded(
            "free",
            r#"{"value":1,"held":{"inner":18446744073709551616,"more":-18446744073709551616},"wide":18446744073709551616}"#
        ),
        r#"1 Some(Array [String("18446744073709551616"), Object {"more": String("-18446744073709551616")}]) Some(18446744073709551616)"#
    );
}

#[test]
fn numbers_that_a_value_holds_are_numbers() {
    let held = r#"{"i":9223372036854775807,"u":18446744073709551615,"f":1e30,"z":-0.5}"#;
    assert_eq!(
        succeeded("free", &format!(r#"{{"value":{held}}}"#)),
        format!("{} None None", serde_json::from_str::<Value>(held).unwrap())
    );
}

#[test]
fn a_registered_handler_gets_the_digits() {
    for schema in [
        json!({"type": "object"}),
        json!({"type": "object", "properties": {"a": {"type": "integer"}}}),
    ] {
        let server = mcp_runtime::server!()
            .register_tool("given", "Give back.", schema, |arguments: Value| {
                Ok::<_, ToolError>(arguments)
            })
            .build()
            .unwrap();
        let result = answer_of(&server, "given", WIDE);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(text, KEPT);
    }
    assert!(
        !server()
            .call_blocking("free", json!({"value": 1}))
            .is_error()
    );
}
