//! The outcome of a call as layers see it.

use std::fmt;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::jsonrpc::{ErrorObject, RawId, write_result_start};

/// The outcome of a call: a result, or an error of the whole request.
///
/// What the function gave passes byte for byte unless a layer replaces it.
#[derive(Clone)]
pub struct CallResponse(pub(super) Outcome);

/// What a response is made of.
#[derive(Clone)]
pub(super) enum Outcome {
    /// The JSON of a result that a function has written.
    Result(Vec<u8>),
    /// The JSON of an error that the dispatcher has written.
    Error(Vec<u8>),
    /// The members of a result that a layer has made.
    NewResult(Map<String, Value>),
    /// An error that a layer has made.
    NewError(ErrorObject),
    /// The text of a failed call.
    Failed(String),
}

impl fmt::Debug for CallResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallResponse")
            .field("is_error", &self.is_error())
            .finish_non_exhaustive()
    }
}

impl CallResponse {
    /// A result of these members, such as `content` of a tool, `messages` of a prompt or `contents` of a resource.
    ///
    /// Members that the protocol requires of every result are added. Structured content of a tool is checked against its
    /// output schema.
    #[must_use]
    pub fn from_result(members: Map<String, Value>) -> Self {
        Self(Outcome::NewResult(members))
    }

    /// An error of the whole request.
    #[must_use]
    pub fn from_error(error: ErrorObject) -> Self {
        Self(Outcome::NewError(error))
    }

    /// A failed call: of a tool a result with `isError` and this text, of a prompt or a resource an error (−32603).
    ///
    /// The text is sent even under [`mask_errors`](crate::ServerBuilder::mask_errors).
    #[must_use]
    pub fn failed(text: impl Into<String>) -> Self {
        Self(Outcome::Failed(text.into()))
    }

    /// The result as JSON text, where the function gave one and no layer has replaced it.
    #[must_use]
    pub fn result_json(&self) -> Option<&str> {
        match &self.0 {
            Outcome::Result(json) => std::str::from_utf8(json).ok(),
            _ => None,
        }
    }

    /// The members of the result; `None` for an error, and for a result that a [`Value`] cannot hold, such as one with the
    /// number `1e400`.
    #[must_use]
    pub fn result(&self) -> Option<Map<String, Value>> {
        match &self.0 {
            Outcome::Result(json) => serde_json::from_slice(json).ok(),
            Outcome::NewResult(members) => Some(members.clone()),
            Outcome::Error(_) | Outcome::NewError(_) | Outcome::Failed(_) => None,
        }
    }

    /// The error of the whole request, if it is one.
    #[must_use]
    pub fn error(&self) -> Option<ErrorObject> {
        #[derive(Deserialize)]
        struct Parts {
            code: i32,
            message: String,
            data: Option<Value>,
        }
        match &self.0 {
            Outcome::Error(json) => {
                let parts: Parts = serde_json::from_slice(json).ok()?;
                let error = ErrorObject::new(parts.code, parts.message);
                Some(match parts.data {
                    Some(data) => error.with_data(data),
                    None => error,
                })
            }
            Outcome::NewError(error) => Some(error.clone()),
            Outcome::Result(_) | Outcome::NewResult(_) | Outcome::Failed(_) => None,
        }
    }

    /// Returns `true` if the call failed, be it as a result with `isError` or as an error of the whole request.
    #[must_use]
    pub fn is_error(&self) -> bool {
        #[derive(Deserialize)]
        struct Flag {
            #[serde(rename = "isError", default)]
            is_error: bool,
        }
        match &self.0 {
            Outcome::Result(json) => {
                serde_json::from_slice::<Flag>(json).is_ok_and(|flag| flag.is_error)
            }
            Outcome::NewResult(members) => members.get("isError") == Some(&Value::Bool(true)),
            Outcome::Error(_) | Outcome::NewError(_) | Outcome::Failed(_) => true,
        }
    }

    /// Takes the result or the error out of a whole response; `None` if it is neither.
    pub(super) fn of_frame(id: RawId<'_>, mut frame: Vec<u8>) -> Option<Self> {
        let mut start = Vec::new();
        write_result_start(&mut start, id);
        let is_result = frame.starts_with(&start);
        if !is_result {
            start.clear();
            write_error_start(&mut start, id);
            if !frame.starts_with(&start) {
                return None;
            }
        }
        if frame.pop() != Some(b'}') {
            return None;
        }
        frame.drain(..start.len());
        Some(Self(if is_result {
            Outcome::Result(frame)
        } else {
            Outcome::Error(frame)
        }))
    }
}

/// Writes the beginning of an error response, up to the error's own JSON.
pub(super) fn write_error_start(out: &mut Vec<u8>, id: RawId<'_>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.text().as_bytes());
    out.extend_from_slice(br#","error":"#);
}
