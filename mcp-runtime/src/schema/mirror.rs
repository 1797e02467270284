//! Arguments that are mirrored into headers: where they stand, and when a header says the same
//! (basic/transports/streamable-http, "Custom Headers from Tool Parameters").
//!
//! How a header travels and how its value is encoded is not known here.

use super::cursor::Cursor;
use super::node::Member;
use super::number::Decimal;

/// An argument with `x-mcp-header`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mirror {
    /// The name after `Mcp-Param-`.
    pub(crate) header: String,
    /// The members that lead to the argument, from the arguments object down.
    path: Vec<String>,
}

/// What stands at the place of a mirrored argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mirrored<'t> {
    /// Nothing, or `null`: no header belongs to it.
    Absent,
    /// One JSON value.
    Value(&'t str),
    /// A member on the way stands twice, so that two readers could see two values.
    Ambiguous,
}

impl Mirror {
    /// The argument as JSON text.
    pub(crate) fn find<'t>(&self, arguments: &'t str) -> Mirrored<'t> {
        let mut at = arguments;
        for name in &self.path {
            match member(at, name) {
                Mirrored::Value(value) => at = value,
                other => return other,
            }
        }
        Mirrored::Value(at)
    }

    /// The path as people write it.
    pub(crate) fn argument(&self) -> String {
        self.path.join(".")
    }
}

/// Whether a header's decoded value says the same as an argument.
///
/// Integers are compared as numbers, so that `42.0` is `42`. No header says what an array or an object says.
pub(crate) fn says(header: &str, argument: &str) -> bool {
    match argument.as_bytes().first() {
        Some(b'"') => Cursor::new(argument)
            .string()
            .and_then(|text| text.decode())
            .is_some_and(|text| text == header),
        Some(b't' | b'f') => argument == header,
        Some(b'-' | b'0'..=b'9') => {
            let number = Decimal::parse(argument);
            number.is_some() && number == Decimal::parse(header)
        }
        _ => false,
    }
}

/// The mirrored arguments among the members of an object, and of objects within.
pub(super) fn mirrors(members: &[Member]) -> Vec<Mirror> {
    let mut found = Vec::new();
    collect(members, &mut Vec::new(), &mut found);
    found
}

fn collect(members: &[Member], path: &mut Vec<String>, found: &mut Vec<Mirror>) {
    for member in members {
        path.push(member.name.clone());
        if let Some(header) = &member.node.notes.header {
            found.push(Mirror {
                header: header.clone(),
                path: path.clone(),
            });
        }
        if let Some(object) = &member.node.object {
            collect(&object.members, path, found);
        }
        path.pop();
    }
}

/// The member of an object; what is no object has none.
fn member<'t>(object: &'t str, name: &str) -> Mirrored<'t> {
    let mut found = Mirrored::Absent;
    let mut cursor = Cursor::new(object);
    if cursor.enter(b'{').is_none() {
        return Mirrored::Absent;
    }
    let mut seen = false;
    let mut first = true;
    while cursor.next(&mut first, b'}') == Some(true) {
        let (Some(key), Some(value)) = (cursor.key(), cursor.skip()) else {
            break;
        };
        if key.decode().is_some_and(|key| key == name) {
            if std::mem::replace(&mut seen, true) {
                return Mirrored::Ambiguous;
            }
            if value != "null" {
                found = Mirrored::Value(value);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::{Checking, InputSchema};
    use super::*;
    use serde_json::json;

    #[test]
    fn integers_are_compared_as_numbers() {
        assert!(says("42.0", "42"));
        assert!(says("42", "4.2e1"));
        assert!(says("-0", "0"));
        assert!(!says("42", "43"));
        assert!(!says("", "0"));
        assert!(!says("0x2a", "42"));
        assert!(!says("9007199254740992", "9007199254740993"));
    }

    #[test]
    fn strings_and_booleans_are_compared_as_they_are() {
        assert!(says("us-west1", r#""us-west1""#));
        assert!(says("a\"b", r#""a\"b""#));
        assert!(says("\u{4e16}", r#""\u4e16""#));
        assert!(!says("US-WEST1", r#""us-west1""#));
        assert!(says("true", "true"));
        assert!(!says("True", "true"));
        assert!(!says("[1]", "[1]"));
    }

    #[test]
    fn arguments_are_found_at_every_depth() {
        let schema = json!({
            "type": "object",
            "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
                "where": {"type": "object", "properties": {"zone": {"type": "integer", "x-mcp-header": "Zone"}}},
            },
        });
        let schema = InputSchema::given(&schema, Checking::Whole).unwrap();
        let mirrors = schema.mirrors();
        let names: Vec<_> = mirrors
            .iter()
            .map(|mirror| (mirror.header.as_str(), mirror.argument()))
            .collect();
        assert_eq!(
            names,
            [
                ("Region", "region".to_owned()),
                ("Zone", "where.zone".to_owned())
            ]
        );
        let zone = &mirrors[1];
        assert_eq!(zone.find(r#"{"where":{"zone":7}}"#), Mirrored::Value("7"));
        assert_eq!(zone.find(r#"{"where":{"zone":null}}"#), Mirrored::Absent);
        assert_eq!(zone.find(r#"{"where":[1]}"#), Mirrored::Absent);
        assert_eq!(zone.find(r#"{}"#), Mirrored::Absent);
        assert_eq!(
            zone.find(r#"{"where":{"zone":7,"\u007aone":8}}"#),
            Mirrored::Ambiguous
        );
    }
}
