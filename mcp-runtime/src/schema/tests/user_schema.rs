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

/// A schema as it was given, and as it is published without the feature `full-schema`.
#[track_caller]
fn published(schema: &Value, portable: &Value) -> InputSchema {
    let input = given(schema);
    let json: Value = serde_json::from_str(input.json()).unwrap();
    let expected = if cfg!(feature = "full-schema") {
        schema
    } else {
        portable
    };
    assert_eq!(json, *expected);
    input
}

#[test]
fn a_schema_is_enforced_as_it_is_and_published_in_the_portable_form() {
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
    let portable = json!({
        "type": "object",
        "properties": {
            "count": {
                "description": "Format: int64",
                "anyOf": [{ "type": "string" }, { "type": "integer", "minimum": 1 }]
            },
            "format": { "type": "string", "enum": ["json"] },
            "free": {}
        },
        "required": ["count"]
    });
    let input = published(&schema, &portable);
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

#[test]
fn references_are_inlined_and_what_stands_beside_them_is_merged() {
    let schema = json!({
        "type": "object",
        "properties": { "v": { "$ref": "#/$defs/Q", "description": "outer" } },
        "$defs": { "Q": { "type": "integer" } }
    });
    let portable = json!({
        "type": "object",
        "properties": { "v": { "type": "integer", "description": "outer" } }
    });
    let input = published(&schema, &portable);
    let told = input.unportable();
    if cfg!(feature = "full-schema") {
        assert_eq!(told, ["`v` uses `$ref`, which some hosts do not follow"]);
    } else {
        assert_eq!(told, [""; 0]);
    }
    assert_eq!(
        lines(&input, r#"{"v":"x"}"#),
        ["`v`: expected an integer, found the string \"x\"; `v` may be left out"]
    );
}

#[test]
fn a_recursive_schema_is_told_as_recursive_and_as_nothing_else() {
    let input = given(&json!({
        "type": "object",
        "properties": { "children": { "type": "array", "items": { "$ref": "#" } } },
        "additionalProperties": false
    }));
    let told = input.unportable();
    assert!(
        told.iter()
            .all(|sentence| sentence.contains("refers to itself")),
        "{told:?}"
    );
    assert_eq!(lines(&input, r#"{"children":[{"children":[]}]}"#), [""; 0]);
    assert_eq!(lines(&input, r#"{"children":[{"child":[]}]}"#).len(), 1);
}

#[test]
fn no_schema_has_a_number_that_hosts_round() {
    let schema = json!({
        "type": "object",
        "properties": {
            "v": { "type": "integer", "minimum": i64::MIN, "maximum": u64::MAX },
            "w": { "type": "string", "maxLength": u64::MAX }
        }
    });
    let portable = json!({
        "type": "object",
        "properties": { "v": { "type": "integer" }, "w": { "type": "string" } }
    });
    let input = published(&schema, &portable);
    assert_eq!(lines(&input, r#"{"v":18446744073709551615}"#), [""; 0]);
    assert_eq!(lines(&input, r#"{"v":18446744073709551616}"#).len(), 1);
    for keyword in ["default", "const"] {
        let schema = json!({ "type": "object", "properties": { "v": { "type": "integer", keyword: u64::MAX } } });
        if cfg!(feature = "full-schema") {
            let told = given(&schema).unportable();
            assert!(
                told.iter()
                    .any(|sentence| sentence.contains("the number 18446744073709551615")),
                "{told:?}"
            );
        } else {
            assert!(
                refused(&schema).contains("18446744073709551615 is beyond ±9007199254740991"),
                "{keyword}"
            );
        }
    }
}

#[test]
fn names_that_providers_refuse_are_told_at_every_depth() {
    let inner = json!({ "type": "object", "properties": { "b c": { "type": "string" } } });
    let input = given(&json!({
        "type": "object",
        "properties": { "filter[name]": { "type": "string" }, "a": inner, "fine_-.9": { "type": "string" } }
    }));
    let told: Vec<String> = input
        .unportable()
        .into_iter()
        .filter(|sentence| sentence.contains("is a name that providers refuse"))
        .collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told.iter()
            .any(|sentence| sentence.starts_with("`filter[name]`")),
        "{told:?}"
    );
    assert!(
        told.iter().any(|sentence| sentence.starts_with("`a.b c`")),
        "{told:?}"
    );
}

#[test]
fn a_union_at_the_root_is_one_object_and_told_for_what_it_is() {
    for keyword in ["oneOf", "anyOf"] {
        let closed = |name: &str, kind: &str| {
            json!({
                "properties": { "kind": { "const": kind }, name: { "type": "integer" } },
                "required": ["kind", name],
                "additionalProperties": false
            })
        };
        let schema = json!({ "type": "object", keyword: [closed("side", "square"), closed("radius", "circle")] });
        let portable = json!({
            "type": "object",
            "properties": {
                "kind": { "type": "string", "enum": ["square", "circle"] },
                "side": { "type": "integer" },
                "radius": { "type": "integer" }
            },
            "required": ["kind"],
            "additionalProperties": false
        });
        let input = published(&schema, &portable);
        let start = format!("the schema has `{keyword}` at its root, which hosts refuse");
        assert!(
            input
                .unportable()
                .iter()
                .any(|sentence| sentence.starts_with(&start)),
            "{:?}",
            input.unportable()
        );
        assert_eq!(lines(&input, r#"{"kind":"square","side":1}"#), [""; 0]);
        assert_ne!(lines(&input, r#"{"kind":"square","radius":1}"#), [""; 0]);
    }
}

#[test]
fn an_object_without_properties_shows_that_it_has_none() {
    published(
        &json!({ "type": "object" }),
        &json!({ "type": "object", "properties": {} }),
    );
}

#[test]
fn a_required_member_that_is_not_listed_is_one_of_the_others() {
    let input = given(&json!({
        "type": "object",
        "required": ["a", "x-b"],
        "patternProperties": { "^x-": { "type": "string" } },
        "additionalProperties": { "type": "integer" }
    }));
    assert_eq!(lines(&input, r#"{"a":1,"x-b":"c"}"#), [""; 0]);
    assert_eq!(lines(&input, r#"{"a":"1","x-b":2}"#).len(), 2);
}

#[cfg(feature = "full-schema")]
#[test]
fn with_the_feature_a_schema_is_published_exactly_as_given() {
    for schema in [
        json!({ "type": "object", "$schema": "https://json-schema.org/draft/2020-12/schema", "$anchor": "top" }),
        json!({ "type": "object", "allOf": [{ "properties": { "a": { "$ref": "#/$defs/A" } } }], "$defs": { "A": { "$anchor": "a", "examples": [1] } } }),
        json!({ "type": "object", "properties": { "n": { "maximum": u64::MAX } }, "if": {}, "then": { "required": ["n"] } }),
    ] {
        let input = given(&schema);
        assert_eq!(serde_json::from_str::<Value>(input.json()).unwrap(), schema);
        assert_ne!(input.unportable(), [""; 0], "{schema}");
    }
}
