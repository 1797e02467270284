//! What is published of schemas: no number that hosts round, no keyword that one of them refuses, and still everything enforced.

use super::super::{Constraints, InputSchema, OutputSchema, Property};
use super::{derive, lines, parameter, plain, problems};
use crate::schema::safe_number::unsafe_number;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

const SAFE: i64 = 9_007_199_254_740_991;

fn json(input: &InputSchema) -> Value {
    serde_json::from_str(input.json()).unwrap()
}

/// A property of a type, as it is published.
fn property<T: JsonSchema>() -> Value {
    json(&derive(&[parameter::<T>("a")]))["properties"]["a"].clone()
}

/// A type whose schema was written by hand.
macro_rules! by_hand {
    ($Type:ident, $schema:tt) => {
        struct $Type;
        impl JsonSchema for $Type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($Type).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json!($schema).try_into().unwrap()
            }
        }
    };
}

#[test]
fn the_width_of_an_integer_is_enforced_and_not_published_beyond_a_double() {
    assert_eq!(property::<i64>(), json!({ "type": "integer" }));
    assert_eq!(property::<i128>(), json!({ "type": "integer" }));
    assert_eq!(
        property::<u64>(),
        json!({ "type": "integer", "minimum": 0 })
    );
    assert_eq!(
        property::<usize>(),
        json!({ "type": "integer", "minimum": 0 })
    );
    assert_eq!(
        property::<u32>(),
        json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX })
    );
    let input = derive(&[parameter::<i64>("a")]);
    assert_eq!(lines(&input, r#"{"a":9223372036854775807}"#), [""; 0]);
    assert_eq!(
        lines(&input, r#"{"a":9223372036854775808}"#),
        [
            "`a`: expected an integer from -9223372036854775808 to 9223372036854775807, found 9223372036854775808"
        ]
    );
}

#[test]
fn a_range_is_published_as_far_as_a_double_holds_it() {
    use super::super::Bound::{Float, Int};
    let cases = [
        (
            Int(1),
            Int(i128::from(SAFE)),
            false,
            json!({ "minimum": 1, "maximum": SAFE }),
        ),
        (
            Int(1),
            Int(i128::from(SAFE) + 1),
            false,
            json!({ "minimum": 1 }),
        ),
        (
            Int(1),
            Int(i128::from(SAFE) + 1),
            true,
            json!({ "minimum": 1, "maximum": SAFE }),
        ),
        (
            Int(-i128::from(SAFE) - 1),
            Int(5),
            false,
            json!({ "maximum": 5 }),
        ),
        (Float(0.0), Float(1e300), false, json!({ "minimum": 0.0 })),
    ];
    for (minimum, maximum, exclusive_maximum, expected) in cases {
        let constraints: &Constraints = Box::leak(Box::new(Constraints {
            minimum: Some(minimum),
            maximum: Some(maximum),
            exclusive_maximum,
            ..Constraints::NONE
        }));
        let number = matches!(minimum, Float(_));
        let of = if number {
            parameter::<f64>("a")
        } else {
            parameter::<i64>("a")
        };
        let input = derive(&[Property { constraints, ..of }]);
        let mut property = json(&input)["properties"]["a"].clone();
        property.as_object_mut().unwrap().remove("type");
        assert_eq!(property, expected);
    }
}

#[test]
fn a_default_or_listed_value_that_hosts_round_is_refused() {
    by_hand!(Listed, { "enum": [1, 9_007_199_254_740_992_i64] });
    by_hand!(Constant, { "const": -9_007_199_254_740_992_i64 });
    by_hand!(Nested, { "type": "object", "properties": { "max": { "type": "integer", "default": u64::MAX } } });
    by_hand!(Inside, { "type": "object", "default": { "max": [1e300] } });
    let told = |problems: Vec<String>, start: &str| {
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].starts_with(start), "{problems:?}");
    };
    told(
        problems(&[parameter::<Listed>("a")]),
        "`a`: the value 9007199254740992 is beyond ±9007199254740991",
    );
    told(
        problems(&[parameter::<Constant>("a")]),
        "`a`: the value -9007199254740992 is beyond",
    );
    told(
        problems(&[parameter::<Nested>("a")]),
        "`a.max`: the default 18446744073709551615 is beyond",
    );
    told(
        problems(&[parameter::<Inside>("a")]),
        "`a`: the default 1e+300 is beyond",
    );
    let default = Property {
        default: Some(json!(SAFE + 1)),
        ..parameter::<i64>("a")
    };
    told(
        problems(&[default]),
        "`a`: the default 9007199254740992 is beyond",
    );
    let default = Property {
        default: Some(json!(SAFE)),
        ..parameter::<i64>("a")
    };
    derive(&[default]);
}

