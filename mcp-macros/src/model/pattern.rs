//! Patterns in the common subset of Rust's and ECMA-262's regular expressions.
//!
//! The runtime enforces a pattern with `regex-lite`; a client reads the same text as ECMA-262 with the `u` flag.
//! What the two read differently is refused here. Not a parser: `regex-lite` has accepted the pattern before.

use std::iter::Peekable;
use std::str::Chars;

use regex_lite::Regex;

/// Compiles `pattern`, or says in the user's words why it cannot be published.
pub(super) fn compile(pattern: &str) -> Result<Regex, String> {
    // Before the engine's own judgement, which knows nothing of ECMA-262, for its sentences name the right form.
    Scanner::new(pattern).scan()?;
    Regex::new(pattern).map_err(|error| format!("this is not a regular expression: {error}"))
}

/// What the characters before the present one allow.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    /// Something that can be repeated.
    Item,
    /// A repetition, which may be made lazy by one `?`.
    Repetition,
    /// A lazy repetition, an assertion, or the start of a group or branch.
    Nothing,
}

struct Scanner<'a> {
    chars: Peekable<Chars<'a>>,
    before: Before,
}

/// ECMA-262's `SyntaxCharacter` and `/`: all that may be escaped under the `u` flag.
const SYNTAX: &str = "^$\\.*+?()[]{}|/";

impl<'a> Scanner<'a> {
    fn new(pattern: &'a str) -> Self {
        Self {
            chars: pattern.chars().peekable(),
            before: Before::Nothing,
        }
    }

    fn scan(mut self) -> Result<(), String> {
        while let Some(c) = self.chars.next() {
            self.before = match c {
                '\\' => self.escape(false)?,
                '[' => self.class()?,
                '(' => self.group()?,
                '^' | '$' | '|' => Before::Nothing,
                '*' | '+' | '?' => self.repetition(c)?,
                '{' => self.counted()?,
                ']' | '}' => {
                    return Err(format!(
                        "ECMA-262 does not take a bare `{c}`; write `\\{c}`"
                    ));
                }
                _ => Before::Item,
            };
        }
        Ok(())
    }

    fn repetition(&mut self, c: char) -> Result<Before, String> {
        match self.before {
            Before::Item => Ok(Before::Repetition),
            Before::Repetition if c == '?' => Ok(Before::Nothing),
            _ => Err(format!(
                "there is nothing here that `{c}` can repeat; write `\\{c}` for the character, or a group `(?:…)`"
            )),
        }
    }

    fn counted(&mut self) -> Result<Before, String> {
        let before = self.repetition('{')?;
        if !self.chars.peek().is_some_and(char::is_ascii_digit) {
            return Err("ECMA-262 counts from a number; write `{0,5}` for at most five, or `\\{` for the character".to_owned());
        }
        let mut last = '{';
        for c in self.chars.by_ref() {
            last = c;
            if !(c.is_ascii_digit() || c == ',') {
                break;
            }
        }
        if last == '}' {
            Ok(before)
        } else {
            Err("a count is written `{2}`, `{2,}` or `{2,5}`".to_owned())
        }
    }

    fn group(&mut self) -> Result<Before, String> {
        if self.chars.next_if_eq(&'?').is_none() {
            return Ok(Before::Nothing);
        }
        match (self.chars.next(), self.chars.peek()) {
            (Some(':'), _) => Ok(Before::Nothing),
            (Some('<'), Some(c)) if !matches!(c, '=' | '!') => {
                // The name itself holds nothing that repeats or escapes.
                while self.chars.next_if(|c| *c != '>').is_some() {}
                Ok(Before::Nothing)
            }
            (Some('P'), _) => Err("ECMA-262 names groups without `P`; write `(?<name>…)`".to_owned()),
            (Some('=' | '!' | '<'), _) => {
                Err("looking ahead or behind is not in the common subset; check it in the body".to_owned())
            }
            _ => Err("flags are not in the common subset; write both cases, such as `[Aa]`, instead of `(?i)`".to_owned()),
        }
    }

