//! How a tool fails: the error type for authors, and the three kinds of failure behind it.

use std::fmt;

use serde_json::Value;

use crate::jsonrpc::ErrorObject;

/// A failure of a tool.
///
/// A tool may return any `Result<T, E>` whose `E` can be displayed; this type is for those who have none of their own.
/// `?` turns every [`std::error::Error`] into it, and a text as well.
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

impl From<InputRequired> for ToolError {
    fn from(input: InputRequired) -> Self {
        Self(Failure::InputRequired(input))
    }
}

/// What a handler returns as its error when it needs input of the client before it can finish.
///
/// The client sends the call again with its answers, and the handler runs again from the top.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InputRequired {
    /// What is asked for; its shape is the handler's own.
    pub requests: Value,
}

impl InputRequired {
    /// Asks for input.
    pub fn new(requests: impl Into<Value>) -> Self {
        Self {
            requests: requests.into(),
        }
    }
}
