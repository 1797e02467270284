//! What is accepted as JSON text before it is parsed: UTF-8, not too deep, no half characters.
//!
//! These are the faults that a parser which skips over values, or keeps them raw, would let
//! through. Deliberately not here: proof that the text is JSON, which parsing gives, and a byte
//! order mark, which is the transport's affair.

use std::fmt;

use memchr::{memchr, memchr_iter, memmem};

use super::nesting::is_deeper_than;

/// Why bytes are refused as JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextFault {
    /// The bytes are not UTF-8.
    NotUtf8,
    /// Arrays and objects stand more than this many levels deep within each other.
    TooDeep(usize),
    /// A `\uXXXX` escape gives half of a character, which no Rust string can hold.
    LoneSurrogate,
}

impl fmt::Display for TextFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 => f.write_str("not UTF-8"),
            Self::TooDeep(max) => write!(f, "nested deeper than {max} levels"),
            Self::LoneSurrogate => f.write_str("a lone surrogate in a `\\u` escape"),
        }
    }
}

impl std::error::Error for TextFault {}

/// Accepts `bytes` as text that may be given to a JSON parser.
///
/// A scalar has no level, `[]` has one. Of text that is not JSON, what stands before its first
/// error is judged as in JSON, so a parser that stops there never meets more than `max_depth`
/// levels.
///
/// # Errors
///
/// The first that applies, in the order of [`TextFault`].
pub(crate) fn check(bytes: &[u8], max_depth: usize) -> Result<&str, TextFault> {
    let text = str::from_utf8(bytes).map_err(|_| TextFault::NotUtf8)?;
    if is_deeper_than(bytes, max_depth) {
        return Err(TextFault::TooDeep(max_depth));
    }
    if has_lone_surrogate(bytes) {
        return Err(TextFault::LoneSurrogate);
    }
    Ok(text)
}

fn has_lone_surrogate(bytes: &[u8]) -> bool {
    // Most messages have no escapes, and of the others most none of this kind.
    let Some(first) = memchr(b'\\', bytes) else {
        return false;
    };
    if memmem::find(&bytes[first..], b"\\u").is_none() {
        return false;
    }
    let mut next = 0;
    // In JSON backslashes stand only in strings, so there is no need to know where these begin.
    for at in memchr_iter(b'\\', bytes) {
        // The second of an escaped backslash, or the low half of a pair.
        if at < next {
            continue;
        }
        next = at + 2;
        match surrogate(bytes, at) {
            Some(Half::High) if surrogate(bytes, at + 6) == Some(Half::Low) => next = at + 12,
            Some(_) => return true,
            None => {}
        }
    }
    false
}

/// One of the two units that UTF-16 makes of a character beyond U+FFFF.
#[derive(PartialEq)]
enum Half {
    High,
    Low,
}

