//! The schema of a tool's result.

use std::sync::OnceLock;

use super::SchemaFn;
use super::SchemaProblems;
use super::fault::{Fault, Path};
use super::generate::{self, Contract};
use super::large;
use super::safe_number;
use super::validator::Validator;

/// What a tool's result looks like, told as serialisation produces it.
#[derive(Debug)]
pub(crate) struct OutputSchema {
    json: String,
    compiled: Validator,
    /// Made on first use.
    wrapped: OnceLock<Option<String>>,
}

impl OutputSchema {
    /// The schema of a type's serialised form.
    pub(crate) fn derive(schema: SchemaFn) -> Result<Self, SchemaProblems> {
        let (mut nodes, definitions, problems) = generate::nodes(&[schema], Contract::Serialize);
        let root = match nodes.pop() {
            Some(root) if problems.is_empty() => root,
            _ => return Err(SchemaProblems::new(problems)),
        };
        let compiled = Validator::new(root, definitions, false).map_err(SchemaProblems::one)?;
        Ok(Self {
            json: safe_number::result(&compiled.root, &compiled.definitions),
            compiled,
            wrapped: OnceLock::new(),
        })
    }

    /// The schema as compact JSON.
    pub(crate) fn json(&self) -> &str {
        &self.json
    }

    /// The schema of an object whose member `result` is the result; `None` if each result is an object itself.
    pub(crate) fn wrapped(&self) -> Option<&str> {
        let make = || safe_number::wrapped_result(&self.compiled.root, &self.compiled.definitions);
        self.wrapped.get_or_init(make).as_deref()
    }

    /// The integers in a result that may be larger than what a 64-bit float tells apart.
    pub(crate) fn large_integers(&self) -> Vec<String> {
        large::places(&self.compiled)
    }

    /// The whole schema that is enforced.
    #[cfg(test)]
    pub(crate) fn enforced(&self) -> String {
        self.compiled.text()
    }

    /// Whether a serialised result satisfies the schema.
    pub(crate) fn accepts(&self, result: &str) -> bool {
        self.compiled.accepts(result)
    }

    /// All that is wrong with a serialised result; numbers that are not JSON have been serialised as `null`, which is told.
    pub(crate) fn faults(&self, result: &str) -> Vec<Fault> {
        self.compiled.faults(result, &Path::Result)
    }
}
