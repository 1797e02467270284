//! How a run of a task ends: what the response of its tool says of the task.
//!
//! Deliberately not here: how that is stored, which is the business of the run.

use serde::Deserialize;
use serde_json::value::RawValue;

/// How a run ends, if it is not taken away.
pub(super) enum Ending {
    Completed(Box<RawValue>),
    /// With the error, and its message.
    Failed(Box<RawValue>, String),
    Cancelled,
}

/// What a response says of the task.
pub(super) fn ending(response: &[u8]) -> Ending {
    #[derive(Deserialize)]
    struct Response {
        result: Option<Box<RawValue>>,
        error: Option<Box<RawValue>>,
    }
    #[derive(Deserialize)]
    struct Error {
        message: String,
    }
    match serde_json::from_slice(response) {
        Ok(Response {
            result: Some(result),
            ..
        }) => Ending::Completed(result),
        Ok(Response {
            error: Some(error), ..
        }) => {
            let message = serde_json::from_str(error.get()).map(|Error { message }| message);
            Ending::Failed(error, message.unwrap_or_default())
        }
        Ok(_) | Err(_) => unreachable!("a response is JSON of ours, with a result or an error"),
    }
}
