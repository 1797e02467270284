//! Strings as JSON text, at nearly the speed of copying them.
//!
//! Only what JSON demands is escaped: the quote, the backslash and the control characters below
//! U+0020. Deliberately not here: escaping for HTML or for terminals, and any way to switch the
//! rules.

use std::ops::Range;

/// Bytes that are looked at together; a whole number of vector registers on every common processor.
const BLOCK: usize = 32;

/// The longest escape, `\u001f`.
const LONGEST_ESCAPE: usize = 6;

/// What [`write_escaped_copy`] carries at a time from one place of the buffer to the other.
const PIECE: usize = 1024;

/// Appends `text` as a JSON string, quotes included.
pub(crate) fn write_str(out: &mut Vec<u8>, text: &str) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    write_contents(out, text.as_bytes());
    out.push(b'"');
}

/// Appends the inside of a JSON string: `text` escaped, without quotes.
pub(crate) fn write_str_contents(out: &mut Vec<u8>, text: &str) {
    write_contents(out, text.as_bytes());
}

/// Appends, as one JSON string, the text that already stands at `range` of the same buffer.
///
/// The text is whatever was written there before, usually JSON that is to appear a second time as a
/// string; no second buffer is needed for it. It must be whole UTF-8 characters, which all text of
/// this layer is.
///
/// # Panics
///
/// If `range` does not lie within `out`.
pub(crate) fn write_escaped_copy(out: &mut Vec<u8>, range: Range<usize>) {
    // A sixth more than the text is a usual share of quotes in JSON.
    out.reserve(range.len() + range.len() / 6 + 2);
    out.push(b'"');
    let mut piece = [0; PIECE];
    let mut start = range.start;
    while start < range.end {
        let len = PIECE.min(range.end - start);
        // Cutting a character in two does no harm: its bytes are never escaped and follow each
        // other again in the copy.
        piece[..len].copy_from_slice(&out[start..start + len]);
        write_contents(out, &piece[..len]);
        start += len;
    }
    out.push(b'"');
}

/// Copies runs of clean blocks whole and goes byte by byte only through blocks that hold something
/// to escape.
fn write_contents(out: &mut Vec<u8>, bytes: &[u8]) {
    let (blocks, tail) = bytes.as_chunks::<BLOCK>();
    let mut copied = 0;
    for (index, block) in blocks.iter().enumerate() {
        if !is_clean(block) {
            let start = index * BLOCK;
            out.extend_from_slice(&bytes[copied..start]);
            write_block(out, block);
            copied = start + BLOCK;
        }
    }
    if tail_is_clean(tail) {
        out.extend_from_slice(&bytes[copied..]);
    } else {
        out.extend_from_slice(&bytes[copied..bytes.len() - tail.len()]);
        write_block(out, tail);
    }
}

/// Whether no byte of the block needs an escape; a fold without branches, which the compiler turns
/// into vector code.
fn is_clean(block: &[u8; BLOCK]) -> bool {
    !block
        .iter()
        .fold(false, |dirty, &byte| dirty | needs_escape(byte))
}

/// [`is_clean`] for what is shorter than a block, eight bytes at a time.
fn tail_is_clean(tail: &[u8]) -> bool {
    let (words, rest) = tail.as_chunks::<8>();
    let dirty = words.iter().fold(0, |dirty, word| {
        dirty | dirty_bits(u64::from_ne_bytes(*word))
    });
    dirty == 0 && !rest.iter().any(|&byte| needs_escape(byte))
}

fn needs_escape(byte: u8) -> bool {
    (byte < b' ') | (byte == b'"') | (byte == b'\\')
}

/// Zero exactly if none of the eight bytes needs an escape.
fn dirty_bits(word: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    // Subtracting n from every byte sets the high bit of those that are below n. A borrow can also
    // set it in a byte above one that is below n, which is dirty itself, so the answer "none" is
    // never wrong. Bytes with their own high bit set belong to characters beyond ASCII and are
    // masked out.
    let control = word.wrapping_sub(ONES * 0x20);
    let quote = (word ^ (ONES * b'"' as u64)).wrapping_sub(ONES);
    let backslash = (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    (control | quote | backslash) & !word & HIGH
}

/// Appends at most a block of bytes, some of which need an escape.
fn write_block(out: &mut Vec<u8>, block: &[u8]) {
    let mut scratch = [0; BLOCK * LONGEST_ESCAPE];
    let mut len = 0;
    for &byte in block {
        match ESCAPE[usize::from(byte)] {
            UNICODE => {
                let digit = |value: u8| b"0123456789abcdef"[usize::from(value)];
                let escape = [b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 0xf)];
                scratch[len..len + LONGEST_ESCAPE].copy_from_slice(&escape);
                len += LONGEST_ESCAPE;
            }
            letter => {
                // Without a branch, since in JSON within JSON every few bytes are a quote, and no
                // processor guesses which.
                let escaped = letter != AS_IS;
                scratch[len] = b'\\';
                len += usize::from(escaped);
                scratch[len] = if escaped { letter } else { byte };
                len += 1;
            }
        }
    }
    out.extend_from_slice(&scratch[..len]);
}

