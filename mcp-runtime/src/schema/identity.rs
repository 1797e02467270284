//! When two JSON values are the same: `1.0` is `1`, and the order of members does not matter.

use super::cursor::{Cursor, Kind};
use super::number::Decimal;
use super::write;
use serde_json::Value;

/// Whether the JSON text is this value.
pub(crate) fn equals(text: &str, value: &Value) -> bool {
    let mut cursor = Cursor::new(text);
    match (cursor.kind(), value) {
        (Some(Kind::String), Value::String(value)) => cursor
            .string()
            .and_then(|text| text.decode())
            .is_some_and(|text| *text == **value),
        (Some(Kind::Null | Kind::Boolean), Value::Null | Value::Bool(_)) => {
            let word = match value {
                Value::Bool(true) => "true",
                Value::Bool(false) => "false",
                _ => "null",
            };
            text == word
        }
        (Some(Kind::Number), Value::Number(number)) => {
            text.parse::<i64>().ok().zip(number.as_i64()).map_or_else(
                || {
                    Decimal::parse(text)
                        .is_some_and(|ours| Decimal::parse(&number.to_string()) == Some(ours))
                },
                |(ours, theirs)| ours == theirs,
            )
        }
        (Some(Kind::Array), Value::Array(_)) | (Some(Kind::Object), Value::Object(_)) => {
            let mut written = String::new();
            write::value(value, &mut written);
            let ours = identity(text);
            ours.is_some() && ours == identity(&written)
        }
        _ => false,
    }
}

/// A text that is the same for equal values and differs for others; `None` if the text is not JSON.
///
/// Members of one name keep their order, since it decides what is read: mostly the last of them counts.
pub(crate) fn identity(text: &str) -> Option<String> {
    let mut written = String::new();
    append(&mut Cursor::new(text), &mut written)?;
    Some(written)
}

fn append(cursor: &mut Cursor<'_>, written: &mut String) -> Option<()> {
    match cursor.kind()? {
        Kind::Null | Kind::Boolean => written.push_str(cursor.word()?),
        Kind::Number => written.push_str(&Decimal::parse(cursor.word()?)?.identity()),
        Kind::String => write::string(&cursor.string()?.decode()?, written),
        Kind::Array => {
            cursor.enter(b'[')?;
            let mut first = true;
            written.push('[');
            while cursor.next(&mut first, b']')? {
                append(cursor, written)?;
                written.push(',');
            }
            written.push(']');
        }
        Kind::Object => {
            cursor.enter(b'{')?;
            let mut first = true;
            let mut members = Vec::new();
            while cursor.next(&mut first, b'}')? {
                let mut member = String::new();
                write::string(&cursor.key()?.decode()?, &mut member);
                let name = member.len();
                member.push(':');
                append(cursor, &mut member)?;
                members.push((name, member));
            }
            members.sort_by(|(one, first), (other, second)| first[..*one].cmp(&second[..*other]));
            written.push('{');
            for (_, member) in members {
                written.push_str(&member);
                written.push(',');
            }
            written.push('}');
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_one_identity_and_others_have_others() {
        let equal = |one, other| identity(one).unwrap() == identity(other).unwrap();
        for (one, other) in [
            (r#"{"a":1,"b":2}"#, r#"{ "b" : 2.0, "\u0061":1 }"#),
            (r#"{"k":1,"k":2,"j":0}"#, r#"{"j":0,"k":1,"k":2}"#),
            ("[1e2]", "[100]"),
        ] {
            assert!(equal(one, other), "{one} {other}");
        }
        for (one, other) in [
            (r#"{"k":1,"k":2}"#, r#"{"k":2,"k":1}"#),
            (r#"{"k":1,"k":2}"#, r#"{"k":2}"#),
            (r#"[{"k":[],"k":{}}]"#, r#"[{"k":{},"k":[]}]"#),
            (r#"{"a":1,"b":2}"#, r#"{"a":2,"b":1}"#),
            (r#"{"a:1,b":2}"#, r#"{"a":1,"b":2}"#),
            (r#"{"a":0,"a!":1}"#, r#"{"a":1,"a!":0}"#),
        ] {
            assert!(!equal(one, other), "{one} {other}");
        }
    }
}