#[test]
fn a_result_leaves_out_numbers_that_hosts_round() {
    by_hand!(Everything, {
        "type": "object",
        "properties": {
            "bound": { "type": "number", "maximum": 1e300, "minimum": -5 },
            "listed": { "enum": [1, 9_007_199_254_740_992_i64] },
            "default": { "type": "integer", "default": u64::MAX },
            "examples": { "type": "integer", "examples": [1, u64::MAX] },
            "size": { "type": "string", "maxLength": u64::MAX },
            "not": { "not": { "minimum": 1e300 } },
            "one": { "oneOf": [{ "type": "integer", "minimum": 0, "maximum": u64::MAX }, { "type": "integer", "maximum": -1 }] },
        },
    });
    let output = OutputSchema::derive(|generator| generator.subschema_for::<Everything>()).unwrap();
    let schema: Value = serde_json::from_str(output.json()).unwrap();
    assert_eq!(unsafe_number(&schema), None, "{schema}");
    assert_eq!(
        schema["properties"]["bound"],
        json!({ "type": "number", "minimum": -5 })
    );
    assert_eq!(schema["properties"]["examples"]["examples"], json!([1]));
    assert!(schema["properties"]["one"]["anyOf"].is_array(), "{schema}");
    assert!(output.accepts(r#"{"bound":1e299,"listed":1,"one":5}"#));
    for refused in [
        r#"{"bound":2e300}"#,
        r#"{"listed":2}"#,
        r#"{"not":2e300}"#,
        r#"{"one":18446744073709551616}"#,
    ] {
        assert!(!output.accepts(refused), "{refused}");
    }
}

#[test]
fn the_root_of_a_recursive_result_is_an_object() {
    #[derive(JsonSchema)]
    #[allow(dead_code, reason = "only its schema is made")]
    struct Tree {
        name: String,
        children: Vec<Self>,
    }
    #[derive(JsonSchema)]
    #[allow(dead_code, reason = "only its schema is made")]
    enum Expression {
        Number(i32),
        Sum(Vec<Self>),
    }
    for schema in [
        OutputSchema::derive(|generator| generator.subschema_for::<Tree>()).unwrap(),
        OutputSchema::derive(|generator| generator.subschema_for::<Expression>()).unwrap(),
    ] {
        let published: Value = serde_json::from_str(schema.json()).unwrap();
        assert_eq!(published["type"], "object", "{published}");
        assert_eq!(published.get("$ref"), None, "{published}");
        assert!(jsonschema::validator_for(&published).is_ok(), "{published}");
    }
    let list = OutputSchema::derive(|generator| generator.subschema_for::<Vec<Tree>>()).unwrap();
    let published: Value = serde_json::from_str(list.json()).unwrap();
    assert_eq!(published["type"], "array");
}

#[test]
fn formats_that_json_schema_does_not_define_are_part_of_the_description() {
    assert_eq!(
        property::<std::net::IpAddr>(),
        json!({ "type": "string", "description": "Format: ip" })
    );
    assert_eq!(
        property::<std::net::Ipv4Addr>(),
        json!({ "type": "string", "format": "ipv4" })
    );
    by_hand!(Int64, { "type": "string", "format": "int64" });
    assert_eq!(
        property::<Int64>(),
        json!({ "type": "string", "description": "Format: int64" })
    );
}

#[test]
fn what_one_provider_refuses_is_enforced_and_not_published() {
    by_hand!(Step, { "type": "integer", "multipleOf": 5, "exclusiveMinimum": 0, "exclusiveMaximum": 50.5, "deprecated": true });
    by_hand!(Unique, { "type": "array", "uniqueItems": true });
    by_hand!(Named, { "type": "object", "patternProperties": { "^x-": { "type": "string" }, "^y-": { "type": "integer" } }, "additionalProperties": false });
    by_hand!(Not, { "type": "string", "not": { "enum": ["a"] } });
    by_hand!(Truth, { "const": true });
    by_hand!(Never, { "type": "array", "prefixItems": [{ "type": "string" }, { "type": "integer" }], "items": false });
    assert_eq!(
        property::<Step>(),
        json!({ "type": "integer", "description": "A multiple of 5.\nDeprecated.", "minimum": 1, "maximum": 50 })
    );
    assert_eq!(
        property::<Unique>(),
        json!({ "type": "array", "description": "No element occurs twice.", "items": {} })
    );
    assert_eq!(
        property::<Named>(),
        json!({
            "type": "object",
            "description": "Names may match the pattern `^x-`.\nNames may match the pattern `^y-`.",
            "additionalProperties": { "anyOf": [{ "type": "string" }, { "type": "integer" }] }
        })
    );
    assert_eq!(property::<Not>(), json!({ "type": "string" }));
    assert_eq!(
        property::<Truth>(),
        json!({ "type": "boolean", "description": "One of: true" })
    );
    assert_eq!(property::<Never>()["maxItems"], 2);
    for (input, argument) in [
        (derive(&[parameter::<Step>("a")]), "7"),
        (derive(&[parameter::<Step>("a")]), "0"),
        (derive(&[parameter::<Unique>("a")]), "[1,1]"),
        (derive(&[parameter::<Named>("a")]), r#"{"z":1}"#),
        (derive(&[parameter::<Not>("a")]), r#""a""#),
        (derive(&[parameter::<Truth>("a")]), "false"),
        (derive(&[parameter::<Never>("a")]), r#"["a",1,2]"#),
    ] {
        assert_eq!(
            lines(&input, &format!(r#"{{"a":{argument}}}"#)).len(),
            1,
            "{argument}"
        );
        assert_eq!(
            input
                .unportable()
                .iter()
                .filter(|told| !told.contains("tuple"))
                .count(),
            0
        );
    }
}

#[test]
fn examples_are_part_of_the_description() {
    let examples = |property: Property<'static>, examples: Vec<Value>| {
        let property = Property {
            description: "What it is.",
            examples,
            ..property
        };
        json(&derive(&[property]))["properties"]["a"]["description"].clone()
    };
    assert_eq!(
        examples(parameter::<String>("a"), vec![json!("x"), json!("y")]),
        "What it is.\nExamples: \"x\", \"y\""
    );
    // A host can say such an integer as a string alone.
    assert_eq!(
        examples(parameter::<i64>("a"), vec![json!(i64::MAX)]),
        "What it is.\nExample: \"9223372036854775807\""
    );
}

#[test]
fn portable_schemas_are_made_of_the_listed_keywords() {
    // One of each kind that is refused, and the words for it.
    for (schema, words) in [
        (json!({ "examples": [1] }), "uses `examples`"),
        (json!({ "deprecated": true }), "uses `deprecated`"),
        (json!({ "multipleOf": 2 }), "uses `multipleOf`"),
        (json!({ "uniqueItems": true }), "uses `uniqueItems`"),
        (
            json!({ "propertyNames": { "pattern": "a" } }),
            "uses `propertyNames`",
        ),
        (
            json!({ "patternProperties": {} }),
            "uses `patternProperties`",
        ),
        (json!({ "exclusiveMinimum": 1 }), "uses `exclusiveMinimum`"),
        (json!({ "exclusiveMaximum": 1 }), "uses `exclusiveMaximum`"),
        (json!({ "oneOf": [] }), "uses `oneOf`"),
        (json!({ "allOf": [] }), "uses `allOf`"),
        (json!({ "not": {} }), "uses `not`"),
        (json!({ "const": 1 }), "uses `const`"),
        (json!({ "if": {} }), "uses `if`"),
        (json!({ "$anchor": "a" }), "uses `$anchor`"),
        (json!({ "prefixItems": [] }), "is a tuple"),
        (json!({ "type": "array" }), "without `items`"),
        (json!({ "type": ["string", "integer"] }), "a list of types"),
        (json!(true), "is `true` in the place of a schema"),
        (json!({ "enum": [1] }), "not strings"),
        (
            json!({ "type": "string", "format": "ip" }),
            "the format \"ip\"",
        ),
        (
            json!({ "type": "integer", "format": "int64" }),
            "the format \"int64\"",
        ),
        (
            json!({ "type": "integer", "maximum": u64::MAX }),
            "the number 18446744073709551615 in `maximum`",
        ),
        (
            json!({ "type": "integer", "default": u64::MAX }),
            "in `default`",
        ),
    ] {
        let root = json!({ "type": "object", "properties": { "a": schema } });
        let told = crate::schema::portability::unportable(&root);
        assert!(
            told.iter()
                .any(|sentence| sentence.starts_with("`a` ") && sentence.contains(words)),
            "{schema}: {told:?}"
        );
    }
    for keyword in ["oneOf", "anyOf", "allOf"] {
        let root = json!({ "type": "object", "properties": {}, keyword: [] });
        assert_eq!(
            crate::schema::portability::unportable(&root),
            [format!(
                "the schema has `{keyword}` at its root, which hosts refuse"
            )]
        );
    }
    let deep = (0..1_000).fold(
        json!({}),
        |inner, _| json!({ "type": "array", "items": inner }),
    );
    assert_eq!(
        crate::schema::portability::unportable(
            &json!({ "type": "object", "properties": { "a": deep } })
        ),
        [""; 0]
    );
}

#[test]
fn the_argument_of_a_plain_property_is_published_as_its_type() {
    let optional = Property {
        optional: true,
        ..plain("a", |generator| generator.subschema_for::<Option<String>>())
    };
    assert_eq!(
        json(&derive(&[optional]))["properties"]["a"],
        json!({ "type": "string" })
    );
}
