//! Whether a value, taken as a path, would lead out of the tree that it is meant for.
//!
//! Nothing of a file system is known here: links and the like are for those who open files.

use super::decode;

/// How often a value is decoded before it is refused for being encoded so often.
const ROUNDS: usize = 8;

/// What is wrong with the value as a path below some root; the value may be encoded once more, or several times.
pub(crate) fn leaves_tree(value: &str) -> Option<&'static str> {
    let mut value = value.to_owned();
    for _ in 0..ROUNDS {
        if let Some(sentence) = leaves_tree_as_it_is(&value) {
            return Some(sentence);
        }
        match decode(&value) {
            Ok(decoded) if decoded == value => return None,
            Ok(decoded) => value = decoded.into_owned(),
            // What cannot be decoded once more is what it seems to be, unless a part of it can.
            Err(_) => return broken_escapes(&value),
        }
    }
    Some("it is encoded too often")
}

/// A value that is not whole as an encoded one may still hide dots behind a stray `%`.
fn broken_escapes(value: &str) -> Option<&'static str> {
    let lower = value.to_ascii_lowercase();
    ["%2e", "%2f", "%5c", "%00", "%25"]
        .iter()
        .any(|escape| lower.contains(escape))
        .then_some("it is encoded more than once")
}

fn leaves_tree_as_it_is(value: &str) -> Option<&'static str> {
    if value.contains('\0') {
        return Some("it has a NUL");
    }
    if value.starts_with(['/', '\\']) || has_drive(value, cfg!(windows)) {
        return Some("it is an absolute path");
    }
    if value.split(['/', '\\']).any(|segment| segment == "..") {
        return Some("it leads out of its tree by `..`");
    }
    None
}

/// `C:\` and `C:/`, and where Windows reads paths also `C:x` and `C:`, which it takes for paths of their own.
///
/// Elsewhere `a:b` is a name like any other, and the id of many a thing.
fn has_drive(value: &str, on_windows: bool) -> bool {
    match value.as_bytes() {
        [letter, b':', rest @ ..] => {
            letter.is_ascii_alphabetic() && (on_windows || matches!(rest, [b'/' | b'\\', ..]))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_leads_away_where_there_are_drives() {
        for value in ["C:\\x", "c:/x", "Z:/"] {
            assert!(has_drive(value, true) && has_drive(value, false), "{value}");
        }
        for value in ["C:x", "c:..", "C:", "a:b"] {
            assert!(has_drive(value, true), "{value}");
            assert!(!has_drive(value, false), "{value}");
            assert_eq!(leaves_tree(value).is_some(), cfg!(windows), "{value}");
        }
        for value in ["", "C", ":", "ab:c", "1:x", "é:x", "x/C:y"] {
            assert!(!has_drive(value, true), "{value}");
        }
    }
}
