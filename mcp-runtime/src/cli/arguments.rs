//! `name=value` on the command line: the arguments object of a call, each value as the tool's schema wants it.
//!
//! Nothing is judged here but the form: what is unknown, missing or of the wrong type is for the server to say, as to any client.

use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::shape::{Kind, Shape};

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
            Self::Json(text) => f.write_str(text),
        }
    }
}

/// The arguments object, as JSON text, of `name=value` texts for a tool with this input schema.
pub(super) fn arguments(schema: &Value, given: &[String]) -> Result<String, ArgumentError> {
    let mut members = Vec::new();
    for text in given {
        match text.split_once('=') {
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
