//! Asking by returning: what a function that cannot wait gives back instead of a result.

use serde_json::Value;

use super::{Failure, ResourceError, ToolError};
use crate::form::ElicitForm;
use crate::protocol::{CreateMessageRequest, InputRequest};

/// What a function returns as its error when it needs input of the client before it can finish.
///
/// The client sends the request again with its answers, and the function runs again from the top. Async functions need none of
/// this: they wait for [`Context::elicit`](crate::Context::elicit) and its like. All others read the answers with
/// [`Context::answers`](crate::Context::answers); the handlers of [`register_tool`](crate::ServerBuilder::register_tool) may take
/// them as an object too, with all that the client has sent in this round and in those before.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// /// Let the user enter a key where only they see it.
/// #[mcp_tool]
/// fn enrol(ctx: &Context) -> Result<String, ToolError> {
///     let Some(visited) = ctx.answers().elicited_url("key")? else {
///         return Err(InputRequired::elicit_url("key", "Enter your key.", "https://example.com/key").into());
///     };
///     Ok(if visited.accepted().is_some() { "welcome" } else { "another time" }.into())
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InputRequired {
    /// What is asked for in the handler's own words.
    ///
    /// In the strict profile it has to be an object of the protocol's requests, such as
    /// `{"confirm": {"method": "elicitation/create", "params": {…}}}`, with all that these require, and forms that can be
    /// filled in; whatever else is an error of the request (−32603).
    pub requests: Value,
    /// What is asked for with types, in order.
    pub(crate) typed: Vec<(String, InputRequest)>,
}

impl InputRequired {
    /// Asks in the handler's own words.
    pub fn new(requests: impl Into<Value>) -> Self {
        Self {
            requests: requests.into(),
            typed: Vec::new(),
        }
    }

    /// Asks the user to fill in a form.
    pub fn elicit<T: ElicitForm>(key: impl Into<String>, message: impl Into<String>) -> Self {
        let request = InputRequest::form(message.into(), T::requested_schema());
        Self::one(key.into(), request)
    }

    /// Asks the user to go to a URL; see [`Context::elicit_url`](crate::Context::elicit_url).
    pub fn elicit_url(
        key: impl Into<String>,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Self {
        Self::one(key.into(), InputRequest::url(message.into(), url.into()))
    }

    /// Asks the client's model. Deprecated in this revision of the protocol.
    pub fn sample(key: impl Into<String>, request: CreateMessageRequest) -> Self {
        Self::one(key.into(), InputRequest::Sampling(Box::new(request)))
    }

    /// Asks for the folders that the client's user works on. Deprecated in this revision of the protocol.
    pub fn list_roots(key: impl Into<String>) -> Self {
        Self::one(key.into(), InputRequest::Roots)
    }

    /// Asks for something else in the same round, under another key.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.typed.extend(other.typed);
        match (&mut self.requests, other.requests) {
            (ours, theirs) if ours.is_null() => *ours = theirs,
            (Value::Object(ours), Value::Object(theirs)) => ours.extend(theirs),
            (_, Value::Null) => {}
            // What is no object of requests is refused where it would be sent, and so it is told.
            (ours, theirs) => *ours = Value::from(vec![ours.take(), theirs]),
        }
        self
    }

    fn one(key: String, request: InputRequest) -> Self {
        Self {
            requests: Value::Null,
            typed: vec![(key, request)],
        }
    }
}

impl From<InputRequired> for ToolError {
    fn from(input: InputRequired) -> Self {
        Self(Failure::InputRequired(input))
    }
}

impl From<InputRequired> for ResourceError {
    fn from(input: InputRequired) -> Self {
        Self(Failure::InputRequired(input))
    }
}
