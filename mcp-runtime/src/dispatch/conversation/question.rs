//! A question on its way to the client.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{check, failed};
use crate::convert::ToolError;
use crate::dispatch::digest::short_digest;
use crate::json::{read_own, write_value};
use crate::protocol::InputRequest;

/// What is asked under a key.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// The key, with its running number if the handler used the key before.
    pub(crate) key: String,
    /// What is asked, but for the words: its kind, and the digest of a form. An answer belongs to a key and a subject, so words
    /// may change from run to run, as a count or a time of day in them does.
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
/// The subject of a form in the handler's own words, which the handler holds answers against itself.
pub(super) const FORM: &str = "form";
/// The subject of an answer of which nobody knows what it answers; the word is older than what it means.
pub(super) const UNKNOWN: &str = "unread";

impl Question {
    /// Writes a request down.
    ///
    /// # Errors
    ///
    /// It has a number that JSON cannot say, or is none that the protocol has.
    pub(crate) fn new(key: String, request: &InputRequest) -> Result<Self, ToolError> {
        let unknown = |fault: String| unknown_to_the_protocol(&key, &fault);
        if let InputRequest::Form(params) = request {
            check::form(params.requested_schema).map_err(unknown)?;
        }
        let mut json = Vec::new();
        write_value(&mut json, request)?;
        let checked = match request {
            InputRequest::Url(params) => check::url(&params.url),
            InputRequest::Sampling(_) => check::check(&read_own(&json)?),
            InputRequest::Form(_) | InputRequest::Roots => Ok(()),
        };
        checked.map_err(unknown)?;
        Ok(Self {
            key,
            subject: subject(request),
            request: String::from_utf8(json)?,
        })
    }
}

/// Refuses a request in the handler's own words that the protocol does not have.
pub(super) fn check_own(key: &str, request: &Value) -> Result<(), ToolError> {
    check::check(request).map_err(|fault| unknown_to_the_protocol(key, &fault))
}

/// The function asks for what no client has to understand.
fn unknown_to_the_protocol(key: &str, fault: &str) -> ToolError {
    let text = format!("asks under `{key}` for what the protocol does not have: {fault}");
    tracing::error!("a function {text}");
    failed(text)
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
    format!("{FORM} {}", short_digest(&[schema.trim().as_bytes()]))
}

/// What a request is about that was written as JSON.
pub(crate) fn subject_of(request: &str) -> String {
    #[derive(Deserialize)]
    struct Request<'a> {
        #[serde(borrow)]
        method: Cow<'a, str>,
        #[serde(borrow)]
        params: Option<Params<'a>>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params<'a> {
        #[serde(borrow)]
        requested_schema: Option<&'a RawValue>,
    }
    let Ok(Request { method, params }) = serde_json::from_str(request) else {
        return UNKNOWN.to_owned();
    };
    match (&*method, params.and_then(|params| params.requested_schema)) {
        ("elicitation/create", Some(schema)) => form_subject(schema.get()),
        ("elicitation/create", None) => URL.to_owned(),
        ("sampling/createMessage", _) => SAMPLING.to_owned(),
        ("roots/list", _) => ROOTS.to_owned(),
        _ => UNKNOWN.to_owned(),
    }
}

/// Whether the answer to a question about one subject may be one to a question about another.
pub(crate) fn fits(found: &str, wanted: &str) -> bool {
    let is_form = || found == FORM && wanted.starts_with(FORM);
    found == wanted || found == UNKNOWN || is_form()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::CreateMessageRequest;

    #[test]
    fn the_subject_of_a_request_can_be_told_from_its_text() {
        let schema = r#"{"type":"object","properties":{"a \"b\"":{"type":"string"}}}"#;
        let text = |request: InputRequest| Question::new("key".to_owned(), &request).unwrap();
        for request in [
            InputRequest::form("?".to_owned(), schema),
            InputRequest::url("?".to_owned(), "https://example.com/".to_owned()),
            InputRequest::Sampling(Box::new(CreateMessageRequest::new(5).user("?"))),
            InputRequest::Roots,
        ] {
            let question = text(request);
            assert_eq!(subject_of(&question.request), question.subject);
        }
        assert_eq!(subject_of("{}"), UNKNOWN);
    }

    #[test]
    fn only_what_is_unknown_fits_everything() {
        let form = form_subject("{}");
        for (found, wanted, expected) in [
            (&*form, &*form, true),
            (&form, &form_subject(r#"{"type":"object"}"#), false),
            (FORM, &form, true),
            (FORM, URL, false),
            (URL, &form, false),
            (UNKNOWN, &form, true),
            (UNKNOWN, ROOTS, true),
        ] {
            assert_eq!(fits(found, wanted), expected, "{found} {wanted}");
        }
    }
}
