//! The checker against the crate `jsonschema`, and against serde: what the schema accepts is decoded.
//!
//! What is enforced is compared exactly; what is published may accept more, and never less.

use super::super::{InputSchema, OutputSchema};
use super::derive;
use super::golden::argument;
use super::specimen::{Specimen, all};
use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::OnceLock;

struct Subject {
    specimen: Specimen,
    input: InputSchema,
    input_enforced: Validator,
    input_published: Validator,
    output: OutputSchema,
    output_enforced: Validator,
    output_published: Validator,
}

fn subjects() -> &'static [Subject] {
    static SUBJECTS: OnceLock<Vec<Subject>> = OnceLock::new();
    SUBJECTS.get_or_init(|| {
        all()
            .into_iter()
            .map(|specimen| {
                let input = derive(&[argument(&specimen)]);
                let output = OutputSchema::derive(specimen.schema).unwrap();
                // Formats are enforced in what clients send.
                let oracle = |json: &str, formats| {
                    jsonschema::options()
                        .should_validate_formats(formats)
                        .build(&serde_json::from_str(json).unwrap())
                        .unwrap()
                };
                Subject {
                    specimen,
                    input_enforced: oracle(&input.enforced(), true),
                    input_published: oracle(input.json(), true),
                    input,
                    output_enforced: oracle(&output.enforced(), false),
                    output_published: oracle(output.json(), false),
                    output,
                }
            })
            .collect()
    })
}

#[test]
fn values_of_a_type_satisfy_its_schemas_and_come_back() {
    for subject in subjects() {
        let name = subject.specimen.name;
        for sample in &subject.specimen.samples {
            assert_eq!(subject.output.faults(sample), [], "{name}: {sample}");
            assert!(subject.output.accepts(sample), "{name}: {sample}");
            let arguments = format!("{{\"value\":{sample}}}");
            assert_eq!(
                super::lines(&subject.input, &arguments),
                [""; 0],
                "{name}: {sample}"
            );
            let canonical = subject
                .input
                .canonical(0, sample)
                .unwrap_or_else(|| sample.clone());
            let decoded = (subject.specimen.decode)(&canonical).unwrap();
            let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            assert_eq!(value(&decoded), value(sample), "{name}");
        }
    }
}

/// Values that are put in the place of others.
fn pool() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(5),
        json!(300),
        json!(5.0),
        json!(0.5),
        json!(1e30),
        json!(9_223_372_036_854_775_807_i64),
        json!(9_223_372_036_854_775_808_u64),
        json!(18_446_744_073_709_551_615_u64),
        json!(1.844_674_407_370_955_2e19),
        json!(""),
        json!("a"),
        json!("json"),
        json!("ßé💡"),
        json!("circle"),
        json!([]),
        json!([1]),
        json!([1, 1]),
        json!([null, "a"]),
        json!({}),
        json!({ "a": 1 }),
        json!({ "kind": "square", "side": 2, "label": null }),
        json!({ "x": 1, "y": 2 }),
        json!({ "Number": 5 }),
    ]
}

const NAMES: [&str; 12] = [
    "a",
    "b",
    "x",
    "1",
    "-1",
    "01",
    "kind",
    "Number",
    "label",
    "note",
    "value",
    "fi\u{0}eld",
];

/// One change at the place that `steps` lead to.
fn mutate(value: &mut Value, steps: &[usize], change: usize, choice: usize) {
    match (steps.split_first(), value) {
        (Some((step, rest)), Value::Array(items)) if !items.is_empty() => {
            let index = step % items.len();
            mutate(&mut items[index], rest, change, choice);
        }
        (Some((step, rest)), Value::Object(members)) if !members.is_empty() => {
            let index = step % members.len();
            if let Some(member) = members.values_mut().nth(index) {
                mutate(member, rest, change, choice);
            }
        }
        (_, value) => {
            let pool = pool();
            let other = pool[choice % pool.len()].clone();
            match (change % 4, value) {
                (0, Value::Object(members)) => {
                    let name = members.keys().nth(choice % members.len().max(1)).cloned();
                    name.map(|name| members.remove(&name));
                }
                (1, Value::Object(members)) => {
                    members.insert(NAMES[choice % NAMES.len()].to_owned(), other);
                }
                (2, Value::Array(items)) => items.push(other),
                (3, Value::Array(items)) => {
                    items.pop();
                }
                (_, value) => *value = other,
            }
        }
    }
}

/// Types whose decoder refuses what no schema of theirs can tell.
fn is_beyond_schema(name: &str) -> bool {
    // schemars tells the keys of neither documented enums nor characters; the parts of a duration may overflow together.
    matches!(name, "map_enum_keys" | "map_character_keys" | "duration")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_checker_agrees_with_the_oracle_and_with_serde(
        subject in any::<prop::sample::Index>(),
        sample in any::<prop::sample::Index>(),
        mutations in prop::collection::vec((prop::collection::vec(0_usize..8, 0..5), 0_usize..4, 0_usize..1_000), 0..4),
    ) {
        let subject = subject.get(subjects());
        let name = subject.specimen.name;
        let mut value: Value = serde_json::from_str(sample.get::<String>(&subject.specimen.samples)).unwrap();
        for (steps, change, choice) in &mutations {
            mutate(&mut value, steps, *change, *choice);
        }
        let text = value.to_string();

        let accepted = subject.output.accepts(&text);
        prop_assert_eq!(accepted, subject.output_enforced.is_valid(&value), "output {}: {}", name, &text);
        prop_assert!(!accepted || subject.output_published.is_valid(&value), "output {}: {}", name, &text);
        prop_assert_eq!(accepted, subject.output.faults(&text).is_empty(), "output {}: {}", name, &text);

        let arguments = format!("{{\"value\":{text}}}");
        let accepted = subject.input.accepts_all(&arguments);
        let faults = super::lines(&subject.input, &arguments);
        prop_assert_eq!(accepted, faults.is_empty(), "{}: {} {:?}", name, &text, &faults);
        let raw: Box<serde_json::value::RawValue> = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(accepted, subject.input.accepts(0, &raw), "{}: {}", name, &text);
        if accepted {
            // `null` for an optional member is accepted here and not by the schema; without it, both agree.
            let canonical = subject.input.canonical(0, &text).unwrap_or_else(|| text.clone());
            let plain: Value = serde_json::from_str(&canonical).unwrap();
            let plain = json!({ "value": plain });
            prop_assert!(subject.input_enforced.is_valid(&plain), "{}: {}", name, &text);
            prop_assert!(subject.input_published.is_valid(&plain), "{}: {}", name, &text);
            if !is_beyond_schema(name) {
                let decoded = (subject.specimen.decode)(&canonical);
                prop_assert!(decoded.is_ok(), "{}: {} {:?}", name, &canonical, decoded);
            }
        } else {
            prop_assert!(!subject.input_enforced.is_valid(&json!({ "value": value })), "{}: {} {:?}", name, &text, &faults);
        }
    }

    #[test]
    fn any_text_is_survived(text in "[\\[\\]{}\",:0-9a-ntruefls \\\\.eE+-]{0,40}") {
        for subject in subjects() {
            let _: bool = subject.output.accepts(&text);
            let faults = subject.input.faults(&text);
            prop_assert_eq!(faults.is_empty(), subject.input.accepts_all(&text));
            subject.input.canonical_all(&text);
            subject.input.repair(&text);
        }
    }
}
