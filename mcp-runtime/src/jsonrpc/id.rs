//! Request ids: borrowed while a message is read, owned while a call is in flight.

use std::fmt;

use serde_json::value::RawValue;

/// A request's id as it stands in the message, echoed byte for byte.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawId<'a>(&'a str);

impl<'a> RawId<'a> {
    /// JSON `null`, the id of answers in the contract profile to messages that have none.
    pub(crate) const NULL: RawId<'static> = RawId("null");

    /// Takes any JSON value as an id, to be echoed as it is; `None` if a reader of doubles could not read it.
    pub(crate) fn echo(text: &'a str) -> Option<Self> {
        doubles_hold(text).then_some(Self(text))
    }

    /// Takes a string or an integer, the two kinds of id that MCP allows; `None` for all else.
    pub(crate) fn new(raw: &'a RawValue) -> Option<Self> {
        Self::of(raw.get())
    }

    /// The same as [`new`](Self::new), of JSON text.
    pub(crate) fn of(text: &'a str) -> Option<Self> {
        let valid = match text.as_bytes() {
            [b'"', ..] => true,
            [b'-', digits @ ..] | digits => {
                !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) && doubles_hold(text)
            }
        };
        valid.then_some(Self(text))
    }

    /// The JSON text of the id.
    pub(crate) fn text(self) -> &'a str {
        self.0
    }

    /// Whether this is no id at all, but what stands in its place where a caller gave none.
    pub(crate) fn is_null(self) -> bool {
        self.0 == Self::NULL.0
    }

    /// The id for an answer that comes when the message is gone, as it was written.
    pub(crate) fn keep(self) -> OwnedRawId {
        OwnedRawId(self.0.into())
    }

    /// The id as a value that outlives the message.
    pub(crate) fn to_owned(self) -> RequestId {
        // Two spellings of one string (`"a"` and `"\u0061"`) are one id, so escapes are folded.
        let text = if self.0.contains('\\') {
            serde_json::from_str::<String>(self.0)
                .ok()
                .and_then(|string| serde_json::to_string(&string).ok())
        } else {
            None
        };
        RequestId(text.unwrap_or_else(|| self.0.into()).into_boxed_str())
    }
}

/// Whether no number in a JSON value is beyond the range of doubles, in which most readers hold numbers.
fn doubles_hold(text: &str) -> bool {
    /// Integers of up to so many digits are in range.
    const IN_RANGE: usize = 300;
    let is_number = |word: &str| word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let is_short = text.len() <= IN_RANGE && !text.contains(['e', 'E']);
    if is_short || text.starts_with('"') {
        return true;
    }
    let mut is_in_string = false;
    let mut is_escaped = false;
    let words = text.split(|c: char| {
        let is_string = is_in_string;
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_in_string = !is_in_string,
            _ => {}
        }
        is_string || !(c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.'))
    });
    words
        .filter(|word| is_number(word))
        .all(|word| word.parse::<f64>().is_ok_and(f64::is_finite))
}

/// A copy of a [`RawId`], spelled as the client spelled it.
#[derive(Debug, Clone)]
pub(crate) struct OwnedRawId(Box<str>);

impl OwnedRawId {
    pub(crate) fn as_raw(&self) -> RawId<'_> {
        RawId(&self.0)
    }
}

/// The id of a request: a JSON string or a JSON integer.
///
/// `7` and `"7"` are two different ids, as are `0` and `""`; integers are kept digit by digit, however large.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(Box<str>);

impl RequestId {
    /// The id as JSON text: `7` for the number, `"7"` for the string.
    #[must_use]
    pub fn as_json(&self) -> &str {
        &self.0
    }

    /// Reads an id from JSON text; `None` unless it is a string or an integer.
    #[must_use]
    pub fn from_json(text: &str) -> Option<Self> {
        let raw: &RawValue = serde_json::from_str(text).ok()?;
        RawId::new(raw).map(RawId::to_owned)
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RequestId({})", self.0)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Option<RequestId> {
        RequestId::from_json(text)
    }

    #[test]
    fn strings_and_integers_are_ids_of_two_kinds() {
        assert_ne!(id("7"), id("\"7\""));
        assert_eq!(id("0").unwrap().as_json(), "0");
        assert_eq!(id("\"\"").unwrap().as_json(), "\"\"");
        assert_eq!(id("-3").unwrap().as_json(), "-3");
        assert_eq!(
            id("9007199254740993").unwrap().as_json(),
            "9007199254740993"
        );
        assert_eq!(format!("{:?}", id("\"7\"").unwrap()), "RequestId(\"7\")");
    }

    #[test]
    fn one_string_in_two_spellings_is_one_id() {
        assert_eq!(id(r#""a""#), id(r#""\u0061""#));
    }

    #[test]
    fn everything_else_is_refused() {
        for text in ["null", "true", "[1]", "{}", "1.5", "1.0", "1e3", "-"] {
            assert_eq!(id(text), None, "{text}");
        }
        assert_eq!(id(&"9".repeat(400)), None);
        assert!(id(&"9".repeat(300)).is_some());
    }

    #[test]
    fn numbers_beyond_doubles_are_not_echoed() {
        let digits = "9".repeat(400);
        for text in ["1e400", "-1E+400", "[1,{\"a\":1e400}]", &digits] {
            assert!(RawId::echo(text).is_none(), "{text}");
        }
        for text in [
            "1e300",
            "[\"1e400\",\"\\\"1e400\",2]",
            "{\"1e400\":0.1e-400}",
            "true",
        ] {
            assert!(RawId::echo(text).is_some(), "{text}");
        }
    }
}