/// Marks a byte in [`ESCAPE`] that stands for itself.
const AS_IS: u8 = 0;

/// Marks a byte in [`ESCAPE`] that has no short form.
const UNICODE: u8 = b'u';

/// For every byte the letter after the backslash.
const ESCAPE: [u8; 256] = {
    let mut table = [AS_IS; 256];
    let mut control = 0;
    while control < 0x20 {
        table[control] = UNICODE;
        control += 1;
    }
    table[0x08] = b'b';
    table[b'\t' as usize] = b't';
    table[b'\n' as usize] = b'n';
    table[0x0c] = b'f';
    table[b'\r' as usize] = b'r';
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        write_str(&mut out, text);
        String::from_utf8(out).unwrap()
    }

    fn copied(before: &str, text: &str) -> String {
        let mut out = [before.as_bytes(), text.as_bytes(), b"|"].concat();
        let len = out.len();
        write_escaped_copy(&mut out, before.len()..before.len() + text.len());
        assert_eq!(&out[..len - 1], [before, text].concat().as_bytes());
        String::from_utf8(out.split_off(len)).unwrap()
    }

    /// Text in which what must be escaped is frequent.
    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => "[a-z /<>&']{0,40}",
            2 => "[\\x00-\\x1f\"\\\\\u{7f}]{1,4}",
            1 => any::<String>(),
        ];
        proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
    }

    #[test]
    fn escapes_only_what_json_demands() {
        assert_eq!(written(""), r#""""#);
        assert_eq!(
            written("a/b <i>&'é😀\u{7f}\u{2028}"),
            "\"a/b <i>&'é😀\u{7f}\u{2028}\""
        );
        assert_eq!(written("\u{8}\t\n\u{c}\r\"\\"), r#""\b\t\n\f\r\"\\""#);
        assert_eq!(written("\0\u{b}\u{1f}"), r#""\u0000\u000b\u001f""#);
    }

    #[test]
    fn every_character_is_escaped_at_every_place_of_a_block() {
        for byte in 0..=0x80_u8 {
            for before in 0..=BLOCK + 8 {
                for after in [0, 1, 7, BLOCK] {
                    let text = [
                        "x".repeat(before),
                        char::from(byte).into(),
                        "y".repeat(after),
                    ]
                    .concat();
                    assert_eq!(written(&text), serde_json::to_string(&text).unwrap());
                }
            }
        }
    }

    #[test]
    fn a_block_of_the_longest_escapes_fits() {
        let text = "\u{1}".repeat(2 * BLOCK);
        assert_eq!(written(&text), serde_json::to_string(&text).unwrap());
    }

    #[test]
    fn appends_to_what_is_there() {
        let mut out = b"{".to_vec();
        write_str(&mut out, "a");
        assert_eq!(out, b"{\"a\"");
    }

    #[test]
    fn a_copy_longer_than_a_piece_cuts_no_character() {
        for shift in 0..4 {
            let text = ["x".repeat(shift), "😀\"".repeat(PIECE)].concat();
            assert_eq!(copied("{", &text), serde_json::to_string(&text).unwrap());
        }
    }

    #[test]
    fn an_empty_copy_is_an_empty_string() {
        assert_eq!(copied("[1]", ""), r#""""#);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

        #[test]
        fn strings_equal_those_of_serde_json(text in text()) {
            prop_assert_eq!(written(&text), serde_json::to_string(&text).unwrap());
        }

        #[test]
        fn an_escaped_copy_equals_json_within_json(before in "[a-z]{0,8}", text in text()) {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(copied(&before, &json), serde_json::to_string(&json).unwrap());
        }
    }
}
