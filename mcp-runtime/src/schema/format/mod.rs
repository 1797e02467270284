//! The formats that a string may have and that are enforced, and whether a text has one.
//!
//! All functions are constant, so that the compiler holds defaults against the same code that answers are held against. Nothing
//! is resolved or looked up: an address that is written rightly may still belong to nobody.

mod date;
mod email;
mod host;
mod uri;
mod uuid;

/// A format of JSON Schema that is enforced.
///
/// Not public API. Used by generated code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "generated code names it, and the macro has the list"
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
    /// A time of day with its offset (RFC 3339, `full-time`).
    Time,
    /// A UUID (RFC 9562, section 4).
    Uuid,
    /// An address of version 4 (RFC 2673, section 3.2).
    Ipv4,
    /// An address of version 6 (RFC 4291, section 2.2).
    Ipv6,
}

impl Format {
    const ALL: [Self; 8] = [
        Self::Email,
        Self::Uri,
        Self::Date,
        Self::DateTime,
        Self::Time,
        Self::Uuid,
        Self::Ipv4,
        Self::Ipv6,
    ];

    /// The format of a name; `None` for those that are shown and not enforced.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Its name in a schema.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Uri => "uri",
            Self::Date => "date",
            Self::DateTime => "date-time",
            Self::Time => "time",
            Self::Uuid => "uuid",
            Self::Ipv4 => "ipv4",
            Self::Ipv6 => "ipv6",
        }
    }

    /// What a text of the format is, as a noun with its article and an example.
    pub(crate) const fn noun(self) -> &'static str {
        match self {
            Self::Email => "an email address such as ada@example.com",
            Self::Uri => "a URI such as https://example.com/",
            Self::Date => "a date such as 2026-11-30",
            Self::DateTime => "a date-time such as 2026-11-30T12:00:00Z",
            Self::Time => "a time such as 12:00:00Z",
            Self::Uuid => "a UUID such as 67e55044-10b1-426f-9247-bb680e5fe0c8",
            Self::Ipv4 => "an IPv4 address such as 192.0.2.1",
            Self::Ipv6 => "an IPv6 address such as 2001:db8::1",
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
            Self::Time => date::is_time(text),
            Self::Uuid => uuid::is_uuid(text),
            Self::Ipv4 => host::is_ipv4(text),
            Self::Ipv6 => host::is_ipv6(text),
        }
    }
}

/// What a text of a format is, whether it is enforced or left to the decoder of its type.
pub(super) fn noun(name: &str) -> Option<&'static str> {
    let format = Format::named(name);
    format.map(Format::noun).or(match name {
        "duration" => Some("a duration such as PT1H30M"),
        "hostname" | "idn-hostname" => Some("a host name such as example.com"),
        "ip" => Some("an IP address such as 192.0.2.1"),
        "iri" => Some("an IRI such as https://example.com/"),
        "partial-date-time" => Some("a date-time without an offset such as 2026-11-30T12:00:00"),
        "partial-time" => Some("a time without an offset such as 12:00:00"),
        "zoned-date-time" => {
            Some("a date-time with its zone such as 2026-11-30T12:00:00+01:00[Europe/Paris]")
        }
        _ => None,
    })
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
