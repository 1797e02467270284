//! JSON Schema of arguments and results: generated from Rust types, published in a portable form, and enforced.
//!
//! A type is described by schemars, brought into one internal form ([`node::Node`]), and both the published text and the check of
//! every value come from that form. This module has never heard of MCP's messages, and it fetches nothing.
mod canonical;
mod check;
mod compiled;
mod constrain;
mod cursor;
mod explain;
mod fault;
mod generate;
mod given;
mod identity;
mod input;
mod locate;
mod merge;
mod nearest;
mod node;
mod number;
mod output;
mod portability;
mod portable;
mod read;
mod reference;
mod repair;
mod simplify;
mod write;

pub use constrain::{Bound, Constraints};
pub use fault::Fault;
pub(crate) use given::Checking;
pub(crate) use input::{InputSchema, Property};
pub(crate) use nearest::nearest;
pub(crate) use output::OutputSchema;
pub(crate) use repair::Repaired;

use std::fmt;

/// The schema of a Rust type, as in `|generator| generator.subschema_for::<T>()`.
///
/// Not public API. Used by generated code.
pub type SchemaFn = fn(&mut schemars::SchemaGenerator) -> schemars::Schema;

/// All that makes a schema unusable, one sentence each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SchemaProblems(Vec<String>);

impl SchemaProblems {
    fn new(sentences: Vec<String>) -> Self {
        Self(sentences)
    }

    fn one(sentence: impl Into<String>) -> Self {
        Self(vec![sentence.into()])
    }

    /// The sentences.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl fmt::Display for SchemaProblems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.join("; "))
    }
}

impl std::error::Error for SchemaProblems {}

#[cfg(test)]
mod tests;
