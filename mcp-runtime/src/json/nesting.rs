//! How deep arrays and objects stand within each other, found without parsing.
//!
//! Blocks of 64 bytes are turned into sets of places, one bit for each byte, so that strings full of
//! brackets, quotes and backslashes, such as source code in an argument, cost no more than others.
//! Deliberately not here: any judgement on whether the text is JSON.

/// Bytes that are looked at together, as many as a set has bits.
const BLOCK: usize = 64;

/// Whether arrays and objects stand more than `max_depth` levels deep within each other.
///
/// Of text that is not JSON, only what stands before its first error is judged rightly.
pub(super) fn is_deeper_than(bytes: &[u8], max_depth: usize) -> bool {
    // Most messages hold too few brackets to be too deep in whatever way these are arranged.
    if openers(bytes) <= max_depth {
        return false;
    }
    let mut scan = Scan::new(max_depth);
    let (blocks, tail) = bytes.as_chunks::<BLOCK>();
    if blocks.iter().any(|block| scan.exceeds_in(block)) {
        return true;
    }
    let mut last = [b' '; BLOCK];
    last[..tail.len()].copy_from_slice(tail);
    scan.exceeds_in(&last)
}

/// How many bytes a value is taken to have in a tree of `serde_json`, and an object besides, whose members share nodes.
const BYTES_OF_VALUE: usize = 256;

/// The memory that text is taken to need as a `serde_json::Value`, in bytes.
///
/// With `opens_strings`, strings count with what stands in them, as they may hold JSON that is taken out. Text that is not
/// JSON has any number.
pub(crate) fn value_bytes(bytes: &[u8], opens_strings: bool) -> usize {
    BYTES_OF_VALUE + nested_value_bytes(bytes, opens_strings)
}

/// The same for the values within arrays and objects alone, also of a piece of text that begins outside strings.
pub(crate) fn nested_value_bytes(bytes: &[u8], opens_strings: bool) -> usize {
    let mut scan = Scan::new(0);
    let mut values = 0;
    let (blocks, tail) = bytes.as_chunks::<BLOCK>();
    let mut last = [b' '; BLOCK];
    last[..tail.len()].copy_from_slice(tail);
    for block in blocks.iter().chain([&last]) {
        let found = Places::of(block);
        let strings = scan.strings_in(&found);
        let counted = if opens_strings { u64::MAX } else { !strings };
        if opens_strings {
            // An escape may stand for any of these signs.
            values += found.backslashes.count_ones() as usize;
        }
        // The first value of an array or an object stands behind its bracket, each other one behind a comma; an object counts
        // as one besides.
        for signs in [found.openers, places(block, b'{'), places(block, b',')] {
            values += (signs & counted).count_ones() as usize;
        }
    }
    values * BYTES_OF_VALUE
}

/// How many opening brackets there are, in strings or not.
fn openers(bytes: &[u8]) -> usize {
    // Counted in single bytes, which keeps vectors full, and for no longer than these can hold.
    bytes
        .chunks(192)
        .map(|chunk| usize::from(chunk.iter().map(|&byte| is_opener(byte)).sum::<u8>()))
        .sum()
}

/// One for `{` and `[`, which differ in one bit alone, else zero.
fn is_opener(byte: u8) -> u8 {
    u8::from(byte | 0x20 == b'{')
}

/// What is known at the end of a block.
struct Scan {
    max_depth: usize,
    depth: usize,
    is_in_string: bool,
    /// Whether the next byte stands behind a backslash that is not itself escaped.
    is_escaped: bool,
}

impl Scan {
    fn new(max_depth: usize) -> Self {
        Self {
            max_depth,
            depth: 0,
            is_in_string: false,
            is_escaped: false,
        }
    }

    /// The places within strings of the next block, each with the quote that begins it.
    fn strings_in(&mut self, places: &Places) -> u64 {
        let escaped = self.escaped(places.backslashes);
        self.strings(places.quotes & !escaped)
    }

    /// Goes through one block and tells whether the bound is exceeded in it.
    fn exceeds_in(&mut self, block: &[u8; BLOCK]) -> bool {
        let places = Places::of(block);
        let strings = self.strings_in(&places);
        let mut openers = places.openers & !strings;
        let mut closers = places.closers & !strings;
        let opened = openers.count_ones() as usize;
        if self.depth + opened <= self.max_depth {
            // One closing bracket too many is for the parser to refuse.
            self.depth = (self.depth + opened).saturating_sub(closers.count_ones() as usize);
            return false;
        }
        while openers | closers != 0 {
            if openers.trailing_zeros() < closers.trailing_zeros() {
                openers &= openers - 1;
                self.depth += 1;
                if self.depth > self.max_depth {
                    return true;
                }
            } else {
                closers &= closers - 1;
                self.depth = self.depth.saturating_sub(1);
            }
        }
        false
    }

    /// The places behind a backslash that is not itself escaped.
    fn escaped(&mut self, backslashes: u64) -> u64 {
        const EVEN: u64 = 0x5555_5555_5555_5555;
        let carried = u64::from(self.is_escaped);
        let backslashes = backslashes & !carried;
        let behind = (backslashes << 1) | carried;
        // In a run of backslashes, and right behind it, every second place is escaped: the even
        // ones if the run begins at an odd place, else the odd ones. Adding its first place to
        // a run that begins at an odd place clears the run and sets the place behind it; a run that
        // begins at an even place stays. So one addition tells all runs of the block apart, and
        // what it carries out of the block is an escape of the first byte of the next.
        let odd_starts = backslashes & !EVEN & !behind;
        let (runs, carries) = backslashes.overflowing_add(odd_starts);
        self.is_escaped = carries;
        (EVEN ^ (runs << 1)) & behind
    }

