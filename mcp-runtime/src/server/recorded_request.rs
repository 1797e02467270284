//! What a client was asked.

use serde_json::Value;

/// One request for input that a [`Client`](crate::client::Client) got.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRequest {
    key: String,
    method: String,
    params: Value,
}

impl RecordedRequest {
    pub(crate) fn new(key: String, method: String, params: Value) -> Self {
        Self {
            key,
            method,
            params,
        }
    }

    /// The key, with its number if the function has used it before.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The method: `elicitation/create`, `sampling/createMessage` or `roots/list`.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The parameters as they were sent, or `null` if there are none.
    #[must_use]
    pub fn params(&self) -> &Value {
        &self.params
    }

    /// What the user reads, of an elicitation.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        self.params.get("message")?.as_str()
    }

    /// The form, of an elicitation with one.
    #[must_use]
    pub fn requested_schema(&self) -> Option<&Value> {
        self.params.get("requestedSchema")
    }

    /// Where the user is sent, of an elicitation with a URL.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.params.get("url")?.as_str()
    }
}
