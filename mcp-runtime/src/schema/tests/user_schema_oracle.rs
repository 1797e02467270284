//! Random schemas given by hand: what is published of them is portable, and accepts everything that is enforced as valid.

use super::super::{Checking, InputSchema};
use crate::schema::safe_number::unsafe_number;
use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Value, json};

const SAFE: i64 = 9_007_199_254_740_991;

/// Schemas of arguments, of any shape that our checker enforces.
fn schemas() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        Just(json!(-1)),
        Just(json!(0)),
        Just(json!(1.5)),
        Just(json!(3)),
        Just(json!(SAFE)),
        Just(json!(SAFE + 1)),
        Just(json!(1e300))
    ];
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!(true)),
        Just(json!(false)),
        Just(json!({ "type": "string", "minLength": 1 })),
        Just(json!({ "type": "string", "format": "ip" })),
        Just(json!({ "type": ["integer", "null"], "format": "int8" })),
        Just(json!({ "enum": ["a", 1, null] })),
        Just(json!({ "const": 3 })),
        (
            prop::sample::select(vec![
                "minimum",
                "maximum",
                "exclusiveMinimum",
                "exclusiveMaximum"
            ]),
            number.clone(),
            prop::sample::select(vec!["integer", "number"])
        )
            .prop_map(|(keyword, number, name)| json!({ "type": name, keyword: number })),
        Just(json!({ "multipleOf": 2 })),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4);
        let names = prop::sample::select(vec!["a", "b", "x"]);
        let members = prop::collection::btree_map(names.clone(), inner.clone(), 0..3);
        prop_oneof![
            (prop::sample::select(vec!["anyOf", "oneOf", "allOf"]), list.clone(), inner.clone()).prop_map(|(keyword, list, beside)| {
                let mut schema = if let Value::Object(keywords) = beside { keywords } else { Default::default() };
                schema.insert(keyword.to_owned(), list.into());
                schema.into()
            }),
            inner.clone().prop_map(|not| json!({ "not": not })),
            inner.clone().prop_map(|items| json!({ "type": "array", "items": items, "uniqueItems": true })),
            (list, inner.clone()).prop_map(|(prefix, items)| json!({ "prefixItems": prefix, "items": items, "maxItems": 2 })),
            (members.clone(), names, any::<bool>()).prop_map(|(members, required, closed)| {
                let mut schema = json!({ "type": "object", "properties": members, "required": [required] });
                if closed {
                    schema["additionalProperties"] = json!(false);
                }
                schema
            }),
            (members, inner.clone()).prop_map(|(patterns, other)| {
                json!({ "type": "object", "patternProperties": patterns, "additionalProperties": other })
            }),
            inner.prop_map(|inner| json!({ "$ref": "#/$defs/Q", "anyOf": [inner, {}] })),
        ]
    })
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(2),
        json!(3),
        json!(4),
        json!(1.5),
        json!(-7),
        json!(SAFE + 1),
        json!(1e299),
        json!(""),
        json!("a"),
        json!("abc"),
    ]);
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(
                prop::sample::select(vec!["a", "b", "x", "z"]),
                inner,
                0..4
            )
            .prop_map(|members| json!(members)),
        ]
    })
}

fn is_nullable(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(is_nullable),
        Value::Object(members) => members.values().any(is_nullable),
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_published_of_a_given_schema_is_portable_and_accepts_what_is_enforced(
        schema in schemas(),
        root in prop::collection::btree_map(prop::sample::select(vec!["type", "properties"]), Just(()), 0..2),
        values in prop::collection::vec(values(), 8),
    ) {
        let mut given = json!({
            "type": "object",
            "properties": { "a": schema, "n": { "type": "integer" } },
            "$defs": { "Q": { "type": ["array", "object", "integer", "string"], "description": "Q." } }
        });
        if !root.is_empty() && let Value::Object(keywords) = &schema {
            for (keyword, value) in keywords {
                let known = given.as_object_mut().unwrap();
                known.entry(keyword.clone()).or_insert_with(|| value.clone());
            }
        }
        let Ok(input) = InputSchema::given(&given, Checking::Whole) else { return Ok(()) };
        let published: Value = serde_json::from_str(input.json()).unwrap();
        prop_assert_eq!(unsafe_number(&published), None, "{}", &published);
        prop_assert_eq!(&published["type"], "object");
        prop_assert!(published["properties"].is_object(), "{}", &published);
        for told in input.unportable() {
            let known = ["may be null", "is a tuple", "and no `type`", "at its root, which hosts refuse: published in its place"];
            prop_assert!(known.iter().any(|words| told.contains(words)), "{}: {}", told, &published);
        }
        let (enforced, oracle): (Validator, Validator) = (jsonschema::validator_for(&given).unwrap(), jsonschema::validator_for(&published).unwrap());
        for value in values {
            let arguments = if value.is_object() { value } else { json!({ "a": value }) };
            // `null` for an optional member is absence, which the text of a schema cannot say.
            if is_nullable(&arguments) {
                continue;
            }
            let text = arguments.to_string();
            prop_assert_eq!(input.accepts_all(&text), enforced.is_valid(&arguments), "{}: {}", &given, &text);
            prop_assert!(!input.accepts_all(&text) || oracle.is_valid(&arguments), "{} is published as {}, which refuses {}", &given, &published, &text);
        }
    }
}
