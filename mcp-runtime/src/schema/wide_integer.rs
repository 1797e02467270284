//! Integers in JSON text that a `serde_json::Value` would round.

use std::borrow::Cow;

use serde_json::Number;

/// The text with each integer that a `Value` would round as a string of its digits.
///
/// A `Value` holds integers from −2^63 to 2^64 − 1 and rounds all others to 64-bit floats, unless the program has switched on
/// `arbitrary_precision` of `serde_json`: then nothing is rounded, and nothing changed here. The text is valid JSON.
pub(crate) fn quote_wide_integers(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut quoted = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at),
            b'-' | b'0'..=b'9' => {
                let start = at;
                while bytes.get(at).is_some_and(|byte| {
                    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
                }) {
                    at += 1;
                }
                if let Some(number) = text.get(start..at)
                    && is_rounded(number)
                {
                    quoted.push_str(&text[copied..start]);
                    quoted.push('"');
                    quoted.push_str(number);
                    quoted.push('"');
                    copied = at;
                }
            }
            _ => at += 1,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    quoted.push_str(&text[copied..]);
    Cow::Owned(quoted)
}

/// Whether a text may hold an integer that a `Value` would round: it has that many digits in a row.
pub(crate) fn may_have_wide_integers(text: &str) -> bool {
    let mut run = 0;
    text.bytes().any(|byte| {
        run = if byte.is_ascii_digit() { run + 1 } else { 0 };
        run >= FEWEST_DIGITS
    })
}

/// −2^63 − 1 has nineteen digits.
const FEWEST_DIGITS: usize = 19;

/// Behind the string that begins at a place.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn is_rounded(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    digits.len() >= FEWEST_DIGITS
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && serde_json::from_str::<Number>(number).is_ok_and(|held| held.to_string() != number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_integers_that_a_value_rounds_become_strings() {
        for (text, expected) in [
            ("18446744073709551615", None),
            ("-9223372036854775808", None),
            ("18446744073709551616", Some(r#""18446744073709551616""#)),
            ("-9223372036854775809", Some(r#""-9223372036854775809""#)),
            ("1.8446744073709551616", None),
            ("18446744073709551616.0", None),
            ("1e30", None),
            (r#""18446744073709551616""#, None),
            (r#"["\"18446744073709551616"]"#, None),
            (
                r#"{"18446744073709551616":[1,18446744073709551616 ,-99999999999999999999]}"#,
                Some(
                    r#"{"18446744073709551616":[1,"18446744073709551616" ,"-99999999999999999999"]}"#,
                ),
            ),
        ] {
            let quoted = quote_wide_integers(text);
            assert_eq!(quoted, expected.unwrap_or(text));
            assert_eq!(
                matches!(quoted, Cow::Owned(_)),
                expected.is_some(),
                "{text}"
            );
            assert!(expected.is_none() || may_have_wide_integers(text), "{text}");
        }
    }
}