/// Which half the escape at this place gives, if an escape stands there and gives one.
fn surrogate(bytes: &[u8], at: usize) -> Option<Half> {
    let [b'\\', b'u', b'd' | b'D', digit, rest @ ..] = bytes.get(at..)?.first_chunk::<6>()? else {
        return None;
    };
    if !rest.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    match digit {
        b'8' | b'9' | b'a' | b'b' | b'A' | b'B' => Some(Half::High),
        b'c'..=b'f' | b'C'..=b'F' => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> String {
        ["[".repeat(levels), "]".repeat(levels)].concat()
    }

    fn accepts(text: &str) {
        assert_eq!(check(text.as_bytes(), 64), Ok(text));
    }

    fn refuses(text: &str, fault: TextFault) {
        assert_eq!(check(text.as_bytes(), 64), Err(fault), "{text}");
    }

    #[test]
    fn sixty_four_levels_are_accepted_and_sixty_five_are_not() {
        accepts(&nested(64));
        refuses(&nested(65), TextFault::TooDeep(64));
        accepts(&[r#"{"a":"#.repeat(64), "1".into(), "}".repeat(64)].concat());
        refuses(
            &[r#"{"a":"#.repeat(65), "1".into(), "}".repeat(65)].concat(),
            TextFault::TooDeep(64),
        );
        accepts(&[r#"[{"a":"#.repeat(32), "1".into(), "}]".repeat(32)].concat());
        refuses(
            &[r#"[{"a":"#.repeat(33), "1".into(), "}]".repeat(33)].concat(),
            TextFault::TooDeep(64),
        );
    }

    #[test]
    fn depth_counts_from_none() {
        assert_eq!(check(b"1", 0), Ok("1"));
        assert_eq!(check(b"[]", 0), Err(TextFault::TooDeep(0)));
        assert_eq!(check(b"[]", 1), Ok("[]"));
        assert_eq!(check(b"[[],{}]", 1), Err(TextFault::TooDeep(1)));
        assert_eq!(check(b"[[],{}]", 2), Ok("[[],{}]"));
    }

    #[test]
    fn many_brackets_side_by_side_are_not_deep() {
        accepts(&["[", &"[[]],{},".repeat(1000), "[]]"].concat());
        refuses(
            &["[", &"[[]],{},".repeat(1000), &nested(64), "]"].concat(),
            TextFault::TooDeep(64),
        );
    }

    #[test]
    fn unclosed_text_is_judged_up_to_its_error() {
        refuses(&"[".repeat(100_000), TextFault::TooDeep(64));
        accepts(&"[".repeat(64));
    }

    #[test]
    fn brackets_in_strings_are_text() {
        let brackets = "[{".repeat(100);
        accepts(&format!(r#"["{brackets}"]"#));
        accepts(&format!(r#"{{"{brackets}":"{brackets}"}}"#));
        // An escaped quote does not end the string, an escaped backslash before a quote does not
        // keep it open.
        accepts(&format!(r#"["\"{brackets}\\\"{brackets}"]"#));
        refuses(&format!(r#"["\\",{}]"#, nested(64)), TextFault::TooDeep(64));
        refuses(
            &format!(r#"["\\\\","\"",{}]"#, nested(64)),
            TextFault::TooDeep(64),
        );
        // Closing brackets in strings close nothing.
        refuses(
            &[r#"["]]",{"}":"#.repeat(33), "1".into()].concat(),
            TextFault::TooDeep(64),
        );
    }

    #[test]
    fn a_string_without_an_end_is_left_to_the_parser() {
        for end in ["", "a", "\\", "\\\\", "\\\"", "\\u", "\\ud8"] {
            accepts(&format!("[{}\"{end}", "[],".repeat(70)));
        }
    }

    #[test]
    fn text_is_utf8() {
        accepts("\"é😀\"");
        for bytes in [
            &b"\"\xff\""[..],
            b"\"\xc3\"",
            b"\"\xed\xa0\x80\"",
            b"\"\xc0\xaf\"",
            b"\x80",
        ] {
            assert_eq!(check(bytes, 64), Err(TextFault::NotUtf8));
        }
    }

    #[test]
    fn surrogate_pairs_are_accepted() {
        accepts(r#""\ud83d\ude00""#);
        accepts(r#""\uD83D\uDE00""#);
        accepts(r#""\uDBFF\uDFFFx\ud800\udc00""#);
        accepts(r#"{"\ud83d\ude00":["\ud83d\ude00\ud83d\ude00"]}"#);
        accepts(r#""\\\ud83d\ude00""#);
        accepts(r#""\ud7ff\ue000""#);
    }

    #[test]
    fn lone_surrogates_are_refused() {
        for text in [
            r#""\ud800""#,
            r#""\uDBFF""#,
            r#""\udc00""#,
            r#""\uDfFf""#,
            r#""\ude00\ud83d""#,
            r#""\ud83d\ud83d\ude00""#,
            r#""\ud83d\ude00\ude00""#,
            r#""\ud83dx\ude00""#,
            r#""\ud83d\n\ude00""#,
            r#""\ud83d\\ude00""#,
            r#""\ud83d\u0041""#,
            r#"["\ud83d","\ude00"]"#,
            r#"{"\ud83d":1}"#,
            r#""\\\ud83d""#,
            r#""\"\ud83d\"""#,
            r#""\ud83d\ude0""#,
        ] {
            refuses(text, TextFault::LoneSurrogate);
        }
    }

    #[test]
    fn an_escaped_backslash_before_ud800_is_text() {
        accepts(r#""\\ud800""#);
        accepts(r#""\\\\udc00\\\\\\ud83d""#);
        accepts(r#""ud800 \n ud800""#);
    }

    #[test]
    fn broken_escapes_are_left_to_the_parser() {
        for text in [
            r#""\ud8"#,
            r#""\uD8G0""#,
            r#""\Ud800""#,
            r#""\u""#,
            r#""\u+800""#,
            r"\",
            r#""\ud"#,
        ] {
            accepts(text);
        }
    }

    #[test]
    fn faults_have_an_order() {
        let text = format!(r#"["\ud800",{}]"#, nested(64));
        refuses(&text, TextFault::TooDeep(64));
        assert_eq!(
            check(&[text.as_bytes(), b"\xff"].concat(), 64),
            Err(TextFault::NotUtf8)
        );
    }

    #[test]
    fn displays_are_lowercase_lines() {
        assert_eq!(TextFault::NotUtf8.to_string(), "not UTF-8");
        assert_eq!(
            TextFault::TooDeep(64).to_string(),
            "nested deeper than 64 levels"
        );
        assert_eq!(
            TextFault::LoneSurrogate.to_string(),
            "a lone surrogate in a `\\u` escape"
        );
    }
}