    fn class(&mut self) -> Result<Before, String> {
        let _ = self.chars.next_if_eq(&'^');
        if self.chars.peek() == Some(&']') {
            return Err(
                "the two dialects read `[]` differently; write `\\]` for the character".to_owned(),
            );
        }
        while let Some(c) = self.chars.next() {
            match c {
                ']' => return Ok(Before::Item),
                '[' => {
                    return Err(
                        "ECMA-262 has no classes inside classes; write `\\[` for the character"
                            .to_owned(),
                    );
                }
                '\\' => drop(self.escape(true)?),
                '&' | '~' | '-' if self.chars.peek() == Some(&c) => {
                    return Err(format!(
                        "the two dialects read `{c}{c}` in a class differently; write the characters out"
                    ));
                }
                _ => {}
            }
        }
        Err("this class has no end; write `]`".to_owned())
    }

    fn escape(&mut self, in_class: bool) -> Result<Before, String> {
        let Some(c) = self.chars.next() else {
            return Err(
                "a pattern cannot end with `\\`; write `\\\\` for the character".to_owned(),
            );
        };
        match c {
            'b' | 'B' if !in_class => Ok(Before::Nothing),
            'd' | 'D' | 'w' | 'W' | 's' | 'S' | 'n' | 'r' | 't' | 'f' | 'v' => Ok(Before::Item),
            '-' if in_class => Ok(Before::Item),
            'x' => self.hex('x', 2),
            'u' => self.hex('u', 4),
            c if SYNTAX.contains(c) => Ok(Before::Item),
            'A' => Err("ECMA-262 has no `\\A`; write `^`".to_owned()),
            'z' | 'Z' => Err(format!("ECMA-262 has no `\\{c}`; write `$`")),
            'p' | 'P' => Err(
                "Unicode classes are not in the common subset; write the characters out".to_owned(),
            ),
            c => Err(format!(
                "`\\{c}` is not in the common subset of Rust's and ECMA-262's patterns; write `{c}` or a class"
            )),
        }
    }

    fn hex(&mut self, letter: char, digits: usize) -> Result<Before, String> {
        for _ in 0..digits {
            if self.chars.next_if(char::is_ascii_hexdigit).is_none() {
                return Err(format!(
                    "`\\{letter}` takes {digits} hexadecimal digits, without braces"
                ));
            }
        }
        Ok(Before::Item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_subset_is_accepted() {
        for pattern in [
            "",
            "^[a-z]+$",
            "^(?:a|b)*?$",
            r"\d{2,5}-\w+",
            r"[^\]\-a\x41]",
            "(?<year>[0-9]{4})",
            r"\u0041{3}",
            r"a\/b\.c",
            "é|ü",
            r"\bword\b",
            "a{2}?",
        ] {
            compile(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        }
    }

    #[test]
    fn what_only_one_dialect_reads_is_refused() {
        for pattern in [
            "(?i)a",
            "(?P<n>a)",
            r"\Aa",
            r"a\z",
            r"\p{L}",
            "[[:alpha:]]",
            "[a&&b]",
            "[]a]",
            "a]",
            "a}",
            "a{,3}",
            "a**",
            "^*",
            r"\b+",
            r"\-",
            r"\x{41}",
            r"\u{41}",
            r"[\b]",
            "(?=a)",
            "(?<!a)",
            r"\",
            "(a",
            "a)",
            "[a",
            "a{1001",
            "[b-a]",
            "*",
            "a|*",
            "(?",
            "(?<n",
            r"\1",
            "a{3,2}",
            "(((a{1000}){1000}){1000})",
        ] {
            assert!(compile(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn the_compiled_pattern_is_not_anchored() {
        assert!(compile("b").unwrap().is_match("abc"));
    }
}
