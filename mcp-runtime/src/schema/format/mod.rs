//! The formats that a string of a form may have, and whether a text has one.
//!
//! All functions are constant, so that the compiler holds defaults against the same code that answers are held against. Nothing
//! is resolved or looked up: an address that is written rightly may still belong to nobody.

mod date;
mod email;
mod host;
mod uri;

/// A format of the protocol's `StringSchema`.
///
/// Not public API. Used by generated code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "generated code names it, and the protocol has these four"
)]
pub enum Format {
    /// A mailbox (RFC 5321, section 4.1.2), ASCII only.
    Email,
    /// A URI with its scheme (RFC 3986).
    Uri,
    /// A day of the calendar (RFC 3339, `full-date`).
    Date,
    /// A moment with its offset (RFC 3339, `date-time`).
    DateTime,
}

impl Format {
    /// Its name in a schema.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Uri => "uri",
            Self::Date => "date",
            Self::DateTime => "date-time",
        }
    }

    /// What a text of the format is, as a noun with its article and an example.
    pub(crate) const fn noun(self) -> &'static str {
        match self {
            Self::Email => "an email address such as ada@example.com",
            Self::Uri => "a URI such as https://example.com/",
            Self::Date => "a date such as 2026-11-30",
            Self::DateTime => "a date-time such as 2026-11-30T12:00:00Z",
        }
    }

    /// Whether `text` has the format; the time is linear in the text.
    pub(crate) const fn accepts(self, text: &str) -> bool {
        let text = text.as_bytes();
        match self {
            Self::Email => email::is_email(text),
            Self::Uri => uri::is_uri(text),
            Self::Date => date::is_date(text),
            Self::DateTime => date::is_date_time(text),
        }
    }
}

/// The part of a text from `start` to before `end`; both lie within the text, and `start` is not behind `end`.
const fn part(text: &[u8], start: usize, end: usize) -> &[u8] {
    text.split_at(end).0.split_at(start).1
}

/// The first place of `byte` at or behind `from`, or the end of the text.
const fn find(text: &[u8], byte: u8, from: usize) -> usize {
    let mut at = from;
    while at < text.len() && text[at] != byte {
        at += 1;
    }
    at
}
