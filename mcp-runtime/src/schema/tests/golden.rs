//! The published text of the schema of every specimen.

use super::super::OutputSchema;
use super::specimen::{Specimen, all};
use super::{derive, plain};
use serde_json::Value;
use std::path::Path;

/// Keywords that the schema of arguments may have, as the module documentation lists them.
const PORTABLE: [&str; 29] = [
    "type",
    "title",
    "description",
    "enum",
    "properties",
    "required",
    "additionalProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "prefixItems",
    "items",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "anyOf",
    "default",
    "examples",
    "deprecated",
    "x-mcp-header",
];

#[test]
fn golden_schemas() {
    let specimens = all();
    assert!(
        specimens.len() >= 45,
        "{} types are not enough",
        specimens.len()
    );
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/schema");
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut differing = Vec::new();
    for specimen in &specimens {
        let text = format!(
            "{{\n\"input\": {},\n\"output\": {}\n}}\n",
            indented(derive(&[argument(specimen)]).json()),
            indented(OutputSchema::derive(specimen.schema).unwrap().json())
        );
        serde_json::from_str::<Value>(&text).unwrap();
        let file = directory.join(format!("{}.json", specimen.name));
        if update {
            std::fs::write(&file, &text).unwrap();
        } else if std::fs::read_to_string(&file).ok().as_deref() != Some(&text) {
            differing.push(format!("{}:\n{text}", file.display()));
        }
    }
    assert!(
        differing.is_empty(),
        "not as in the golden file (UPDATE_GOLDEN=1 rewrites it): {}",
        differing.join("\n")
    );
}

#[test]
fn every_golden_file_belongs_to_a_specimen() {
    let names: Vec<String> = all()
        .iter()
        .map(|specimen| format!("{}.json", specimen.name))
        .collect();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/schema");
    for entry in std::fs::read_dir(directory).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(names.contains(&name), "{name} is left over");
    }
}

#[test]
fn every_schema_is_valid_2020_12() {
    for specimen in all() {
        for json in [
            derive(&[argument(&specimen)]).json(),
            OutputSchema::derive(specimen.schema).unwrap().json(),
        ] {
            let schema: Value = serde_json::from_str(json).unwrap();
            assert!(
                jsonschema::draft202012::meta::is_valid(&schema),
                "{}: {json}",
                specimen.name
            );
        }
    }
}

#[test]
fn every_input_is_portable() {
    for specimen in all() {
        let schema: Value = serde_json::from_str(derive(&[argument(&specimen)]).json()).unwrap();
        assert_eq!(schema["type"], "object", "{}", specimen.name);
        assert_eq!(schema["additionalProperties"], false, "{}", specimen.name);
        portable(&schema, true, specimen.name);
    }
}

#[test]
fn no_output_has_a_numeric_format() {
    for specimen in all() {
        let json = OutputSchema::derive(specimen.schema).unwrap();
        for format in ["int", "uint", "float", "double"] {
            assert!(
                !json.json().contains(&format!("\"format\":\"{format}")),
                "{}: {}",
                specimen.name,
                json.json()
            );
        }
    }
}

pub(super) fn argument(specimen: &Specimen) -> super::Property<'static> {
    plain("value", specimen.schema)
}

/// Goes through a schema by position and asserts that each keyword is portable and has a portable form.
fn portable(schema: &Value, root: bool, name: &str) {
    let keywords = schema
        .as_object()
        .unwrap_or_else(|| panic!("{name}: {schema} is no object"));
    for (keyword, value) in keywords {
        let known = PORTABLE.contains(&keyword.as_str())
            || (keyword == "$ref"
                && value
                    .as_str()
                    .is_some_and(|target| target.starts_with("#/$defs/")))
            || (keyword == "$defs" && root);
        assert!(known, "{name}: `{keyword}` is not portable");
        match keyword.as_str() {
            "type" => assert!(value.is_string(), "{name}: {schema} has a list of types"),
            "properties" | "$defs" => value
                .as_object()
                .unwrap()
                .values()
                .for_each(|inner| portable(inner, false, name)),
            "items" => portable(value, false, name),
            "prefixItems" | "anyOf" => value
                .as_array()
                .unwrap()
                .iter()
                .for_each(|inner| portable(inner, false, name)),
            "additionalProperties" if *value != Value::Bool(false) => portable(value, false, name),
            "format" => assert_eq!(schema["type"], "string", "{name}: numeric format"),
            _ => {}
        }
    }
    if keywords.contains_key("properties") && !keywords.contains_key("$ref") {
        assert!(
            keywords.contains_key("additionalProperties"),
            "{name}: {schema} is open"
        );
    }
    if keywords.contains_key("properties")
        || keywords.contains_key("items")
        || keywords.contains_key("enum")
    {
        assert!(
            keywords.contains_key("type"),
            "{name}: {schema} has no type"
        );
    }
    if schema["type"] == "array" {
        assert!(
            keywords.contains_key("items"),
            "{name}: {schema} has no `items`"
        );
    }
}

/// Compact JSON with line breaks, its order unchanged.
fn indented(json: &str) -> String {
    let mut text = String::new();
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let mut characters = json.chars().peekable();
    while let Some(character) = characters.next() {
        if quoted {
            text.push(character);
            quoted = escaped || character != '"';
            escaped = !escaped && character == '\\';
            continue;
        }
        let line = |text: &mut String, depth: usize| {
            text.push('\n');
            text.extend(std::iter::repeat_n("  ", depth));
        };
        match character {
            '{' | '[' => {
                text.push(character);
                if characters
                    .next_if(|next| matches!(next, '}' | ']'))
                    .map(|close| text.push(close))
                    .is_none()
                {
                    depth += 1;
                    line(&mut text, depth);
                }
            }
            '}' | ']' => {
                depth -= 1;
                line(&mut text, depth);
                text.push(character);
            }
            ',' => {
                text.push(',');
                line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            other => {
                quoted = other == '"';
                text.push(other);
            }
        }
    }
    text
}
