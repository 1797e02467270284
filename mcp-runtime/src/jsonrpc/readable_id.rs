//! The id of a message that is refused before it has been read to its end.

use crate::json::{Member, MemberScanner, check_text};

use super::DEFAULT_MAX_DEPTH;

/// The id, and what tells a response from a request.
const NAMES: [&str; 4] = ["id", "method", "result", "error"];

/// Finds the id of a request that comes in pieces and is not kept.
#[derive(Debug)]
pub(crate) struct IdScanner(MemberScanner<4>);

impl IdScanner {
    pub(crate) fn new() -> Self {
        Self(MemberScanner::capturing(NAMES))
    }

    /// Scans the next piece of the message.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.0.feed(bytes);
    }

    /// The bytes of memory that are held.
    #[cfg(feature = "http")]
    pub(crate) fn memory(&self) -> usize {
        self.0.memory()
    }

    /// The JSON text of the id, of whatever type; see [`readable_id`].
    pub(crate) fn finish(self) -> Option<Box<str>> {
        let (members, captured) = self.0.finish();
        is_request(&members).then(|| value(&captured).map(Box::from))?
    }
}

/// The JSON text of the id of a request that may be malformed, of whatever type.
///
/// `None` if the message has no id, or more than one, or is a response: its id is of another space.
pub(crate) fn readable_id(message: &[u8]) -> Option<&str> {
    let mut scanner = MemberScanner::new(NAMES);
    scanner.feed(message);
    let (members, _) = scanner.finish();
    let Member::Once(place) = &members[0] else {
        return None;
    };
    is_request(&members).then(|| value(message.get(place.clone())?))?
}

fn is_request([_, method, result, error]: &[Member; 4]) -> bool {
    *method != Member::Absent || (*result == Member::Absent && *error == Member::Absent)
}

/// The text of a value, if it is JSON.
fn value(bytes: &[u8]) -> Option<&str> {
    let text = check_text(bytes, DEFAULT_MAX_DEPTH).ok()?;
    serde_json::from_str::<serde::de::IgnoredAny>(text).ok()?;
    Some(text)
}
