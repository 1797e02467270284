//! The `requestedSchema` of forms: golden, and held against the protocol's own rules for it.

use mcp_runtime::form::ElicitForm;
use serde_json::{Value, json};

use crate::forms::{Consent, Order};

/// The protocol's schema, which has that of `requestedSchema` inside.
const PROTOCOL: &str = include_str!("../../golden/protocol/schema.json");

fn golden<T: ElicitForm>(name: &str) {
    let schema: Value = serde_json::from_str(T::requested_schema()).unwrap();
    let actual = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("golden/form")
        .join(name)
        .with_extension("json");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert_eq!(actual, expected, "{} has changed", path.display());
}

/// What the protocol's schema says against a form's.
fn objections(schema: &Value) -> Vec<String> {
    let mut protocol: Value = serde_json::from_str(PROTOCOL).unwrap();
    protocol["$ref"] = "#/$defs/ElicitRequestFormParams/properties/requestedSchema".into();
    jsonschema::draft202012::new(&protocol)
        .unwrap()
        .iter_errors(schema)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

#[test]
fn forms_publish_what_they_declare() {
    golden::<Order>("order");
    golden::<Consent>("consent");
}

#[test]
fn members_stand_in_the_order_of_the_fields() {
    let schema = Order::requested_schema();
    let places: Vec<usize> = [
        "\"name\"",
        "\"email\"",
        "\"home_page\"",
        "\"birth-day\"",
        "\"others\"",
        "\"required\"",
    ]
    .map(|key| schema.find(key).unwrap())
    .to_vec();
    assert!(places.is_sorted(), "{schema}");
    assert!(
        schema.ends_with(
            r#""required":["name","birth-day","initial","floor","number","delta","colour","ways"]}"#
        ),
        "{schema}"
    );
    assert_eq!(schema, Order::requested_schema());
}

#[test]
fn forms_keep_to_the_restricted_subset() {
    for schema in [Order::requested_schema(), Consent::requested_schema()] {
        let schema = serde_json::from_str(schema).unwrap();
        assert_eq!(objections(&schema), [""; 0], "{schema}");
    }
}

/// The protocol's schema leaves objects open, so keywords beyond are looked for here.
#[test]
fn no_keyword_is_beyond_the_subset() {
    let schema: Value = serde_json::from_str(Order::requested_schema()).unwrap();
    let keys =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    let mut root = keys(&schema);
    root.sort();
    assert_eq!(root, ["properties", "required", "type"]);
    for (name, field) in schema["properties"].as_object().unwrap() {
        let own: &[&str] = match field["type"].as_str().unwrap() {
            "string" => &["minLength", "maxLength", "format", "enum", "oneOf"],
            "number" | "integer" => &["minimum", "maximum"],
            "boolean" => &[],
            "array" => &["items", "minItems", "maxItems"],
            other => panic!("{name}: {other}"),
        };
        for key in keys(field) {
            let common = ["type", "title", "description", "default"];
            assert!(
                own.contains(&key.as_str()) || common.contains(&key.as_str()),
                "{name}: {key}"
            );
        }
    }
}

/// The check above would be worth nothing if it passed everything.
#[test]
fn the_protocols_rules_refuse_what_is_no_form() {
    for field in [
        json!({"type": "object", "properties": {}}),
        json!({"type": "array", "items": {"type": "string"}}),
        json!({"type": "string", "format": "hostname"}),
        json!({"type": "string", "minLength": "1"}),
        json!({"type": "null"}),
        json!({}),
    ] {
        let schema = json!({"type": "object", "properties": {"field": field}});
        assert_ne!(objections(&schema), [""; 0], "{schema}");
    }
    assert_ne!(objections(&json!({"type": "object"})), [""; 0]);
}
