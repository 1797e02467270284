//! Finds members of an object in text that may be malformed, truncated, or come in pieces.
//!
//! It looks at structure alone: brackets, strings, commas and colons. It stops where these do not fit together, since the
//! place of everything behind is unknown. Its memory does not grow with the text.
//! Deliberately not here: proof that the text is JSON, which only parsing gives.

use std::ops::Range;

use memchr::memchr2;

/// The longest name that is looked for, with all characters escaped.
const MAX_KEY: usize = 6 * 16;

/// The memory for a captured value, and for open brackets, one bit each.
const MAX_MEMORY: usize = 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A member that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Member {
    /// It is not there, or not to its end.
    Absent,
    /// The place of its value.
    Once(Range<usize>),
    /// It is there more than once.
    Repeated,
}

/// Finds the members of these names in the object that a text is.
#[derive(Debug)]
pub(crate) struct MemberScanner<const N: usize> {
    names: [&'static str; N],
    members: [Member; N],
    /// The text of the first name's value, if that is captured.
    captured: Option<Vec<u8>>,
    state: State,
    is_escaped: bool,
    key: Vec<u8>,
    /// The name whose value is passed over.
    current: Option<usize>,
    value_start: usize,
    open: Brackets,
    /// How many bytes have been fed.
    length: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the object.
    Start,
    /// Before a member's name.
    Name,
    InName,
    Colon,
    /// Before a value.
    Value,
    InString,
    InScalar,
    /// Within an array or object that is a value.
    Nested,
    InNestedString,
    /// Behind a value.
    Comma,
    /// Behind the object, or behind a fault.
    End,
}

impl<const N: usize> MemberScanner<N> {
    pub(crate) fn new(names: [&'static str; N]) -> Self {
        Self {
            names,
            members: [const { Member::Absent }; N],
            captured: None,
            state: State::Start,
            is_escaped: false,
            key: Vec::new(),
            current: None,
            value_start: 0,
            open: Brackets::default(),
            length: 0,
        }
    }

    /// Keeps the text of the first name's value, for text that is gone when the scan ends.
    pub(crate) fn capturing(names: [&'static str; N]) -> Self {
        Self {
            captured: Some(Vec::new()),
            ..Self::new(names)
        }
    }

    /// The bytes of memory that are held.
    #[cfg(any(test, feature = "http"))]
    pub(crate) fn memory(&self) -> usize {
        self.captured.as_ref().map_or(0, Vec::capacity) + 8 * self.open.kinds.capacity()
    }

    /// Scans the next piece of the text.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while at < bytes.len() && self.state != State::End {
            if self.is_escaped {
                self.is_escaped = false;
                self.pass(bytes, at, 1);
                at += 1;
            } else if matches!(
                self.state,
                State::InName | State::InString | State::InNestedString
            ) {
                let rest = &bytes[at..];
                let length = memchr2(b'"', b'\\', rest).map_or(rest.len(), |end| end + 1);
                let is_closed = rest[length - 1] == b'"';
                self.is_escaped = rest[length - 1] == b'\\';
                let is_name = self.state == State::InName;
                self.pass(bytes, at, length - usize::from(is_closed && is_name));
                at += length;
                if is_closed {
                    self.close_string(at);
                }
            } else {
                self.step(bytes, at);
                at += 1;
            }
        }
        self.length += bytes.len();
    }

    /// The members, and the text of the first if it was captured.
    pub(crate) fn finish(mut self) -> ([Member; N], Vec<u8>) {
        if !matches!(self.members.first(), Some(Member::Once(_))) {
            self.captured = None;
        }
        (self.members, self.captured.unwrap_or_default())
    }

    /// Takes bytes that are part of a name or a value.
    fn pass(&mut self, bytes: &[u8], at: usize, length: usize) {
        let bytes = &bytes[at..at + length];
        if self.state == State::InName {
            // One byte more than a name may have tells that it is none of those looked for.
            let room = (MAX_KEY + 1).saturating_sub(self.key.len());
            self.key.extend_from_slice(&bytes[..length.min(room)]);
        } else if self.current == Some(0)
            && let Some(captured) = &mut self.captured
        {
            if captured.len() + length > MAX_MEMORY {
                self.captured = None;
                self.current = None;
            } else {
                captured.extend_from_slice(bytes);
            }
        }
    }

