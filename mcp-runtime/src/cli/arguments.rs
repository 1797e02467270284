//! `name=value` on the command line: the arguments object of a call, each value as the tool's schema wants it.
//!
//! Nothing is judged here but the form: what is unknown, missing or of the wrong type is for the server to say, as to any client.

use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::shape::{Kind, Shape};

/// The parts of parts that a name may lead through, which is more than any message may be deep.
const MAX_PARTS: usize = 128;

/// A value under construction.
#[derive(Debug)]
enum Tree {
    /// JSON text, as it was given.
    Leaf(Box<RawValue>),
    /// A text that stands for itself.
    Text(String),
    /// Elements that were given one by one.
    List(Vec<Self>),
    /// Members that were given one by one.
    Record(Vec<(String, Self)>),
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Leaf(json) => json.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(item)?;
                }
                list.end()
            }
            Self::Record(members) => {
                let mut record = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    record.serialize_entry(name, value)?;
                }
                record.end()
            }
        }
    }
}

/// An argument of a form that cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ArgumentError {
    /// It is not of the form `name=value`.
    Form(String),
    /// The name stands twice, and its value is no array.
    Twice(String),
    /// The name stands once for the whole value and once for a part of it.
    WholeAndPart(String),
    /// `[]` stands in the middle of a name.
    InnerBrackets(String),
    /// The name leads through too many parts.
    TooDeep,
    /// The value cannot be written as JSON.
    Json(String),
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form(text) => write!(f, "`{text}` is not of the form name=value"),
            Self::Twice(name) => write!(f, "`{name}` is given twice"),
            Self::WholeAndPart(name) => write!(
                f,
                "`{name}` is given as a whole and in parts; choose one of the two"
            ),
            Self::InnerBrackets(name) => write!(
                f,
                "`[]` stands at the end of a name only, unlike in `{name}`; write the array as JSON"
            ),
            Self::TooDeep => write!(f, "a name leads through {MAX_PARTS} parts at the most"),
            Self::Json(text) => f.write_str(text),
        }
    }
}

/// The arguments object, as JSON text, of `name=value` texts for a tool with this input schema.
pub(super) fn arguments(schema: &Value, given: &[String]) -> Result<String, ArgumentError> {
    let mut members = Vec::new();
    for text in given {
        match text.split_once('=') {
            Some((name, _)) if name.matches('.').count() > MAX_PARTS => {
                return Err(ArgumentError::TooDeep);
            }
            Some((name, value)) if !name.is_empty() => {
                insert(&mut members, Shape::root(schema), name, name, value)?;
            }
            _ => return Err(ArgumentError::Form(text.clone())),
        }
    }
    serde_json::to_string(&Tree::Record(members))
        .map_err(|error| ArgumentError::Json(error.to_string()))
}

/// Puts a value under a name, which may lead into parts of the object: `user.name`, `tags[]`.
fn insert(
    members: &mut Vec<(String, Tree)>,
    shape: Shape<'_>,
    name: &str,
    whole: &str,
    value: &str,
) -> Result<(), ArgumentError> {
    let (head, rest) = split(shape, name);
    let inner = shape.member(head);
    let place = members.iter().position(|(known, _)| known == head);
    if rest.is_empty() {
        let tree = leaf(inner, value);
        return match place {
            None => {
                members.push((head.to_owned(), tree));
                Ok(())
            }
            Some(place) => repeat(&mut members[place].1, inner, tree, value, whole),
        };
    }
    let place = place.unwrap_or_else(|| {
        let empty = if rest == "[]" {
            Tree::List(Vec::new())
        } else {
            Tree::Record(Vec::new())
        };
        members.push((head.to_owned(), empty));
        members.len() - 1
    });
    match (&mut members[place].1, rest) {
        (Tree::List(items), "[]") => {
            items.push(leaf(inner.element(), value));
            Ok(())
        }
        (Tree::Record(members), _) if let Some(rest) = rest.strip_prefix('.') => {
            insert(members, inner, rest, whole, value)
        }
        _ if rest.starts_with("[]") && rest != "[]" => {
            Err(ArgumentError::InnerBrackets(whole.to_owned()))
        }
        _ => Err(ArgumentError::WholeAndPart(head.to_owned())),
    }
}

