//! Types of a few texts, such as enums, which complete by themselves: their schemas list the values.

use std::str::FromStr;

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;

use super::autoref::Probe;

/// First rung: a type that is parsed, and whose schema tells what it may be.
pub trait ChoicesOfType {
    /// The values, if there are few.
    fn choices(&self) -> Vec<String>;
}

impl<T: JsonSchema + FromStr> ChoicesOfType for &&Probe<T> {
    fn choices(&self) -> Vec<String> {
        listed::<T>()
    }
}

/// Second rung: an `Option` of one.
pub trait ChoicesOfOption {
    /// The values, if there are few.
    fn choices(&self) -> Vec<String>;
}

impl<T: JsonSchema + FromStr> ChoicesOfOption for &Probe<Option<T>> {
    fn choices(&self) -> Vec<String> {
        listed::<T>()
    }
}

/// Last rung: nothing is known of the type.
pub trait ChoicesUnknown {
    /// No values.
    fn choices(&self) -> Vec<String>;
}

impl<T> ChoicesUnknown for Probe<T> {
    fn choices(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The values of a type that is one of a few texts. Only those that the type itself parses are offered.
fn listed<T: JsonSchema + FromStr>() -> Vec<String> {
    let schema = SchemaGenerator::default().into_root_schema_for::<T>();
    let mut values = Vec::new();
    collect(schema.as_value(), &mut values);
    values.retain(|value| T::from_str(value).is_ok());
    // The schema's order is that of documented variants and others.
    values.sort();
    values
}

fn collect(schema: &Value, values: &mut Vec<String>) {
    if let Some(text) = schema["const"].as_str() {
        values.push(text.to_owned());
    }
    for member in ["enum", "oneOf", "anyOf"] {
        for part in schema[member].as_array().into_iter().flatten() {
            match part {
                Value::String(text) => values.push(text.clone()),
                other => collect(other, values),
            }
        }
    }
}
