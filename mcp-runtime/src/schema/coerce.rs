//! Mending arguments that are almost right: a number, a boolean, an object or an array that was sent inside a string.
//!
//! The schema directs it: nothing becomes a string, nothing that the schema accepts is touched, and a repair counts only if the
//! whole has no fault afterwards. It is off unless the server's author asks for it.

use super::check::{IntegerStrings, accepts};
use super::cursor::{Cursor, Kind};
use super::fault::{Path, accepted};
use super::node::{Additional, Node, Types};
use super::parse::Definitions;
use serde_json::value::RawValue;

/// Strings inside strings are opened no deeper than this.
const DEPTH: usize = 64;

/// Arguments after repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Coerced {
    /// The arguments object as JSON text.
    pub(crate) arguments: String,
    /// Where something was mended, such as `items[3].price`.
    pub(crate) paths: Vec<String>,
}

/// The repaired arguments, or `None` if no repair makes them right.
pub(crate) fn repair(node: &Node, definitions: &Definitions, arguments: &str) -> Option<Coerced> {
    let mut mender = Coercer {
        definitions,
        text: String::with_capacity(arguments.len()),
        paths: Vec::new(),
    };
    mender.value(node, &mut Cursor::new(arguments), &Path::Arguments, 0)?;
    let mended = !mender.paths.is_empty()
        && accepts(node, definitions, &mender.text, IntegerStrings::Accepted);
    mended.then_some(Coerced {
        arguments: mender.text,
        paths: mender.paths,
    })
}

struct Coercer<'s> {
    definitions: &'s Definitions,
    text: String,
    paths: Vec<String>,
}

impl<'s> Coercer<'s> {
    /// Copies the value at the cursor, mended where that helps; `None` if the text is not JSON.
    fn value(
        &mut self,
        node: &'s Node,
        cursor: &mut Cursor<'_>,
        path: &Path<'_>,
        depth: usize,
    ) -> Option<()> {
        let mut ahead = *cursor;
        let text = ahead.skip()?;
        if depth > DEPTH || accepts(node, self.definitions, text, IntegerStrings::Accepted) {
            self.text.push_str(cursor.skip()?);
            return Some(());
        }
        let node = self.behind(node, text);
        match (cursor.kind()?, &node.array, &node.object) {
            (Kind::String, _, _) => {
                let content = cursor.string()?.decode()?;
                match self.opened(node, &content) {
                    Some(inner) => {
                        self.paths.push(path.to_string());
                        self.value(node, &mut Cursor::new(inner), path, depth + 1)?;
                    }
                    None => self.text.push_str(text),
                }
            }
            (Kind::Array, Some(rules), _) => {
                cursor.enter(b'[')?;
                self.text.push('[');
                let mut first = true;
                let mut index = 0_usize;
                while cursor.next(&mut first, b']')? {
                    if index > 0 {
                        self.text.push(',');
                    }
                    match rules.prefix.get(index).or(rules.items.as_ref()) {
                        Some(node) => {
                            self.value(node, cursor, &Path::Item(path, index), depth + 1)?
                        }
                        None => self.text.push_str(cursor.skip()?),
                    }
                    index += 1;
                }
                self.text.push(']');
            }
            (Kind::Object, _, Some(rules)) => {
                cursor.enter(b'{')?;
                self.text.push('{');
                let (mut first, mut written) = (true, false);
                while cursor.next(&mut first, b'}')? {
                    if std::mem::replace(&mut written, true) {
                        self.text.push(',');
                    }
                    let name = cursor.key()?;
                    let key = name.decode()?;
                    self.text.push_str(name.quoted);
                    self.text.push(':');
                    let place = Path::Member(path, &key);
                    let member = rules
                        .find(&key, 0)
                        .and_then(|index| rules.members.get(index));
                    match (member, &rules.additional) {
                        (Some(member), _) if member.nullable && cursor.kind()? == Kind::Null => {
                            self.text.push_str(cursor.skip()?);
                        }
                        (Some(member), _) => self.value(&member.node, cursor, &place, depth + 1)?,
                        (None, Additional::Schema(node)) => {
                            self.value(node, cursor, &place, depth + 1)?
                        }
                        (None, _) => self.text.push_str(cursor.skip()?),
                    }
                }
                self.text.push('}');
            }
            _ => self.text.push_str(cursor.skip()?),
        }
        Some(())
    }

    /// The JSON inside a string, if the schema wants its type and no string.
    fn opened<'t>(&self, node: &Node, content: &'t str) -> Option<&'t str> {
        let types = accepted(node, self.definitions, 0);
        if types.contains(Types::STRING) {
            return None;
        }
        let inner = content.trim();
        let wanted = match Cursor::new(inner).kind()? {
            Kind::Object => Types::OBJECT,
            Kind::Array => Types::ARRAY,
            Kind::Number => Types::INTEGER,
            Kind::Boolean => Types::BOOLEAN,
            Kind::String | Kind::Null => return None,
        };
        if !types.contains(wanted) {
            return None;
        }
        let inner = serde_json::from_str::<&RawValue>(inner).ok()?.get();
        // What is nested too deep for a message is no better inside a string.
        (Cursor::new(inner).depth() <= DEPTH).then_some(inner)
    }

    /// The schema behind references and, of a union, the alternative that has the value's type as the only one.
    fn behind(&self, node: &'s Node, text: &str) -> &'s Node {
        let mut node = node;
        for _ in 0..DEPTH {
            let next = if node.object.is_some() || node.array.is_some() {
                None
            } else if let Some(index) = node.reference {
                self.definitions.get(index).map(|(_, target)| target)
            } else {
                let wanted = match Cursor::new(text).kind() {
                    Some(Kind::Array) => Types::ARRAY,
                    Some(Kind::Object) => Types::OBJECT,
                    _ => return node,
                };
                let mut fitting = node
                    .any_of
                    .iter()
                    .chain(&node.one_of)
                    .filter(|part| accepted(part, self.definitions, 0).contains(wanted));
                fitting.next().filter(|_| fitting.next().is_none())
            };
            match next {
                Some(next) => node = next,
                None => return node,
            }
        }
        node
    }
}
