//! Colours for people, and the decision who gets them.

use std::env;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::IsTerminal;

use anstyle::{AnsiColor, Style};

/// The styles of a stream; without colour they are all plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Palette {
    coloured: bool,
}

impl Palette {
    /// No colour at all.
    #[cfg(test)]
    pub(super) const PLAIN: Self = Self { coloured: false };

    /// The palette that suits a stream: colour only for people who have not asked for none.
    pub(super) fn of(stream: &impl IsTerminal) -> Self {
        Self::decide(
            stream.is_terminal(),
            env::var_os("NO_COLOR").as_deref(),
            env::var_os("TERM").as_deref(),
        )
    }

    fn decide(terminal: bool, no_color: Option<&OsStr>, term: Option<&OsStr>) -> Self {
        Self {
            coloured: terminal
                && no_color.is_none_or(OsStr::is_empty)
                && term.is_none_or(|term| term != "dumb"),
        }
    }

    /// Headings and names.
    pub(super) fn strong(self, text: impl Display) -> String {
        self.paint(Style::new().bold(), text)
    }

    /// What can be skipped.
    pub(super) fn faint(self, text: impl Display) -> String {
        self.paint(Style::new().dimmed(), text)
    }

    /// What went wrong.
    pub(super) fn error(self, text: impl Display) -> String {
        self.paint(AnsiColor::Red.on_default(), text)
    }

    /// What may go wrong.
    pub(super) fn warning(self, text: impl Display) -> String {
        self.paint(AnsiColor::Yellow.on_default(), text)
    }

    /// What is well.
    pub(super) fn good(self, text: impl Display) -> String {
        self.paint(AnsiColor::Green.on_default(), text)
    }

    fn paint(self, style: Style, text: impl Display) -> String {
        if self.coloured {
            format!("{style}{text}{style:#}")
        } else {
            text.to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_terminal_without_a_veto_gets_colour() {
        let decide = |terminal, no_color: Option<&str>, term: Option<&str>| {
            Palette::decide(terminal, no_color.map(OsStr::new), term.map(OsStr::new)).coloured
        };
        assert!(decide(true, None, Some("xterm")));
        assert!(decide(true, None, None));
        assert!(decide(true, Some(""), None), "an empty NO_COLOR is none");
        assert!(!decide(true, Some("1"), None));
        assert!(!decide(true, None, Some("dumb")));
        assert!(!decide(false, None, Some("xterm")));
    }

    #[test]
    fn plain_text_stays_as_it_is() {
        assert_eq!(Palette::PLAIN.error("x"), "x");
        let coloured = Palette { coloured: true }.error("x");
        assert_eq!(coloured, "\u{1b}[31mx\u{1b}[0m");
    }
}
