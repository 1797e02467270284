//! The log line of a cancellation.

use std::borrow::Cow;

use crate::jsonrpc::RawId;

/// So many characters of a client's text are logged.
const MAX_LOGGED: usize = 200;

/// Logs a cancellation and its reason (basic/patterns/cancellation, "Implementation Notes").
pub(super) fn log_cancellation(id: RawId<'_>, reason: Option<&str>) {
    let id = shortened(id.text());
    match reason {
        Some(reason) => {
            let reason = shortened(reason);
            tracing::debug!("the client cancels the request {id}: {reason:?}");
        }
        None => tracing::debug!("the client cancels the request {id}"),
    }
}

/// As much of a client's text as a line of the log is good for.
fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_LOGGED) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}
