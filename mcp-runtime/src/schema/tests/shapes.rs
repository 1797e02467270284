//! The shapes of published schemas, case by case.

use super::super::{Bound, Constraints, OutputSchema};
use super::*;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

/// A type whose schema is written by hand.
macro_rules! by_hand {
    ($name:ident, $schema:tt) => {
        struct $name;
        impl JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

fn property<T: JsonSchema>() -> Value {
    let schema: Value = serde_json::from_str(derive(&[parameter::<T>("n")]).json()).unwrap();
    schema["properties"]["n"].clone()
}

#[test]
fn no_arguments_is_a_closed_empty_object() {
    assert_eq!(
        derive(&[]).json(),
        r#"{"type":"object","properties":{},"additionalProperties":false}"#
    );
    assert_eq!(lines(&derive(&[]), "{}"), [""; 0]);
}

#[test]
fn arguments_keep_their_order_and_text_is_compact() {
    let zeta = Property {
        description: "Last letter.",
        ..parameter::<bool>("zeta")
    };
    assert_eq!(
        derive(&[zeta, optional::<String>("alpha")]).json(),
        concat!(
            r#"{"type":"object","properties":{"zeta":{"type":"boolean","description":"Last letter."},"alpha":{"type":"string"}},"#,
            r#""required":["zeta"],"additionalProperties":false}"#
        )
    );
}

#[test]
fn arguments_may_be_called_like_any_keyword() {
    let names = [
        "$anchor",
        "$comment",
        "$defs",
        "$id",
        "$ref",
        "$schema",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "contains",
        "default",
        "definitions",
        "deprecated",
        "description",
        "enum",
        "examples",
        "format",
        "if",
        "items",
        "maximum",
        "minimum",
        "not",
        "oneOf",
        "pattern",
        "properties",
        "readOnly",
        "required",
        "title",
        "type",
        "x-mcp-header",
    ];
    let properties: Vec<_> = names.iter().map(|name| parameter::<u8>(name)).collect();
    let schema = derive(&properties);
    let published: Value = serde_json::from_str(schema.json()).unwrap();
    for name in names {
        assert_eq!(
            published["properties"][name],
            json!({ "type": "integer", "minimum": 0, "maximum": 255 }),
            "{name}"
        );
        assert!(
            published["required"]
                .as_array()
                .unwrap()
                .contains(&json!(name))
        );
    }
    for (index, name) in names.into_iter().enumerate() {
        assert_eq!(schema.property(name), Some(index), "{name}");
    }
    let members = names.map(|name| format!("\"{name}\":1")).join(",");
    assert_eq!(lines(&schema, &format!("{{{members}}}")), [""; 0]);
}

#[test]
fn references_to_any_local_place_are_inlined() {
    by_hand!(Headers, {
        "type": "object",
        "properties": {
            "headers": { "type": "array", "items": { "type": "string" } },
            "more": { "type": "array", "items": { "$ref": "#/properties/headers", "description": "Again." } }
        }
    });
    assert_eq!(
        property::<Headers>()["properties"]["more"]["items"],
        json!({ "type": "array", "description": "Again.", "items": { "type": "string" } })
    );
}

#[test]
fn circular_references_outside_of_definitions_become_definitions() {
    by_hand!(Nodes, {
        "type": "object",
        "properties": {
            "nodes": { "type": "array", "items": { "type": "object", "properties": {
                "children": { "type": "array", "items": { "$ref": "#/properties/nodes/items" } }
            } } }
        }
    });
    let schema = derive(&[parameter::<Nodes>("n")]);
    let published: Value = serde_json::from_str(schema.json()).unwrap();
    assert_eq!(
        published["$defs"]["items"]["properties"]["children"]["items"],
        json!({ "$ref": "#/$defs/items" })
    );
    let deep = format!("{}{}", r#"{"children":["#.repeat(50), "]}".repeat(50));
    assert_eq!(
        lines(&schema, &format!("{{\"n\":{{\"nodes\":[{deep}]}}}}")),
        [""; 0]
    );
    assert_eq!(
        lines(&schema, r#"{"n":{"nodes":[{"children":[5]}]}}"#),
        [
            "`n.nodes[0].children[0]`: expected an object, found 5; `n.nodes[0].children` may be left out"
        ]
    );
}

#[test]
fn references_that_leave_the_schema_or_lead_nowhere_are_problems() {
    by_hand!(Remote, { "$ref": "http://10.0.0.1/s.json" });
    by_hand!(Nowhere, { "$ref": "#/$defs/Missing" });
    assert_eq!(
        problems(&[parameter::<Remote>("a")]),
        [
            "`$ref` to `http://10.0.0.1/s.json` leaves the schema: references are never fetched, so copy what it points to into `$defs`"
        ]
    );
    assert_eq!(
        problems(&[parameter::<Nowhere>("a")]),
        ["`$ref` to `#/$defs/Missing` points to nothing in the schema"]
    );
}

#[test]
fn a_definition_that_is_only_itself_is_a_problem() {
    by_hand!(Own, { "anyOf": [{ "$ref": "#" }, { "type": "null" }] });
    assert_eq!(
        problems(&[parameter::<Own>("a")]),
        ["the definition `Own` refers to itself and to nothing else"]
    );
}

#[test]
fn very_deep_schemas_are_refused_not_followed() {
    struct Deep;
    impl JsonSchema for Deep {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Deep".into()
        }
        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            let mut schema = json!({ "type": "string" });
            for _ in 0..200 {
                schema = json!({ "type": "array", "items": schema });
            }
            schema.try_into().unwrap()
        }
    }
    assert_eq!(
        problems(&[parameter::<Deep>("a")]),
        ["the schema is nested deeper than 64 levels"]
    );
}

#[test]
fn doubling_types_stay_references_instead_of_exploding() {
    struct Doubling<const N: usize>;
    macro_rules! doubling {
        ($($level:literal $below:literal),*) => { $(
            impl JsonSchema for Doubling<$level> {
                fn schema_name() -> std::borrow::Cow<'static, str> {
                    concat!("Level", $level).into()
                }
                fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                    let below = generator.subschema_for::<Doubling<$below>>();
                    json_schema!({ "type": "object", "properties": { "a": below, "b": below } })
                }
            }
        )* };
    }
    impl JsonSchema for Doubling<0> {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Level0".into()
        }
        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({ "type": "string" })
        }
    }
    doubling!(1 0, 2 1, 3 2, 4 3, 5 4, 6 5, 7 6, 8 7, 9 8, 10 9, 11 10, 12 11, 13 12, 14 13, 15 14, 16 15);
    let schema = derive(&[parameter::<Doubling<16>>("n")]);
    assert!(
        schema.json().len() < 10_000,
        "{} bytes",
        schema.json().len()
    );
    assert_eq!(
        lines(&schema, r#"{"n":{"a":{"b":5}}}"#),
        ["`n.a.b`: expected an object, found 5; `n.a.b` may be left out"]
    );
}

