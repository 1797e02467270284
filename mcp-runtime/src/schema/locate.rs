//! Finds the path of a place in a JSON text, for decoders that only tell a line and a column.

use std::fmt::Write as _;

/// A container that is open at the place.
enum Open {
    Array(usize),
    Object { key: String, before_key: bool },
}

/// The path, such as `.items[3].price`, of what stands at the place where serde_json stopped.
///
/// Empty for the value as a whole. The text is valid JSON.
pub(super) fn path_of(json: &str, error: &serde_json::Error) -> String {
    let line_start: usize = json
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    path_at(json, line_start + error.column())
}

fn path_at(json: &str, end: usize) -> String {
    let mut open: Vec<Open> = Vec::new();
    let mut bytes = json.bytes().enumerate();
    // A string is read to its end, even if the place is in it: it may be the key that was refused.
    while let Some((start, byte)) = bytes.next().filter(|(at, _)| *at < end) {
        match byte {
            b'[' => open.push(Open::Array(0)),
            b'{' => open.push(Open::Object {
                key: String::new(),
                before_key: true,
            }),
            b']' | b'}' => {
                open.pop();
            }
            b',' => match open.last_mut() {
                Some(Open::Array(index)) => *index += 1,
                Some(Open::Object { before_key, .. }) => *before_key = true,
                None => {}
            },
            b'"' => {
                let mut stop = start;
                while let Some((at, byte)) = bytes.next() {
                    match byte {
                        b'\\' => {
                            bytes.next();
                        }
                        b'"' => {
                            stop = at + 1;
                            break;
                        }
                        _ => {}
                    }
                }
                if let Some(Open::Object { key, before_key }) = open.last_mut()
                    && *before_key
                    && let Some(name) = json.get(start..stop)
                {
                    *key = serde_json::from_str(name).unwrap_or_default();
                    *before_key = false;
                }
            }
            _ => {}
        }
    }
    let mut path = String::new();
    for container in open {
        // Writing to a string cannot fail.
        let _ = match container {
            Open::Array(index) => write!(path, "[{index}]"),
            Open::Object { before_key, .. } if before_key => Ok(()),
            Open::Object { key, .. } => write!(path, ".{key}"),
        };
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(try_from = "u8")]
    struct Even;

    impl TryFrom<u8> for Even {
        type Error = String;

        fn try_from(number: u8) -> Result<Self, String> {
            if number.is_multiple_of(2) {
                Ok(Self)
            } else {
                Err(format!("{number} is odd"))
            }
        }
    }

    #[derive(Debug, serde::Deserialize)]
    struct Holder {
        #[allow(dead_code, reason = "only decoding matters")]
        items: Vec<std::collections::BTreeMap<String, Even>>,
    }

    fn path(json: &str) -> String {
        let error = serde_json::from_str::<Holder>(json).unwrap_err();
        path_of(json, &error)
    }

    #[test]
    fn the_path_leads_to_the_value_that_was_refused() {
        assert_eq!(
            path(r#"{"items":[{"a":2},{"b":4,"c":5,"d":6}]}"#),
            ".items[1].c"
        );
        assert_eq!(
            path("{\"items\":\n[{},\n {\"x\\\"]\":\n7 , \"y\": 2}]}"),
            ".items[1].x\"]"
        );
        assert_eq!(path(r#"{"items":[]  ,"items":[]}"#), ".items");
        assert_eq!(path(r#"{}"#), "");
    }

    #[test]
    fn a_key_that_was_refused_ends_the_path() {
        let json = r#"{"1":true,"4294967296":true}"#;
        let error =
            serde_json::from_str::<std::collections::BTreeMap<u32, bool>>(json).unwrap_err();
        assert_eq!(path_of(json, &error), ".4294967296");
    }
}
