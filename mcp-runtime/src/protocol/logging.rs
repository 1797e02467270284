//! How severe a log message is (server/utilities/logging, "Log Levels").

use serde::{Deserialize, Serialize};

/// The severity of a log message, from the least to the most severe, as in RFC 5424.
///
/// Log messages of the protocol are deprecated in this revision; see [`Context::log`](crate::Context::log).
///
/// ```
/// use mcp_runtime::context::LoggingLevel;
///
/// assert!(LoggingLevel::Emergency > LoggingLevel::Debug);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(clippy::exhaustive_enums, reason = "the eight severities of RFC 5424")]
pub enum LoggingLevel {
    /// Details for those who look for a fault.
    Debug,
    /// The course of things.
    Info,
    /// Normal, and worth a look.
    Notice,
    /// Something that may become an error.
    Warning,
    /// Something has failed.
    Error,
    /// A part of the system has failed.
    Critical,
    /// Somebody has to act at once.
    Alert,
    /// Nothing works any more.
    Emergency,
}

impl LoggingLevel {
    const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    /// The level as it is written in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }

    /// A number that no other level has, from 1 on.
    pub(super) fn number(self) -> u8 {
        self as u8 + 1
    }

    /// The level of a number.
    pub(super) fn of_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.number() == number)
    }

    /// The level of a name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_written_as_serde_writes_them_and_ordered_by_severity() {
        for level in LoggingLevel::ALL {
            let json = serde_json::to_value(level).unwrap();
            assert_eq!(json, level.name());
            assert_eq!(LoggingLevel::parse(level.name()), Some(level));
        }
        assert!(LoggingLevel::ALL.is_sorted());
        assert_eq!(LoggingLevel::parse("warn"), None);
        assert_eq!(LoggingLevel::parse("Error"), None);
    }
}