    /// Takes a byte outside of strings.
    fn step(&mut self, bytes: &[u8], at: usize) {
        let byte = bytes[at];
        let is_blank = matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        match self.state {
            State::Start if byte == b'{' => self.state = State::Name,
            State::Start if is_blank || BYTE_ORDER_MARK.contains(&byte) => {}
            State::Name if byte == b'"' => {
                self.key.clear();
                self.state = State::InName;
            }
            State::Colon if byte == b':' => self.state = State::Value,
            State::Comma if byte == b',' => self.state = State::Name,
            State::Name | State::Colon | State::Comma | State::Value if is_blank => {}
            State::Value if !matches!(byte, b',' | b':' | b'}' | b']') => {
                self.value_start = self.length + at;
                self.state = match byte {
                    b'"' => State::InString,
                    b'{' | b'[' => State::Nested,
                    _ => State::InScalar,
                };
                self.pass(bytes, at, 1);
                if self.state == State::Nested && !self.open.push(byte) {
                    self.state = State::End;
                }
            }
            State::InScalar => match byte {
                b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r' => {
                    self.end_value(self.length + at);
                    self.step(bytes, at);
                }
                b'"' | b'{' | b'[' | b':' => self.state = State::End,
                _ => self.pass(bytes, at, 1),
            },
            State::Nested => {
                self.pass(bytes, at, 1);
                match byte {
                    b'"' => self.state = State::InNestedString,
                    b'{' | b'[' if !self.open.push(byte) => self.state = State::End,
                    b'}' | b']' if !self.open.pop(byte) => self.state = State::End,
                    b'}' | b']' if self.open.is_empty() => self.end_value(self.length + at + 1),
                    _ => {}
                }
            }
            _ => self.state = State::End,
        }
    }

    /// Takes the end of a string, which lies before this place of the piece.
    fn close_string(&mut self, end: usize) {
        match self.state {
            State::InName => {
                self.current = self.name();
                if let Some(index) = self.current
                    && self.members[index] != Member::Absent
                {
                    self.members[index] = Member::Repeated;
                    self.current = None;
                }
                self.state = State::Colon;
            }
            State::InString => self.end_value(self.length + end),
            _ => self.state = State::Nested,
        }
    }

    /// Which of the names stands in the buffer, in whatever spelling.
    fn name(&self) -> Option<usize> {
        if self.key.len() > MAX_KEY {
            return None;
        }
        let quoted = [b"\"", self.key.as_slice(), b"\""].concat();
        let name = serde_json::from_slice::<String>(&quoted).ok()?;
        self.names.iter().position(|known| *known == name)
    }

    fn end_value(&mut self, end: usize) {
        if let Some(index) = self.current.take() {
            self.members[index] = Member::Once(self.value_start..end);
        }
        self.state = State::Comma;
    }
}

/// The brackets that are open, one bit for each: whether it is a brace.
#[derive(Debug, Default)]
struct Brackets {
    kinds: Vec<u64>,
    depth: usize,
}

impl Brackets {
    /// Returns `false` if there are more than can be held.
    fn push(&mut self, open: u8) -> bool {
        let (word, bit) = (self.depth / 64, self.depth % 64);
        if word == self.kinds.len() {
            if 8 * word >= MAX_MEMORY {
                return false;
            }
            self.kinds.push(0);
        }
        let is_brace = u64::from(open == b'{');
        self.kinds[word] = self.kinds[word] & !(1 << bit) | is_brace << bit;
        self.depth += 1;
        true
    }

    /// Returns `false` if the bracket that is closed is of the other kind.
    fn pop(&mut self, close: u8) -> bool {
        let Some(depth) = self.depth.checked_sub(1) else {
            return false;
        };
        self.depth = depth;
        let is_brace = self.kinds[depth / 64] >> (depth % 64) & 1 == 1;
        is_brace == (close == b'}')
    }

