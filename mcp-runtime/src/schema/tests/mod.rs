//! Tests of whole schemas: golden texts, the oracle, and the cases that broke other servers.

mod arguments;
mod user_schema;
// With the feature, schemas are published exactly as given.
mod coerce;
mod golden;
mod oracle;
mod published;
mod shapes;
mod specimen;
#[cfg(not(feature = "full-schema"))]
mod user_schema_oracle;

use super::{Constraints, InputSchema, Property, SchemaFn};
use schemars::JsonSchema;

/// A parameter without any attribute.
pub(super) fn parameter<T: JsonSchema>(name: &'static str) -> Property<'static> {
    plain(name, |generator| generator.subschema_for::<T>())
}

/// A parameter of type `Option<T>`.
fn optional<T: JsonSchema>(name: &'static str) -> Property<'static> {
    Property {
        optional: true,
        ..parameter::<Option<T>>(name)
    }
}

fn plain(name: &'static str, schema: SchemaFn) -> Property<'static> {
    Property {
        name,
        description: "",
        schema,
        optional: false,
        default: None,
        constraints: &Constraints::NONE,
        examples: Vec::new(),
        header: None,
    }
}

pub(super) fn derive(properties: &[Property<'_>]) -> InputSchema {
    InputSchema::derive(properties).unwrap()
}

fn problems(properties: &[Property<'_>]) -> Vec<String> {
    InputSchema::derive(properties)
        .unwrap_err()
        .iter()
        .map(str::to_owned)
        .collect()
}

/// The lines about some arguments, in order.
fn lines(schema: &InputSchema, arguments: &str) -> Vec<String> {
    schema
        .faults(arguments)
        .iter()
        .map(ToString::to_string)
        .collect()
}