#[test]
fn constant_alternatives_become_one_enumeration() {
    by_hand!(Constants, { "anyOf": [{ "const": "markdown", "description": "Text." }, { "const": "json" }] });
    by_hand!(Numbers, { "oneOf": [{ "const": 1 }, { "const": 2, "description": "Two." }] });
    assert_eq!(
        property::<Constants>(),
        json!({ "type": "string", "description": "- `markdown`: Text.", "enum": ["markdown", "json"] })
    );
    assert_eq!(
        property::<Numbers>(),
        json!({ "type": "integer", "description": "- `2`: Two.\nOne of: 1, 2", "minimum": 1, "maximum": 2 })
    );
    let schema = derive(&[parameter::<Numbers>("n")]);
    assert_eq!(lines(&schema, r#"{"n":2.0}"#), [""; 0]);
    assert_eq!(schema.canonical(0, "2.0").as_deref(), Some("2"));
}

#[test]
fn a_parameters_description_keeps_the_texts_of_the_variants() {
    let schema = Property {
        description: "How to answer.",
        ..plain("n", specimen::documented)
    };
    let published: Value = serde_json::from_str(derive(&[schema]).json()).unwrap();
    assert_eq!(
        published["properties"]["n"]["description"],
        "How to answer.\n- `markdown`: Text with marks.\n- `json`: Data."
    );
}

#[test]
fn optional_enumerations_are_plain() {
    let schema: Value = serde_json::from_str(
        derive(&[Property {
            optional: true,
            ..plain("n", specimen::optional_documented)
        }])
        .json(),
    )
    .unwrap();
    assert_eq!(schema["properties"]["n"]["type"], "string");
    assert_eq!(
        schema["properties"]["n"]["enum"],
        json!(["text", "markdown", "json"])
    );
    assert_eq!(schema.get("required"), None);
}

#[test]
fn nullable_items_are_a_union_that_is_told_as_unportable() {
    let schema = derive(&[
        parameter::<Vec<Vec<Option<i64>>>>("cells"),
        optional::<i64>("plain"),
    ]);
    let published: Value = serde_json::from_str(schema.json()).unwrap();
    assert_eq!(
        published["properties"]["cells"]["items"]["items"]["anyOf"][1],
        json!({ "type": "null" })
    );
    assert_eq!(lines(&schema, r#"{"cells":[[1,null],[]]}"#), [""; 0]);
    let told = schema.unportable();
    assert_eq!(told.len(), 1);
    assert!(
        told[0].starts_with("`cells[][]` may be null beside another type"),
        "{}",
        told[0]
    );
}

#[test]
fn defaults_and_examples_are_shown_and_have_to_fit() {
    const RANGE: Constraints = Constraints {
        minimum: Some(Bound::Int(1)),
        maximum: Some(Bound::Int(100)),
        ..Constraints::NONE
    };
    let limit = |default: i64, example: Value| Property {
        default: Some(json!(default)),
        examples: vec![example],
        constraints: &RANGE,
        ..parameter::<u32>("limit")
    };
    assert_eq!(
        derive(&[limit(10, json!(20))]).json(),
        concat!(
            r#"{"type":"object","properties":{"limit":{"type":"integer","description":"Example: 20","minimum":1,"maximum":100,"default":10}},"#,
            r#""additionalProperties":false}"#
        )
    );
    assert_eq!(
        problems(&[limit(0, json!("a"))]),
        [
            "argument `limit`: `default`: expected an integer from 1 to 100, found 0",
            "argument `limit`: `example`: expected an integer, found the string \"a\""
        ]
    );
}

#[test]
fn defaults_do_not_show_the_null_of_absence() {
    #[derive(JsonSchema, serde::Serialize, Default)]
    struct Inner {
        note: Option<String>,
        count: u8,
    }
    #[derive(JsonSchema, serde::Serialize, Default)]
    struct Outer {
        #[schemars(default)]
        inner: Inner,
        list: Option<Vec<Inner>>,
    }
    let outer = Property {
        default: Some(serde_json::to_value(Outer::default()).unwrap()),
        ..parameter::<Outer>("n")
    };
    let published: Value = serde_json::from_str(derive(&[outer]).json()).unwrap();
    assert_eq!(
        published["properties"]["n"]["default"],
        json!({ "inner": { "count": 0 } })
    );
    assert_eq!(
        published["properties"]["n"]["properties"]["inner"]["default"],
        json!({ "count": 0 })
    );
}

#[test]
fn constraints_that_do_not_apply_are_problems_all_told_together() {
    const RANGE: Constraints = Constraints {
        minimum: Some(Bound::Int(1)),
        ..Constraints::NONE
    };
    const LENGTH: Constraints = Constraints {
        min_length: Some(1),
        ..Constraints::NONE
    };
    const PATTERN: Constraints = Constraints {
        pattern: Some("("),
        ..Constraints::NONE
    };
    let found = problems(&[
        Property {
            constraints: &RANGE,
            ..parameter::<String>("a")
        },
        Property {
            constraints: &LENGTH,
            ..parameter::<i64>("b")
        },
        Property {
            constraints: &PATTERN,
            ..parameter::<String>("c")
        },
        Property {
            header: Some("Cells"),
            ..parameter::<Vec<i64>>("d")
        },
        Property {
            header: Some("Ratio"),
            ..parameter::<f64>("e")
        },
    ]);
    assert_eq!(
        found[0],
        "argument `a`: `range` constrains numbers, but this parameter takes a string"
    );
    assert_eq!(
        found[1],
        "argument `b`: `length` constrains strings, arrays and maps, but this parameter takes an integer"
    );
    assert!(
        found[2].starts_with("argument `c`: the pattern `(` cannot be used"),
        "{}",
        found[2]
    );
    assert_eq!(
        found[3],
        "argument `d`: the header `Cells` can mirror a string, an integer or a boolean, but not an array"
    );
    assert_eq!(
        found[4],
        "argument `e`: the header `Ratio` can mirror a string, an integer or a boolean, but not a number"
    );
    assert_eq!(found.len(), 5);
}

#[test]
fn integers_with_a_header_stay_exact_in_every_reader() {
    let schema = derive(&[Property {
        header: Some("Tenant"),
        ..parameter::<i64>("tenant")
    }]);
    let tenant = |text: &str| schema.faults(&format!(r#"{{"tenant":{text}}}"#)).is_empty();
    assert!(tenant("9007199254740991") && tenant("-9007199254740991"));
    assert!(!tenant("9007199254740992") && !tenant("-9007199254740992"));
}

#[test]
fn headers_are_shown_on_primitives() {
    let schema = derive(&[Property {
        header: Some("Region"),
        ..optional::<String>("region")
    }]);
    assert_eq!(
        schema.json(),
        r#"{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}},"additionalProperties":false}"#
    );
}

#[test]
fn integer_ranges_are_inclusive_and_within_the_width() {
    const WIDE: Constraints = Constraints {
        minimum: Some(Bound::Int(-5)),
        maximum: Some(Bound::Int(300)),
        exclusive_maximum: true,
        ..Constraints::NONE
    };
    let bounds = |property: Property<'static>| {
        let schema: Value = serde_json::from_str(
            derive(&[Property {
                constraints: &WIDE,
                ..property
            }])
            .json(),
        )
        .unwrap();
        schema["properties"]["n"].clone()
    };
    assert_eq!(
        bounds(parameter::<u8>("n")),
        json!({ "type": "integer", "minimum": 0, "maximum": 255 })
    );
    assert_eq!(
        bounds(parameter::<i64>("n")),
        json!({ "type": "integer", "minimum": -5, "maximum": 299 })
    );
    assert_eq!(
        bounds(parameter::<f64>("n")),
        json!({ "type": "number", "description": "Less than 300.", "minimum": -5, "maximum": 300 })
    );
}

#[test]
fn a_result_that_cannot_be_json_names_the_path() {
    #[derive(JsonSchema, serde::Serialize)]
    struct Reading {
        values: Vec<f64>,
    }
    let schema = OutputSchema::derive(|generator| generator.subschema_for::<Reading>()).unwrap();
    let text = serde_json::to_string(&Reading {
        values: vec![1.0, f64::NAN],
    })
    .unwrap();
    assert!(!schema.accepts(&text));
    let faults: Vec<String> = schema
        .faults(&text)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        faults,
        ["`values[1]`: expected a number, found null (NaN and the infinities are not JSON)"]
    );
}
