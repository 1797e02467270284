//! Forms: the types that a person is asked to fill in (the specification's page client/elicitation, form mode).
//!
//! This module knows what a form looks like and what answers it takes. It does not ask: it has never heard of requests, rounds or
//! capabilities.

#[doc(hidden)]
pub mod constant;
#[doc(hidden)]
pub mod entry;
#[doc(hidden)]
pub mod field;

use std::fmt;

#[cfg(feature = "macros")]
pub use mcp_macros::ElicitForm;
use serde_json::value::RawValue;

use crate::schema::Fault;

/// A form that a person fills in: a flat struct of strings, numbers, booleans, enums and lists of enums.
///
/// `#[derive(ElicitForm)]` implements it, and refuses at compile time what the protocol's forms cannot have. The schema and the
/// decoder come from one description, so what one allows the other takes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no form",
    label = "a form is a struct with named fields and `#[derive(ElicitForm)]`"
)]
pub trait ElicitForm: Sized {
    /// The `requestedSchema` of the question: a JSON object as compact text, the same on every call. One that is no form, or none
    /// that can be filled in, fails where it is asked (−32603).
    fn requested_schema() -> &'static str;

    /// The value of an accepted answer, whose member `content` is given.
    ///
    /// # Errors
    ///
    /// All that is wrong with the answer, one fault for each mistake: it is no object, a required member is missing, a value is
    /// of another type or breaks its bounds or its format, or a member stands twice. Members that the form does not have are
    /// ignored, since the schema does not forbid them.
    fn from_content(content: &RawValue) -> Result<Self, Vec<FormFault>>;
}

/// One mistake of an answer; its `Display` is a sentence such as ``` `age`: expected an integer from 18 to 130, found 7 ```.
///
/// It tells what was found, so it belongs to those who may see the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormFault(String);

impl FormFault {
    /// A fault in the words of an implementation that was not derived.
    #[must_use]
    pub fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    fn of(fault: &Fault) -> Self {
        Self(fault.to_string())
    }
}

impl fmt::Display for FormFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for FormFault {}