/// Cuts a name before the first `.` or `[]`, or behind the longest prefix that is a name in the schema.
fn split<'n>(shape: Shape<'_>, name: &'n str) -> (&'n str, &'n str) {
    let cuts = name
        .match_indices(['.', '['])
        .filter(|(at, _)| {
            let rest = &name[*at..];
            *at > 0 && (rest.starts_with("[]") || (rest.starts_with('.') && rest.len() > 1))
        })
        .map(|(at, _)| at)
        .chain([name.len()]);
    let known = cuts.clone().filter(|&at| shape.declares(&name[..at])).max();
    let at = known.or_else(|| cuts.min()).unwrap_or(name.len());
    name.split_at(at)
}

/// A value as the schema wants it.
fn leaf(shape: Shape<'_>, text: &str) -> Tree {
    let json: Option<Box<RawValue>> = serde_json::from_str(text).ok();
    let takes_text = shape.accepts(Kind::String);
    if let Some(json) = json {
        let kind = Kind::of(json.get());
        // Quotes belong to a text, unless the schema leaves open whether it is one.
        let fits = shape.accepts(kind) && (kind != Kind::String || !shape.is_text());
        if fits || !(takes_text || shape.accepts(Kind::Array)) {
            return Tree::Leaf(json);
        }
    }
    if !takes_text && shape.accepts(Kind::Array) {
        return Tree::List(vec![leaf(shape.element(), text)]);
    }
    Tree::Text(text.to_owned())
}

