//! The published text of the schema of every specimen.

use super::super::OutputSchema;
use super::super::portability::KEYWORDS;
use super::super::safe_number::unsafe_number;
use super::specimen::{Specimen, all};
use super::{derive, plain};
use serde_json::Value;
use std::path::Path;

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

/// What cannot be said in a portable way, by the words that `doctor` has for it.
const UNPORTABLE: [(&str, &str); 16] = [
    ("nullable_cells", "`value[][]` may be null"),
    ("tuple_mixed", "`value` is a tuple"),
    ("tuple_nullable", "`value` is a tuple"),
    ("tuple_nullable", "`value[]` may be null"),
    ("map_nullable", "`value.*` may be null"),
    ("map_character_keys", "`value.*[]` is a tuple"),
    ("map_character_keys", "`value.*[][]` may be null"),
    ("option", "`value` may be null"),
    ("option_twice", "`value` may be null"),
    ("option_record", "`value` may be null"),
    ("enum_loose", "`value` may be null"),
    ("record_tuple", "`value` is a tuple"),
    ("enum_external", "`value.Two` is a tuple"),
    ("recursive_record", "`Tree` refers to itself"),
    ("recursive_enum", "`Expression` refers to itself"),
    (
        "named_like_keywords",
        "`value.$ref` is a name that providers refuse",
    ),
];

#[test]
fn every_input_is_portable() {
    let mut told = Vec::new();
    for specimen in all() {
        let input = derive(&[argument(&specimen)]);
        let schema: Value = serde_json::from_str(input.json()).unwrap();
        assert_eq!(schema["type"], "object", "{}", specimen.name);
        assert_eq!(schema["additionalProperties"], false, "{}", specimen.name);
        closed(&schema, specimen.name);
        told.extend(
            input
                .unportable()
                .into_iter()
                .map(|sentence| format!("{}: {sentence}", specimen.name)),
        );
    }
    let allowed = |sentence: &&String| {
        !UNPORTABLE.iter().any(|(name, words)| {
            sentence.starts_with(&format!("{name}: ")) && sentence.contains(words)
        })
    };
    let others: Vec<_> = told.iter().filter(allowed).collect();
    assert!(others.is_empty(), "{others:#?}");
}

#[test]
fn no_schema_has_a_number_that_hosts_round() {
    for specimen in all() {
        for json in [
            derive(&[argument(&specimen)]).json(),
            OutputSchema::derive(specimen.schema).unwrap().json(),
        ] {
            let schema: Value = serde_json::from_str(json).unwrap();
            assert_eq!(unsafe_number(&schema), None, "{}: {json}", specimen.name);
        }
    }
}

#[test]
fn the_documentation_lists_every_portable_keyword() {
    let documentation = include_str!("../mod.rs");
    let table: String = documentation
        .lines()
        .skip_while(|line| !line.starts_with("//! | for | keywords |"))
        .take_while(|line| line.starts_with("//! |"))
        .collect();
    let listed: Vec<&str> = table.split('`').skip(1).step_by(2).collect();
    for keyword in KEYWORDS {
        assert!(listed.contains(&keyword), "{keyword}");
    }
    assert_eq!(
        listed.len(),
        KEYWORDS.len() + 1,
        "`$defs` and nothing else: {listed:?}"
    );
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

/// Asserts that every record refuses other members, or says what they are.
fn closed(schema: &Value, name: &str) {
    match schema {
        Value::Object(members) => {
            if members.get("type") == Some(&Value::from("object"))
                && members.contains_key("properties")
            {
                assert!(
                    members.contains_key("additionalProperties"),
                    "{name}: {schema} is open"
                );
            }
            members.values().for_each(|inner| closed(inner, name));
        }
        Value::Array(items) => items.iter().for_each(|inner| closed(inner, name)),
        _ => {}
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
