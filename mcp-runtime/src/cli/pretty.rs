//! JSON text for people: line by line, with every member in its place and every number as it was written.
//!
//! It does not parse into values, which would sort members and round numbers; it lays out text that is JSON already.

/// Lays out JSON text with two blanks for each level.
pub(super) fn pretty(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut level = 0_usize;
    let mut chars = json.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                out.push(c);
                let mut escaped = false;
                for c in chars.by_ref() {
                    out.push(c);
                    match c {
                        _ if escaped => escaped = false,
                        '\\' => escaped = true,
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '{' | '[' => {
                out.push(c);
                while chars.next_if(|c| c.is_ascii_whitespace()).is_some() {}
                if let Some(close) = chars.next_if(|c| matches!(c, '}' | ']')) {
                    out.push(close);
                } else {
                    level += 1;
                    new_line(&mut out, level);
                }
            }
            '}' | ']' => {
                level = level.saturating_sub(1);
                new_line(&mut out, level);
                out.push(c);
            }
            ',' => {
                out.push(c);
                new_line(&mut out, level);
            }
            ':' => out.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => out.push(c),
        }
    }
    out
}

fn new_line(out: &mut String, level: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", level));
}

#[cfg(test)]
mod tests {
    use super::pretty;

    #[test]
    fn members_keep_their_order_and_numbers_their_digits() {
        assert_eq!(
            pretty(r#"{"b":[1.50,-0],"a":{"x":"{,\":\\"},"c":[ ],"d":{}}"#),
            "{\n  \"b\": [\n    1.50,\n    -0\n  ],\n  \"a\": {\n    \"x\": \"{,\\\":\\\\\"\n  },\n  \"c\": [],\n  \"d\": {}\n}"
        );
    }

    #[test]
    fn text_that_is_laid_out_already_comes_out_the_same() {
        let once = pretty(r#"{"a":[1,{"b":null}],"c":"ü"}"#);
        assert_eq!(pretty(&once), once);
    }

    #[test]
    fn scalars_stay_as_they_are() {
        for text in ["1", "null", r#""a, b: [c]""#] {
            assert_eq!(pretty(text), text);
        }
    }
}