/// A name that stands a second time: one more element of an array.
fn repeat(
    tree: &mut Tree,
    shape: Shape<'_>,
    again: Tree,
    value: &str,
    whole: &str,
) -> Result<(), ArgumentError> {
    match (&mut *tree, again) {
        (Tree::List(items), Tree::List(more)) => items.extend(more),
        (Tree::Record(_), _) => return Err(ArgumentError::WholeAndPart(whole.to_owned())),
        (Tree::Text(_), Tree::Text(_)) if shape.accepts(Kind::Array) => {
            let first = std::mem::replace(tree, Tree::List(Vec::new()));
            *tree = Tree::List(vec![first, leaf(shape.element(), value)]);
        }
        _ => return Err(ArgumentError::Twice(whole.to_owned())),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "n": {"type": "integer"},
                "x": {"type": "number"},
                "text": {"type": "string"},
                "flag": {"type": "boolean"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "rows": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
                "user": {"$ref": "#/$defs/User"},
                "dotted.name": {"type": "integer"},
                "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                "cell": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                "mode": {"enum": ["on", "1"]},
                "any": {},
                "map": {"type": "object", "additionalProperties": {"type": "string"}}
            },
            "$defs": {
                "User": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "age": {"type": "integer"},
                        "friend": {"$ref": "#/$defs/User"}
                    }
                }
            }
        })
    }

    fn read(given: &[&str]) -> Result<String, ArgumentError> {
        let given: Vec<_> = given.iter().map(|&text| text.to_owned()).collect();
        arguments(&schema(), &given)
    }

    #[test]
    fn a_value_is_what_the_schema_wants() {
        for (given, expected) in [
            ("n=5", r#"{"n":5}"#),
            ("n=-5", r#"{"n":-5}"#),
            ("n=5.0", r#"{"n":5.0}"#),
            ("n=9007199254740993", r#"{"n":9007199254740993}"#),
            ("n=18446744073709551617", r#"{"n":18446744073709551617}"#),
            ("x=1e400", r#"{"x":1e400}"#),
            ("text=5", r#"{"text":"5"}"#),
            ("text=true", r#"{"text":"true"}"#),
            ("text=null", r#"{"text":"null"}"#),
            ("text=", r#"{"text":""}"#),
            ("text=a=b", r#"{"text":"a=b"}"#),
            (r#"text="q""#, r#"{"text":"\"q\""}"#),
            ("text={}", r#"{"text":"{}"}"#),
            ("flag=true", r#"{"flag":true}"#),
            ("mode=1", r#"{"mode":"1"}"#),
            (r#"user={"age":1}"#, r#"{"user":{"age":1}}"#),
            ("either=5", r#"{"either":5}"#),
            ("either=five", r#"{"either":"five"}"#),
            (r#"either="5""#, r#"{"either":"5"}"#),
            ("cell=null", r#"{"cell":null}"#),
            ("any=[1,2]", r#"{"any":[1,2]}"#),
            ("any=one", r#"{"any":"one"}"#),
        ] {
            assert_eq!(read(&[given]).unwrap(), expected, "{given}");
        }
    }

    #[test]
    fn a_name_leads_through_parts_of_a_bounded_depth() {
        let name = |parts: usize| format!("any{}=1", ".a".repeat(parts));
        assert!(read(&[&name(MAX_PARTS)]).is_ok());
        for parts in [MAX_PARTS + 1, 100_000] {
            assert_eq!(read(&[&name(parts)]), Err(ArgumentError::TooDeep));
        }
    }

    #[test]
    fn what_fits_nothing_is_left_to_the_server() {
        for (given, expected) in [
            ("n=five", r#"{"n":"five"}"#),
            ("n=true", r#"{"n":true}"#),
            ("flag=yes", r#"{"flag":"yes"}"#),
            ("unknown=1", r#"{"unknown":1}"#),
            ("unknown=a", r#"{"unknown":"a"}"#),
            ("n.part=1", r#"{"n":{"part":1}}"#),
        ] {
            assert_eq!(read(&[given]).unwrap(), expected, "{given}");
        }
    }

    #[test]
    fn parts_of_objects_are_put_together() {
        assert_eq!(
            read(&["user.name=7", "n=1", "user.age=7", "user.friend.name=x"]).unwrap(),
            r#"{"user":{"name":"7","age":7,"friend":{"name":"x"}},"n":1}"#
        );
        assert_eq!(
            read(&["map.a=1", "map.b=2"]).unwrap(),
            r#"{"map":{"a":"1","b":"2"}}"#
        );
        assert_eq!(
            read(&["dotted.name=1"]).unwrap(),
            r#"{"dotted.name":1}"#,
            "a name of the schema comes before its parts"
        );
    }

    #[test]
    fn elements_of_arrays_are_collected() {
        for (given, expected) in [
            (&["tags=a"][..], r#"{"tags":["a"]}"#),
            (&["tags=a", "tags=5"], r#"{"tags":["a","5"]}"#),
            (&["tags[]=a", "tags[]=b"], r#"{"tags":["a","b"]}"#),
            (&["tags[]=a", "tags=b"], r#"{"tags":["a","b"]}"#),
            (&[r#"tags=["a","b"]"#], r#"{"tags":["a","b"]}"#),
            (&["tags=[]"], r#"{"tags":[]}"#),
            (&["rows[]=[1]", "rows[]=[2,3]"], r#"{"rows":[[1],[2,3]]}"#),
        ] {
            assert_eq!(read(given).unwrap(), expected, "{given:?}");
        }
    }

    #[test]
    fn forms_that_cannot_be_read_are_named() {
        let name = |name: &str| name.to_owned();
        for (given, expected) in [
            (&["5"][..], ArgumentError::Form(name("5"))),
            (&["=5"], ArgumentError::Form(name("=5"))),
            (&["n=1", "n=2"], ArgumentError::Twice(name("n"))),
            (
                &["user.age=1", "user.age=2"],
                ArgumentError::Twice(name("user.age")),
            ),
            (&["tags=[]", "tags=a"], ArgumentError::Twice(name("tags"))),
            (
                &["user={}", "user.age=2"],
                ArgumentError::WholeAndPart(name("user")),
            ),
            (
                &["user.age=2", "user={}"],
                ArgumentError::WholeAndPart(name("user")),
            ),
            (
                &["rows[].x=1"],
                ArgumentError::InnerBrackets(name("rows[].x")),
            ),
        ] {
            assert_eq!(read(given), Err(expected), "{given:?}");
        }
    }

    #[test]
    fn without_a_schema_a_value_is_what_it_looks_like() {
        let given = ["a=1".to_owned(), "b=x".to_owned()];
        assert_eq!(
            arguments(&Value::Bool(true), &given).unwrap(),
            r#"{"a":1,"b":"x"}"#
        );
    }
}
