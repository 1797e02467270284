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
    let bytes = text.as_bytes();
    if let Some(short) = quoted_short(bytes) {
        // Copying a fixed number of bytes and taking some back is quicker than asking how many.
        let len = out.len() + bytes.len() + 2;
        out.extend_from_slice(&short);
        out.truncate(len);
        return;
    }
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    write_contents(out, bytes);
    out.push(b'"');
}

/// A clean text of at most 14 bytes between its quotes; what follows the second quote is of no use.
fn quoted_short(bytes: &[u8]) -> Option<[u8; 16]> {
    let len = bytes.len();
    let text = if len <= 8 {
        u128::from(load(bytes))
    } else if let (Some(first), Some(last), ..=14) = (bytes.first_chunk(), bytes.last_chunk(), len)
    {
        // The two overlap and agree where they do.
        let last = u128::from(u64::from_le_bytes(*last));
        u128::from(u64::from_le_bytes(*first)) | last << (8 * (len - 8))
    } else {
        return None;
    };
    // Spaces, which are clean, stand in for the bytes that the text does not have.
    let padded = text | (SPACES << (8 * len));
    if dirty_bits(padded as u64) | dirty_bits((padded >> 64) as u64) != 0 {
        return None;
    }
    let quote = u128::from(b'"');
    Some((quote | text << 8 | quote << (8 * (len + 1))).to_le_bytes())
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

/// Copies runs of clean blocks whole and looks for single bytes only in blocks that are not.
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
    let (words, rest) = tail.as_chunks();
    let dirty = words.iter().fold(
        dirty_bits(load(rest) | (SPACES as u64) << (8 * rest.len())),
        |dirty, word| dirty | dirty_bits(u64::from_le_bytes(*word)),
    );
    if dirty == 0 {
        out.extend_from_slice(&bytes[copied..]);
    } else {
        out.extend_from_slice(&bytes[copied..bytes.len() - tail.len()]);
        write_block(out, tail);
    }
}

/// Whether no byte of the block needs an escape; a fold without branches, which the compiler turns
/// into vector code.
fn is_clean(block: &[u8; BLOCK]) -> bool {
    !block.iter().fold(false, |dirty, &byte| {
        dirty | (byte < b' ') | (byte == b'"') | (byte == b'\\')
    })
}

/// Sets the highest bit of each of the eight bytes that needs an escape, and no other bit.
fn dirty_bits(word: u64) -> u64 {
    // Below 0x80 a sum reaches the highest bit exactly if the byte is large enough, and never the
    // next byte. Bytes from 0x80 belong to characters beyond ASCII and are always clean.
    let low = word & !HIGH;
    let not_control = low + ONES * 0x60;
    let not_quote = (low ^ (ONES * b'"' as u64)) + ONES * 0x7f;
    let not_backslash = (low ^ (ONES * b'\\' as u64)) + ONES * 0x7f;
    !((not_control & not_quote & not_backslash) | word) & HIGH
}

/// At most eight bytes as a number, the first lowest; zero for those that are missing.
fn load(bytes: &[u8]) -> u64 {
    if let Some(all) = bytes.first_chunk() {
        return u64::from_le_bytes(*all);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let last = u64::from(u32::from_le_bytes(*last));
        return u64::from(u32::from_le_bytes(*first)) | last << (8 * (bytes.len() - 4));
    }
    bytes
        .iter()
        .rev()
        .fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// Appends at most a block of bytes, some of which need an escape.
fn write_block(out: &mut Vec<u8>, block: &[u8]) {
    // No byte adds more than the longest escape. Whole words are stored whatever counts of them, so
    // the last may reach beyond that.
    let mut scratch = [0; BLOCK * LONGEST_ESCAPE + 8];
    let mut len = 0;
    let mut store = |word: u64, count: usize| {
        scratch[len..len + 8].copy_from_slice(&word.to_le_bytes());
        len += count;
    };
    let (words, rest) = block.as_chunks();
    for word in words {
        store_word(u64::from_le_bytes(*word), 8, &mut store);
    }
    store_word(load(rest), rest.len(), &mut store);
    out.extend_from_slice(&scratch[..len]);
}

/// Stores the lowest `count` bytes of a word, each clean run and each escape with one call.
#[inline(always)]
fn store_word(mut word: u64, mut count: usize, mut store: impl FnMut(u64, usize)) {
    let mut dirty = dirty_bits(word);
    while dirty != 0 {
        let clean = dirty.trailing_zeros() as usize / 8;
        // The word may have fewer bytes than it has room for.
        if clean >= count {
            break;
        }
        store(word, clean);
        word >>= 8 * clean;
        let escape = ESCAPE[usize::from(word as u8)];
        store(escape, (escape >> 56) as usize);
        word >>= 8;
        // In two steps, since a shift by all 64 bits is none.
        dirty = dirty >> (8 * clean) >> 8;
        count -= clean + 1;
    }
    store(word, count);
}

const ONES: u64 = u64::from_ne_bytes([1; 8]);
const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
const SPACES: u128 = u128::from_ne_bytes([b' '; 16]);

/// For every byte that needs an escape the escape, its first byte lowest, and in the highest byte
/// how many bytes it has.
const ESCAPE: [u64; 256] = {
    const fn short(letter: u8) -> u64 {
        u64::from_le_bytes([b'\\', letter, 0, 0, 0, 0, 0, 2])
    }
    let mut table = [0; 256];
    let mut control = 0;
    while control < 0x20 {
        let high = b"01"[control >> 4];
        let low = b"0123456789abcdef"[control & 0xf];
        table[control] = u64::from_le_bytes([b'\\', b'u', b'0', b'0', high, low, 0, 6]);
        control += 1;
    }
    table[0x08] = short(b'b');
    table[b'\t' as usize] = short(b't');
    table[b'\n' as usize] = short(b'n');
    table[0x0c] = short(b'f');
    table[b'\r' as usize] = short(b'r');
    table[b'"' as usize] = short(b'"');
    table[b'\\' as usize] = short(b'\\');
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