    /// The places within strings, each with the quote that begins it.
    fn strings(&mut self, quotes: u64) -> u64 {
        // Each bit becomes the parity of the quotes up to its place.
        let mut strings = quotes;
        for distance in [1, 2, 4, 8, 16, 32] {
            strings ^= strings << distance;
        }
        if self.is_in_string {
            strings = !strings;
        }
        self.is_in_string = strings >> (BLOCK - 1) == 1;
        strings
    }
}

/// Where in a block the bytes stand that nesting depends on; the lowest bit is the first byte.
struct Places {
    quotes: u64,
    backslashes: u64,
    openers: u64,
    closers: u64,
}

impl Places {
    #[inline(always)]
    fn of(block: &[u8; BLOCK]) -> Self {
        // This bit is all that tells `{` from `[` and `}` from `]`.
        let brackets = block.map(|byte| byte | 0x20);
        Self {
            quotes: places(block, b'"'),
            backslashes: places(block, b'\\'),
            openers: places(&brackets, b'{'),
            closers: places(&brackets, b'}'),
        }
    }
}

/// Where in the block this byte stands.
#[inline(always)]
fn places(block: &[u8; BLOCK], wanted: u8) -> u64 {
    let found = block.map(|byte| u8::from(byte == wanted));
    let mut places = 0;
    for (index, word) in found.as_chunks().0.iter().enumerate() {
        places |= bits(u64::from_le_bytes(*word)) << (8 * index);
    }
    places
}

/// Gathers the lowest bit of each byte into the lowest byte, in order.
fn bits(lowest: u64) -> u64 {
    // The factor moves the bit of byte n to place 56 + n; no two products meet in one place.
    lowest.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The depth of the text, byte by byte.
    fn depth(text: &str) -> usize {
        let (mut depth, mut deepest, mut is_in_string, mut is_escaped) = (0_usize, 0, false, false);
        for byte in text.bytes() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if is_in_string => is_escaped = true,
                b'"' => is_in_string = !is_in_string,
                _ if is_in_string => {}
                b'{' | b'[' => {
                    depth += 1;
                    deepest = deepest.max(depth);
                }
                b'}' | b']' => depth -= 1,
                _ => {}
            }
        }
        deepest
    }

    /// JSON in which strings are full of what nesting depends on.
    fn json() -> impl Strategy<Value = String> {
        let string =
            r#"[\[\]{}a"\\é;]{0,12}"#.prop_map(|text| serde_json::to_string(&text).unwrap());
        let leaf = prop_oneof![
            string.clone(),
            Just("1".into()),
            Just("[]".into()),
            Just("{}".into())
        ];
        leaf.prop_recursive(8, 64, 4, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 1..4)
                    .prop_map(|items| format!("[{}]", items.join(","))),
                (string.clone(), inner).prop_map(|(key, value)| format!("{{{key} : {value}}}")),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

        #[test]
        fn the_bound_is_the_depth(text in json()) {
            let depth = depth(&text);
            prop_assert!(!is_deeper_than(text.as_bytes(), depth));
            prop_assert!(depth == 0 || is_deeper_than(text.as_bytes(), depth - 1));
        }
    }

    #[test]
    fn strings_and_escapes_reach_over_the_edge_of_a_block() {
        for before in 0..=2 * BLOCK {
            for string in [
                r#""[[[""#,
                r#""\"[[[""#,
                r#""\\\"[[[""#,
                r#""\\""#,
                r#""]]]""#,
            ] {
                let text = format!("[[{}{string},[]]]", " ".repeat(before));
                assert!(!is_deeper_than(text.as_bytes(), 3), "{text}");
                assert!(is_deeper_than(text.as_bytes(), 2), "{text}");
            }
        }
    }

    #[test]
    fn values_count_outside_strings() {
        for (text, values) in [
            ("0", 1),
            ("[0,0,0]", 4),
            (r#"{"":0}"#, 3),
            (r#"[{"a":1,"b":"[{,\"[{,"},"",[]]"#, 8),
        ] {
            assert_eq!(value_bytes(text.as_bytes(), false), values * 256, "{text}");
            let padded = format!("{}{text}", " ".repeat(BLOCK - 3));
            assert_eq!(
                value_bytes(padded.as_bytes(), false),
                values * 256,
                "{text}"
            );
        }
    }

    #[test]
    fn values_of_pieces_count_as_those_of_the_whole() {
        let (before, part, after) = (r#"{"a":"[,","b":"#, r#"[0,"{,",{}]"#, r#","c":[",",0]}"#);
        let nested = |text: &str| nested_value_bytes(text.as_bytes(), false);
        let whole = [before, part, after].concat();
        assert_eq!(
            nested(before) + nested(part) + nested(after),
            nested(&whole)
        );
    }

    #[test]
    fn values_count_in_strings_that_are_opened() {
        for (text, values) in [(r#"{"a":"[0,0]"}"#, 3 + 2), (r#"{"a":"[\u002c]"}"#, 3 + 2)] {
            assert_eq!(value_bytes(text.as_bytes(), true), values * 256, "{text}");
        }
    }

    #[test]
    fn only_brackets_count() {
        // These differ from brackets, quotes and backslashes in one bit each.
        let text = ";K[\u{fb}\u{db}=M]{}\u{a2}\u{dc}|<".repeat(70);
        assert!(!is_deeper_than(text.as_bytes(), 1));
    }

    #[test]
    fn brackets_of_one_block_are_taken_in_their_order() {
        assert!(!is_deeper_than("[[],[],[],[],[]]".as_bytes(), 2));
        assert!(is_deeper_than("[[],[],[],[],[[]]]".as_bytes(), 2));
    }
}
