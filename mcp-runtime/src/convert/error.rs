//! How a tool fails: the error type for authors, and the three kinds of failure behind it.

use std::fmt;

use serde_json::{Map, json};

use super::{InputRequired, ResourceError};
use crate::jsonrpc::ErrorObject;
use crate::protocol::{Capability, error as mcp};

/// A failure of a tool.
///
/// A tool may return any `Result<T, E>` whose `E` can be displayed; this type is for those who have none of their own.
/// `?` turns every [`std::error::Error`] into it; of a text, `map_err(ToolError::new)` makes one.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// /// Divide two integers.
/// #[mcp_tool]
/// fn divide(a: i64, b: i64) -> Result<i64, ToolError> {
///     a.checked_div(b).ok_or_else(|| ToolError::new("division by zero"))
/// }
///
/// assert!(divide(1, 0).is_err());
/// ```
#[derive(Debug, Clone)]
pub struct ToolError(pub(crate) Failure);

/// The ways in which a call does not come to its end.
#[derive(Debug, Clone)]
pub(crate) enum Failure {
    /// The arguments break the schema: a result with `isError` and one line for each fault.
    Arguments(String),
    /// The tool failed: a result with `isError`, which the model sees.
    Tool(String),
    /// The tool panicked: a result with `isError` that says no more than that.
    Panic,
    /// The schema of the tool cannot be used.
    Broken,
    /// The tool needs input of the client before it can go on.
    InputRequired(InputRequired),
    /// There is no such resource.
    NotFound,
    /// The request failed as a whole: a JSON-RPC error.
    Request(ErrorObject),
}

impl ToolError {
    /// A failure that the model is told of: its text is sent after `Error: `.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Failure::Tool(text.into()))
    }

    /// A failure of the whole request, answered as a JSON-RPC error instead of a result.
    ///
    /// Models do not see these; [`ToolError::new`] is right for nearly everything.
    ///
    /// Codes of your own lie outside of −32768 to −32000, where JSON-RPC and the protocol have theirs. A code that only the
    /// specification gives a meaning, −32099 to −32020 or the old −32002, is sent as −32603 in the strict profile, and the
    /// log says so.
    #[must_use]
    pub fn request(error: ErrorObject) -> Self {
        Self(Failure::Request(error))
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Failure::Tool(text) | Failure::Arguments(text) => f.write_str(text),
            Failure::Panic | Failure::Broken => f.write_str("the tool failed"),
            Failure::NotFound => f.write_str("there is no such resource"),
            Failure::InputRequired(_) => f.write_str("input of the client is required"),
            Failure::Request(error) => f.write_str(&error.message),
        }
    }
}

// It does not implement `std::error::Error` itself: that would collide with the conversion of all errors into it.
impl<E: std::error::Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}

/// The client has not declared what its request needs.
///
/// [`Context::require`](crate::Context::require) fails with it. `?` makes it an error of the whole request (−32021, over
/// HTTP with the status 400) whose `data` tells the client what to declare, in a tool as in a prompt or a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingCapability {
    /// Never empty.
    missing: Vec<Capability>,
}

impl MissingCapability {
    /// Says what is missing, unless nothing is.
    pub(crate) fn any(missing: Vec<Capability>) -> Result<(), Self> {
        if missing.is_empty() {
            Ok(())
        } else {
            Err(Self { missing })
        }
    }

    /// All capabilities that are missing, at least one.
    #[must_use]
    pub fn missing(&self) -> &[Capability] {
        &self.missing
    }

    /// The error of the request (basic, "Missing required client capability").
    pub(crate) fn to_error(&self) -> ErrorObject {
        let mut required = Map::new();
        for capability in &self.missing {
            capability.declare_in(&mut required);
        }
        let error = ErrorObject::new(mcp::MISSING_REQUIRED_CLIENT_CAPABILITY, self.to_string());
        error.with_data(json!({ "requiredCapabilities": required }))
    }
}

impl fmt::Display for MissingCapability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Missing required client capability: ")?;
        for (index, capability) in self.missing.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{capability}")?;
        }
        Ok(())
    }
}

impl From<MissingCapability> for ToolError {
    fn from(missing: MissingCapability) -> Self {
        Self(Failure::Request(missing.to_error()))
    }
}

impl From<MissingCapability> for ResourceError {
    fn from(missing: MissingCapability) -> Self {
        Self(Failure::Request(missing.to_error()))
    }
}
