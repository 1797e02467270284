//! What no value can hold: faults of a text that is JSON but for its characters, its numbers and its depth.
//!
//! Such a text is not decoded. Its faults are named by their paths, and the text is made readable, so that what stands
//! around it can still be judged.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::value::RawValue;

use super::fault::{Fault, LISTED, MORE, Path, shown};

/// The faults of a text, at least one.
#[derive(Debug)]
pub(crate) struct TextFaults {
    pub(crate) faults: Vec<Fault>,
    /// JSON of the same length, with other values in the places of the faults.
    pub(crate) readable: String,
}

/// Finds the faults of the text of arguments; `None` if it has others, or none.
///
/// Values that are nested deeper than `max_depth` are passed over.
pub(crate) fn text_faults(text: &str, max_depth: usize) -> Option<TextFaults> {
    let mut walk = Walk {
        text,
        at: 0,
        levels: max_depth,
        max_depth,
        faults: Vec::new(),
        readable: text.as_bytes().to_vec(),
    };
    walk.value(&Path::Arguments)?;
    let readable = String::from_utf8(walk.readable).ok()?;
    (!walk.faults.is_empty() && walk.at == text.len()).then_some(TextFaults {
        faults: walk.faults,
        readable,
    })
}

struct Walk<'t> {
    text: &'t str,
    at: usize,
    /// The levels that may still be entered.
    levels: usize,
    max_depth: usize,
    faults: Vec<Fault>,
    readable: Vec<u8>,
}

/// A string with half a character stands for this many bytes, as does its replacement.
const REPLACEMENT: &[u8; 6] = b"\\ufffd";

impl<'t> Walk<'t> {
    fn report(&mut self, path: &Path<'_>, sentence: impl std::fmt::Display) {
        match self.faults.len() {
            0..LISTED => self.faults.push(Fault::at(path, sentence)),
            LISTED => self.faults.push(Fault::whole(MORE)),
            _ => {}
        }
    }

    /// Writes a value of the same length in the place of another.
    fn replace(&mut self, place: Range<usize>) {
        let bytes = &mut self.readable[place];
        bytes.fill(b' ');
        if let Some(first) = bytes.first_mut() {
            *first = b'0';
        }
    }

    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        self.at += rest.iter().position(|byte| !blank(byte))?;
        Some(self.text.as_bytes()[self.at])
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Passes over a value; `None` if the text has a fault of another kind.
    fn value(&mut self, path: &Path<'_>) -> Option<()> {
        match self.peek()? {
            b'"' => {
                let (_, half) = self.string()?;
                self.report_half(half, path);
            }
            b'{' | b'[' if self.levels == 0 => {
                let start = self.at;
                self.skip()?;
                self.replace(start..self.at);
                let max = self.max_depth;
                self.report(
                    path,
                    format_args!(
                        "nested deeper than the limit of {max} levels; send a flatter value"
                    ),
                );
            }
            b'{' => {
                self.levels -= 1;
                self.at += 1;
                self.members(path)?;
                self.levels += 1;
            }
            b'[' => {
                self.levels -= 1;
                self.at += 1;
                self.items(path)?;
                self.levels += 1;
            }
            _ => self.word(path)?,
        }
        Some(())
    }

    fn members(&mut self, path: &Path<'_>) -> Option<()> {
        if self.take(b'}') {
            return Some(());
        }
        loop {
            (self.peek()? == b'"').then_some(())?;
            let (name, half) = self.string()?;
            let place = Path::Member(path, &name);
            self.report_half(half, &place);
            self.take(b':').then_some(())?;
            self.value(&place)?;
            if self.take(b'}') {
                return Some(());
            }
            self.take(b',').then_some(())?;
        }
    }

    fn items(&mut self, path: &Path<'_>) -> Option<()> {
        if self.take(b']') {
            return Some(());
        }
        for index in 0.. {
            self.value(&Path::Item(path, index))?;
            if self.take(b']') {
                break;
            }
            self.take(b',').then_some(())?;
        }
        Some(())
    }

    fn report_half(&mut self, half: Option<&str>, path: &Path<'_>) {
        if let Some(half) = half {
            self.report(
                path,
                format_args!(
                    "`{half}` is half of a character (a lone surrogate); send the whole character, or leave it out"
                ),
            );
        }
    }

