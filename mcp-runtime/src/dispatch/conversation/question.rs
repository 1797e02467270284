//! A question on its way to the client.

use crate::convert::ToolError;
use crate::dispatch::state::short_digest;
use crate::json::write_value;
use crate::protocol::InputRequest;

/// What is asked under a key.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// The key, with its running number if the handler used the key before.
    pub(crate) key: String,
    /// What is asked, but for the words: its kind, and the digest of a form.
    pub(crate) subject: String,
    /// The `InputRequest`, a JSON object.
    pub(crate) request: String,
}

/// The subject of a URL that a user was asked to go to.
pub(super) const URL: &str = "url";
/// The subject of what a model was asked.
pub(super) const SAMPLING: &str = "sampling";
/// The subject of the client's roots.
pub(super) const ROOTS: &str = "roots";
/// The subject of an answer that was taken along before anybody had read it.
pub(super) const UNREAD: &str = "unread";

impl Question {
    /// Writes a request down.
    ///
    /// # Errors
    ///
    /// It has a number that JSON cannot say.
    pub(crate) fn new(key: String, request: &InputRequest) -> Result<Self, ToolError> {
        let mut json = Vec::new();
        write_value(&mut json, request)?;
        Ok(Self {
            key,
            subject: subject(request),
            request: String::from_utf8(json)?,
        })
    }
}

/// What a request is about.
fn subject(request: &InputRequest) -> String {
    match request {
        InputRequest::Form(params) => form_subject(params.requested_schema),
        InputRequest::Url(_) => URL.to_owned(),
        InputRequest::Sampling(_) => SAMPLING.to_owned(),
        InputRequest::Roots => ROOTS.to_owned(),
    }
}

/// The subject of a form: its schema decides, the words beside it may change from run to run.
pub(super) fn form_subject(schema: &str) -> String {
    format!("form {}", short_digest(&[schema.as_bytes()]))
}
