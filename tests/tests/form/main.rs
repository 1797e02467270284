//! Forms as people declare them: what is asked, and what becomes of the answers.
#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

mod answer;
mod forms;
mod oracle;
mod schema;

use mcp_runtime::prelude::*;
use serde_json::value::RawValue;

/// An answer as it stands in a message.
fn content(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// The value of an answer, or the sentences about it.
fn read<T: ElicitForm>(text: &str) -> Result<T, Vec<String>> {
    T::from_content(&content(text))
        .map_err(|faults| faults.iter().map(ToString::to_string).collect())
}