    /// Passes over a string; gives it with its halves of characters replaced, and the first of them.
    fn string(&mut self) -> Option<(Cow<'t, str>, Option<&'t str>)> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut at = start + 1;
        let mut half = None;
        loop {
            at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
            if bytes[at] == b'"' {
                break;
            }
            match (unit(bytes, at), unit(bytes, at + 6)) {
                (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => at += 12,
                (Some(0xD800..=0xDFFF), _) => {
                    half = half.or(self.text.get(at..at + 6));
                    self.readable[at..at + 6].copy_from_slice(REPLACEMENT);
                    at += 6;
                }
                _ => at += 2,
            }
        }
        self.at = at + 1;
        let readable = std::str::from_utf8(&self.readable[start..self.at]).ok()?;
        let string: String = serde_json::from_str(readable).ok()?;
        Some((Cow::Owned(string), half))
    }

    /// Passes over a number or a literal; what begins like a number but is none is reported.
    fn word(&mut self, path: &Path<'_>) -> Option<()> {
        let start = self.at;
        let rest = &self.text[start..];
        let is_end = |c: char| {
            matches!(
                c,
                ',' | ':' | '"' | '[' | ']' | '{' | '}' | ' ' | '\t' | '\n' | '\r'
            )
        };
        let word = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        self.at += word.len();
        if serde_json::from_str::<&RawValue>(word).is_ok() {
            return Some(());
        }
        let is_number = word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
            || matches!(word, "NaN" | "Infinity");
        is_number.then_some(())?;
        self.replace(start..self.at);
        let word = shown(word);
        self.report(path, format_args!("`{word}` is not a number of JSON"));
        Some(())
    }

    /// Passes over an array or object of whatever depth.
    fn skip(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }
}

/// The UTF-16 unit of the escape at a place, if one stands there.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let [b'\\', b'u', digits @ ..] = bytes.get(at..at + 6)? else {
        return None;
    };
    let digits = std::str::from_utf8(digits).ok()?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str, max_depth: usize) -> Option<Vec<String>> {
        let found = text_faults(text, max_depth)?;
        assert_eq!(found.readable.len(), text.len());
        serde_json::from_str::<&RawValue>(&found.readable).unwrap();
        assert!(text_faults(&found.readable, max_depth).is_none());
        Some(found.faults.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn all_faults_are_named_by_their_paths() {
        let text = r#"{"a":"x\uD83D","b":[1,"\\ud83d\udc00\ud83d\ude00"],"c\udfff":{"d":-01},"e":[[[]]],"f":NaN}"#;
        assert_eq!(
            faults(text, 3).unwrap(),
            [
                "`a`: `\\uD83D` is half of a character (a lone surrogate); send the whole character, or leave it out",
                "`b[1]`: `\\udc00` is half of a character (a lone surrogate); send the whole character, or leave it out",
                "`[\"c\u{fffd}\"]`: `\\udfff` is half of a character (a lone surrogate); send the whole character, or leave it out",
                "`[\"c\u{fffd}\"].d`: `-01` is not a number of JSON",
                "`e[0][0]`: nested deeper than the limit of 3 levels; send a flatter value",
                "`f`: `NaN` is not a number of JSON",
            ]
        );
    }

    #[test]
    fn other_faults_are_not_these() {
        for text in [
            r#"{"a":NaN,}"#,
            r#"{"a":NaN"#,
            r#"{"a":NaN} 1"#,
            r#"{"a":NaN,"b":tru}"#,
            r#"{"a":NaN,"b":}"#,
            r#"{"a":NaN,"b":"\x"}"#,
            "{\"a\":NaN,\"b\":\"\n\"}",
            r#"{"a":NaN "b":1}"#,
            r#"{"a":[NaN}"#,
            r#"{"a":1}"#,
        ] {
            assert!(faults(text, 64).is_none(), "{text}");
        }
    }

    #[test]
    fn many_faults_are_counted_and_not_listed() {
        let text = format!("[{}NaN]", "NaN,".repeat(100_000));
        assert_eq!(faults(&text, 64).unwrap().len(), LISTED + 1);
    }
}
