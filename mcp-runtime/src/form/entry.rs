//! A form as generated code describes it, and the answer that it reads.
//!
//! The description is a constant; the schema is made of it on first use.

use std::fmt;
use std::sync::OnceLock;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::FormFault;
use super::constant::Constant;
use super::field::FormField;
use crate::schema::{Constraints, FieldShape, FormMember, FormSchema, Format};

/// One field as generated code describes it.
#[derive(Debug, Clone, Copy)]
#[allow(
    clippy::exhaustive_structs,
    reason = "generated code builds it as a constant"
)]
pub struct FieldEntry {
    /// The name in JSON.
    pub name: &'static str,
    /// What people see.
    pub title: &'static str,
    /// What people read beside it; empty if there is nothing to say.
    pub description: &'static str,
    /// What it takes.
    pub kind: FieldKind,
    /// The bounds.
    pub constraints: Constraints,
    /// The format of a string.
    pub format: Option<Format>,
    /// Makes the value that a form shows at first.
    pub default: Option<fn() -> Value>,
}

impl FieldEntry {
    /// A field without bounds and without a default.
    #[must_use]
    pub const fn new(
        name: &'static str,
        title: &'static str,
        description: &'static str,
        kind: FieldKind,
    ) -> Self {
        Self {
            name,
            title,
            description,
            kind,
            constraints: Constraints::NONE,
            format: None,
            default: None,
        }
    }
}

/// What a field takes, and whether it may be left out.
#[derive(Debug, Clone, Copy)]
#[allow(
    clippy::exhaustive_structs,
    reason = "generated code holds it as a constant"
)]
pub struct FieldKind {
    /// What it takes.
    pub shape: FieldShape,
    /// Whether its type is an `Option`.
    pub is_optional: bool,
}

/// A form as generated code describes it.
pub struct Form {
    fields: &'static [FieldEntry],
    schema: OnceLock<FormSchema>,
}

impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Form").field(&self.fields).finish()
    }
}

impl Form {
    /// The form of some fields.
    #[must_use]
    pub const fn new(fields: &'static [FieldEntry]) -> Self {
        Self {
            fields,
            schema: OnceLock::new(),
        }
    }

    /// The `requestedSchema`.
    pub fn requested_schema(&self) -> &str {
        self.schema().json()
    }

    /// The values of an answer that the schema accepts.
    ///
    /// # Errors
    ///
    /// All that is wrong with it.
    pub fn read(&self, content: &RawValue) -> Result<Answer, Vec<FormFault>> {
        let schema = self.schema();
        let faults = schema.faults(content.get());
        if !faults.is_empty() {
            return Err(faults.iter().map(FormFault::of).collect());
        }
        let canonical = schema.canonical(content.get());
        let text = canonical.as_deref().unwrap_or(content.get());
        let mut members: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| vec![FormFault::new(error.to_string())])?;
        Ok(Answer {
            fields: self.fields,
            values: self
                .fields
                .iter()
                .map(|field| members.remove(field.name))
                .collect(),
        })
    }

    fn schema(&self) -> &FormSchema {
        self.schema.get_or_init(|| {
            let members: Vec<FormMember<'_>> = self.fields.iter().map(member).collect();
            FormSchema::new(&members)
        })
    }
}

fn member(field: &FieldEntry) -> FormMember<'_> {
    FormMember {
        name: field.name,
        title: field.title,
        description: field.description,
        shape: field.kind.shape,
        constraints: &field.constraints,
        format: field.format,
        default: field.default.map(|make| make()),
        is_required: !field.kind.is_optional && field.default.is_none(),
    }
}

/// The values of an answer, by the position of their fields.
#[derive(Debug)]
pub struct Answer {
    fields: &'static [FieldEntry],
    values: Vec<Option<Value>>,
}

impl Answer {
    /// Takes the value of the field at `index`.
    ///
    /// # Errors
    ///
    /// The type refuses what the schema has accepted, which no type of ours does.
    pub fn take<T: FormField>(&mut self, index: usize) -> Result<T, Vec<FormFault>> {
        self.value(index, T::absent)
    }

    /// The same for a field with a default.
    ///
    /// # Errors
    ///
    /// As [`Answer::take`].
    pub fn take_or<T: FormField, D: Constant<T::Given>>(
        &mut self,
        index: usize,
    ) -> Result<T, Vec<FormFault>> {
        self.value(index, || Some(T::from_given(D::VALUE)))
    }

    fn value<T: FormField>(
        &mut self,
        index: usize,
        absent: impl FnOnce() -> Option<T>,
    ) -> Result<T, Vec<FormFault>> {
        match self.values.get_mut(index).and_then(Option::take) {
            Some(value) => T::from_json(value),
            None => absent(),
        }
        .ok_or_else(|| {
            let name = self.fields.get(index).map_or("", |field| field.name);
            vec![FormFault(format!(
                "`{name}`: the type of the field refuses the value"
            ))]
        })
    }
}
