//! The error member of a JSON-RPC response, and the codes that JSON-RPC itself defines.

use std::borrow::Cow;

use serde_json::Value;

/// Codes that JSON-RPC 2.0 defines (specification, section 5.1).
pub(crate) mod code {
    /// The text is not JSON.
    pub(crate) const PARSE_ERROR: i32 = -32700;
    /// The JSON is not a request.
    pub(crate) const INVALID_REQUEST: i32 = -32600;
    /// The method does not exist.
    pub(crate) const METHOD_NOT_FOUND: i32 = -32601;
    /// The parameters do not fit the method.
    pub(crate) const INVALID_PARAMS: i32 = -32602;
    /// The server failed.
    pub(crate) const INTERNAL_ERROR: i32 = -32603;
}

/// An error of a whole request: the `error` member of a JSON-RPC response.
///
/// A tool that merely fails answers with a *result* whose `isError` is true, which the model sees;
/// an error object is for requests that could not be served at all.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ErrorObject {
    /// The kind of error, for example −32602 for invalid parameters.
    pub code: i32,
    /// One sentence about what happened.
    pub message: Cow<'static, str>,
    /// Details whose shape depends on the code.
    pub data: Option<Value>,
}

impl ErrorObject {
    /// Makes an error of a code and a sentence, without data.
    #[must_use]
    pub fn new(code: i32, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Adds the `data` member.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }
}