    fn is_empty(&self) -> bool {
        self.depth == 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NAMES: [&str; 2] = ["id", "arguments"];

    fn found(text: &str) -> [Option<&str>; 2] {
        let mut scanner = MemberScanner::new(NAMES);
        scanner.feed(text.as_bytes());
        scanner.finish().0.map(|member| match member {
            Member::Once(place) => Some(&text[place]),
            Member::Absent | Member::Repeated => None,
        })
    }

    #[test]
    fn values_of_every_kind_are_found_in_every_place() {
        for value in ["1", "\"a\"", "\"\\\"}\"", "[{}]", "{\"id\":2}", "nul", "01"] {
            for text in [
                format!("{{\"id\":{value}}}"),
                format!(" {{ \"id\" : {value} , \"x\":[[\"]\"]] }} "),
                format!("\u{feff}{{\"x\":{{\"id\":3,\"y\":\"\\\\\"}},\"i\\u0064\":{value}}}"),
                format!("{{\"\\ud800\":1,\"id\":{value},\"x\":\"cut"),
            ] {
                assert_eq!(found(&text), [Some(value), None], "{text}");
            }
        }
    }

    #[test]
    fn what_is_cut_repeated_nested_or_behind_a_fault_is_not_found() {
        for text in [
            "{\"id\":1",
            "{\"id\":\"a",
            "{\"id\":[1",
            "{\"id\":1,\"id\":1}",
            "{\"id\":1,\"id\":",
            "{\"id\":1,\"i\\u0064\":2,\"x\":3}",
            "{\"x\":{\"id\":1}}",
            "[{\"id\":1}]",
            "{\"x\":{\"y\":1],\"id\":1}}",
            "{\"x\":[},\"id\":1}",
            "{\"x\" 1,\"id\":1}",
            "{\"x\":1 2,\"id\":1}",
            "{\"x\":1\"id\":1}",
            "{'x':1,\"id\":1}",
            "{\"ids\":1}",
            "{}{\"id\":1}",
            "",
        ] {
            assert_eq!(found(text), [None, None], "{text}");
        }
    }

    #[test]
    fn what_is_captured_is_bounded() {
        for (length, is_captured) in [(MAX_MEMORY - 2, true), (MAX_MEMORY - 1, false)] {
            let mut scanner = MemberScanner::capturing(NAMES);
            scanner.feed(b"{\"id\":\"");
            for _ in 0..length {
                scanner.feed(b"x");
            }
            scanner.feed(b"\"}");
            assert!(scanner.memory() <= 2 * MAX_MEMORY);
            let (members, captured) = scanner.finish();
            assert_eq!(matches!(members[0], Member::Once(_)), is_captured);
            assert_eq!(captured.len() == length + 2, is_captured);
        }
    }

    #[test]
    fn open_brackets_are_bounded() {
        let mut scanner = MemberScanner::capturing(NAMES);
        scanner.feed(b"{\"id\":1,\"x\":");
        for _ in 0..64 {
            scanner.feed(&[b'['; 1024 * 1024]);
        }
        assert!(scanner.memory() <= 2 * MAX_MEMORY);
        assert_eq!(scanner.finish().1, b"1");
    }

    proptest! {
        #[test]
        fn pieces_are_one_text(text in r#"\{("(id|\\u0069d|x|\\\\)":("[\[\]{}\\"a]{0,3}"|[\[\]{}:,"1 ]{0,4}),?){0,4}\}?"#, cut in 0_usize..40) {
            let mut whole = MemberScanner::capturing(NAMES);
            whole.feed(text.as_bytes());
            let (head, tail) = text.as_bytes().split_at(cut.min(text.len()));
            let mut pieces = MemberScanner::capturing(NAMES);
            pieces.feed(head);
            pieces.feed(tail);
            let (members, captured) = whole.finish();
            if let Member::Once(place) = &members[0] {
                prop_assert_eq!(&text.as_bytes()[place.clone()], &captured);
            }
            prop_assert_eq!((members, captured), pieces.finish());
        }
    }
}
