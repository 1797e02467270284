//! Schemas given by hand.

use super::super::{Checking, InputSchema};
use super::lines;
use serde_json::{Value, json};

fn given(schema: &Value) -> InputSchema {
    InputSchema::given(schema, Checking::Whole).unwrap()
}

fn refused(schema: &Value) -> String {
    InputSchema::given(schema, Checking::Whole)
        .unwrap_err()
        .to_string()
}

#[test]
fn a_schema_is_published_as_it_is_and_enforced() {
    let schema = json!({
        "type": "object",
        "properties": {
            "count": { "$ref": "#/$defs/count" },
            "format": { "const": "json" },
            "free": {}
        },
        "required": ["count"],
        "$defs": { "count": { "type": ["integer", "string"], "minimum": 1, "format": "int64" } }
    });
    let input = given(&schema);
    assert_eq!(serde_json::from_str::<Value>(input.json()).unwrap(), schema);
    assert_eq!(
        lines(&input, r#"{"count":1,"free":{"a":[]},"other":5}"#),
        [""; 0]
    );
    assert_eq!(
        lines(&input, r#"{"count":0,"format":"yaml"}"#),
        [
            "`count`: expected a string or an integer of at least 1, found 0",
            "`format`: expected \"json\", found the string \"yaml\"; `format` may be left out"
        ]
    );
    assert_eq!(lines(&input, "{}"), ["Missing required argument: count"]);
}

#[test]
fn a_reference_in_a_value_refers_to_nothing() {
    let reference = json!({ "$ref": "http://example.com/a.json" });
    for keyword in ["const", "default"] {
        given(&json!({ "type": "object", "properties": { "a": { keyword: reference } } }));
    }
    for keyword in ["enum", "examples"] {
        given(&json!({ "type": "object", "properties": { "a": { keyword: [reference] } } }));
    }
    for name in ["const", "default", "enum", "properties", "$ref"] {
        let schema = json!({ "type": "object", "properties": { name: reference } });
        assert!(refused(&schema).contains("leaves the schema"), "{name}");
    }
}

#[test]
fn a_step_is_greater_than_zero() {
    for step in [json!(0), json!(0.0), json!(-1)] {
        let schema = json!({ "type": "object", "properties": { "a": { "multipleOf": step } } });
        assert!(refused(&schema).contains("greater than 0"), "{step}");
    }
}

#[test]
fn missing_arguments_follow_the_order_of_required() {
    let input = given(
        &json!({ "type": "object", "properties": { "a": {}, "b": {} }, "required": ["b", "a"] }),
    );
    assert_eq!(
        lines(&input, "{}"),
        [
            "Missing required argument: b",
            "Missing required argument: a"
        ]
    );
}

#[test]
fn applicators_are_enforced() {
    let input = given(&json!({
        "type": "object",
        "properties": {
            "one": { "oneOf": [{ "type": "integer" }, { "minimum": 10 }] },
            "all": { "allOf": [{ "minLength": 2 }, { "pattern": "^a" }], "type": "string" },
            "not": { "not": { "enum": [1, "x"] } },
            "list": { "type": "array", "prefixItems": [{ "type": "boolean" }], "items": false },
            "map": { "patternProperties": { "^x-": { "type": "string" } }, "minProperties": 1 }
        }
    }));
    assert_eq!(
        lines(
            &input,
            r#"{"one":5.5e0,"all":"ab","not":2,"list":[true],"map":{"x-a":"b"}}"#
        )
        .len(),
        1
    );
    assert_eq!(
        lines(
            &input,
            r#"{"one":5,"all":"ab","not":2,"list":[],"map":{"y":1}}"#
        ),
        [""; 0]
    );
    assert_eq!(
        lines(
            &input,
            r#"{"one":12,"all":"b","not":1.0,"list":[true,1],"map":{}}"#
        ),
        [
            "`one`: more than one of the alternatives fits; `one` may be left out",
            "`all`: expected at least 2 characters, found 1; `all` may be left out",
            "`all`: expected a string that matches the pattern `^a`, found the string \"b\"; `all` may be left out",
            "`not`: this value is excluded: 1.0; `not` may be left out",
            "`list[1]`: expected no value, found 1; `list` may be left out",
            "`map`: expected at least 1 member, found 0; `map` may be left out"
        ]
    );
}

#[test]
fn references_that_leave_the_schema_are_refused_and_never_followed() {
    for target in [
        "file:///etc/passwd",
        "http://10.0.0.1/s.json",
        "other.json",
        "//host/x",
    ] {
        let schema = json!({ "type": "object", "properties": { "a": { "$ref": target } } });
        assert_eq!(
            refused(&schema),
            format!(
                "`$ref` to `{target}` leaves the schema: references are never fetched, so copy what it points to into `$defs`"
            )
        );
        assert!(InputSchema::given(&schema, Checking::Required).is_err());
    }
    // A member that is called `$ref`, and a value, refer to nothing.
    given(
        &json!({ "type": "object", "properties": { "$ref": { "type": "string", "default": "file:///x" } } }),
    );
}

#[test]
fn arguments_are_always_an_object() {
    let sentence = "the schema of arguments needs `\"type\": \"object\"` at its root, since arguments are always an object";
    assert_eq!(refused(&json!({})), sentence);
    assert_eq!(
        refused(&json!({ "oneOf": [{ "type": "object" }] })),
        sentence
    );
    assert_eq!(
        refused(&json!(true)),
        "the schema of arguments has to be a JSON object"
    );
    assert_eq!(
        refused(&json!({ "type": "object", "properties": { "a": { "type": "float" }, "b": { "pattern": "(" } } })).matches("; ").count(),
        1,
        "both problems are told"
    );
}

#[test]
fn our_dialect_may_be_named() {
    for dialect in [
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2020-12/schema#",
    ] {
        given(&json!({ "$schema": dialect, "type": "object" }));
    }
}

#[test]
fn without_checking_only_required_names_count() {
    let schema =
        json!({ "properties": { "a": { "type": "integer", "if": {} } }, "required": ["a"] });
    let input = InputSchema::given(&schema, Checking::Required).unwrap();
    assert_eq!(lines(&input, r#"{"a":"x","b":1}"#), [""; 0]);
    assert_eq!(
        lines(&input, r#"{"b":{"a":1}}"#),
        ["Missing required argument: a"]
    );
    assert!(input.accepts_all(r#"{"a":null}"#));
    assert_eq!(input.property("a"), Some(0));
}

#[cfg(not(feature = "full-schema"))]
#[test]
fn what_is_not_enforced_is_refused() {
    assert_eq!(
        refused(&json!({ "type": "object", "if": {}, "then": {} })),
        "the keyword `if` is not supported: switch on the feature `full-schema` of `mcp-runtime`, or do without it; \
         the keyword `then` is not supported: switch on the feature `full-schema` of `mcp-runtime`, or do without it"
    );
    for dialect in [
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-07/schema",
    ] {
        let sentence = refused(&json!({ "$schema": dialect, "type": "object" }));
        assert!(
            sentence.starts_with(&format!("the dialect \"{dialect}\" is not supported")),
            "{sentence}"
        );
    }
}

#[cfg(feature = "full-schema")]
#[test]
fn other_keywords_and_dialects_are_enforced_in_full() {
    let input = given(&json!({
        "type": "object",
        "properties": { "a": { "type": "integer" } },
        "required": ["a"],
        "if": { "properties": { "a": { "const": 1 } } },
        "then": { "required": ["b"] }
    }));
    assert_eq!(lines(&input, "{}")[0], "Missing required argument: a");
    assert_eq!(lines(&input, r#"{"a":1}"#).len(), 1);
    assert_eq!(lines(&input, r#"{"a":2}"#), [""; 0]);
    // In draft 7 a list of `items` is a tuple.
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema",
        "type": "object",
        "properties": { "pair": { "items": [{ "type": "string" }], "additionalItems": false } }
    });
    let input = given(&schema);
    assert_eq!(lines(&input, r#"{"pair":["a"]}"#), [""; 0]);
    assert_eq!(lines(&input, r#"{"pair":["a",1]}"#).len(), 1);
}
