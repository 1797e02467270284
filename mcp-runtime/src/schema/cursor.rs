//! A walk over JSON text, one value at a time, without building values.
//!
//! It is not a validating parser: the text has passed serde_json before it comes here. Text that is not JSON all the same
//! ends in `None`, never in a panic.

use std::borrow::Cow;

/// The JSON type of a value, as its first byte tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

/// A place in JSON text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    /// The beginning of a text.
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// The type of the value that comes next.
    pub(crate) fn kind(&mut self) -> Option<Kind> {
        Some(match self.peek()? {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b'"' => Kind::String,
            b'n' => Kind::Null,
            b't' | b'f' => Kind::Boolean,
            b'-' | b'0'..=b'9' => Kind::Number,
            _ => return None,
        })
    }

    /// Passes over a string.
    pub(crate) fn string(&mut self) -> Option<Text<'t>> {
        if self.peek()? != b'"' {
            return None;
        }
        let start = self.at + 1;
        let bytes = self.text.as_bytes();
        let mut end = start;
        let mut escaped = false;
        loop {
            end += memchr::memchr2(b'"', b'\\', bytes.get(end..)?)?;
            if bytes[end] == b'"' {
                break;
            }
            escaped = true;
            end += 2;
        }
        self.at = end + 1;
        Some(Text {
            inner: self.text.get(start..end)?,
            quoted: self.text.get(start - 1..=end)?,
            escaped,
        })
    }

    /// Passes over a number, `true`, `false` or `null`, and returns its text.
    pub(crate) fn word(&mut self) -> Option<&'t str> {
        self.peek()?;
        let rest = self.text.get(self.at..)?;
        let length = rest
            .bytes()
            .position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')))
            .unwrap_or(rest.len());
        self.at += length;
        if length == 0 {
            None
        } else {
            rest.get(..length)
        }
    }

    /// Passes over one value of any type, and returns its text.
    pub(crate) fn skip(&mut self) -> Option<&'t str> {
        let kind = self.kind()?;
        let start = self.at;
        match kind {
            Kind::String => {
                self.string()?;
            }
            Kind::Array | Kind::Object => {
                let mut depth = 0_usize;
                loop {
                    match *self.text.as_bytes().get(self.at)? {
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
                        break;
                    }
                }
            }
            Kind::Null | Kind::Boolean | Kind::Number => {
                self.word()?;
            }
        }
        self.text.get(start..self.at)
    }

    /// How deep arrays and objects stand within each other in what follows.
    pub(crate) fn depth(mut self) -> usize {
        let (mut depth, mut deepest) = (0_usize, 0);
        while let Some(byte) = self.peek() {
            if byte == b'"' {
                if self.string().is_none() {
                    break;
                }
                continue;
            }
            match byte {
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            deepest = deepest.max(depth);
            self.at += 1;
        }
        deepest
    }

    /// Steps into an array or object.
    pub(crate) fn enter(&mut self, open: u8) -> Option<()> {
        (self.peek()? == open).then(|| self.at += 1)
    }

    /// Goes to the next element of an array or object, or leaves it (`false`); `first` is true before the first element.
    pub(crate) fn next(&mut self, first: &mut bool, close: u8) -> Option<bool> {
        let byte = self.peek()?;
        if byte == close {
            self.at += 1;
            return Some(false);
        }
        if !std::mem::take(first) {
            if byte != b',' {
                return None;
            }
            self.at += 1;
        }
        Some(true)
    }

    /// Passes over a member's name and colon.
    pub(crate) fn key(&mut self) -> Option<Text<'t>> {
        let name = self.string()?;
        (self.peek()? == b':').then(|| self.at += 1)?;
        Some(name)
    }

    /// How many bytes of the text lie before the value that comes next.
    pub(crate) fn offset(&mut self) -> Option<usize> {
        self.peek()?;
        Some(self.at)
    }

    /// A part of the text.
    pub(crate) fn text_at(&self, part: std::ops::Range<usize>) -> Option<&'t str> {
        self.text.get(part)
    }

    /// How many bytes lie between two places.
    pub(crate) fn distance(&self, other: &Self) -> usize {
        self.at.abs_diff(other.at)
    }

    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                _ => return Some(*byte),
            }
        }
        None
    }
}

/// A string as it stands in the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<'t> {
    /// Between the quotes.
    pub(crate) inner: &'t str,
    /// With the quotes.
    pub(crate) quoted: &'t str,
    escaped: bool,
}

impl<'t> Text<'t> {
    /// The string itself; `None` for a lone surrogate, which no string can hold.
    pub(crate) fn decode(&self) -> Option<Cow<'t, str>> {
        if self.escaped {
            serde_json::from_str::<String>(self.quoted)
                .ok()
                .map(Cow::Owned)
        } else {
            Some(Cow::Borrowed(self.inner))
        }
    }

    /// Whether the string has at least `minimum` and at most `maximum` characters.
    pub(crate) fn fits(&self, minimum: u64, maximum: u64) -> bool {
        let bytes = self.inner.len() as u64;
        // A character takes one to four bytes, up to twelve when escaped: often the size alone decides.
        if !self.escaped && minimum <= bytes.div_ceil(4) && bytes <= maximum {
            return true;
        }
        let length = self.length();
        minimum <= length && length <= maximum
    }

    /// How many characters (Unicode code points) the string has.
    pub(crate) fn length(&self) -> u64 {
        self.decode().map_or(0, |text| text.chars().count() as u64)
    }
}
