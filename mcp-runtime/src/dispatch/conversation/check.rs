//! Whether a request for input is one that the protocol has.

use crate::schema::Format;

/// What is wrong with a request, in words for whoever wrote it.
type Checked = Result<(), String>;

/// Checks a URL that a user is to go to (client/elicitation, "URL Mode Elicitation Requests").
pub(super) fn url(url: &str) -> Checked {
    if Format::Uri.accepts(url) {
        return Ok(());
    }
    let noun = Format::Uri.noun();
    Err(format!("its URL has to be {noun}, with its scheme"))
}
