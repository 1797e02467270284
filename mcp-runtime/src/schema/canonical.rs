//! The text that serde decodes, where the schema accepts what serde does not.
//!
//! To JSON Schema `5.0` is an integer, an optional member may be `null`, and an integer that a 64-bit float cannot hold may be a
//! string; to serde none of these holds. This rewrites exactly these, for values that the schema has accepted. It changes no
//! meaning.

use super::check::{IntegerStrings, accepts, integer_string};
use super::cursor::{Cursor, Kind};
use super::node::{Additional, Node, Types};
use super::number::Decimal;
use super::parse::Definitions;
use super::wide_integer::quote_wide_integers;
use std::borrow::Cow;

/// The rewritten text of an accepted value, or `None` if it can stay as it is.
pub(crate) fn canonical(node: &Node, definitions: &Definitions, text: &str) -> Option<String> {
    let mut rewriter = Rewriter {
        definitions,
        text: String::with_capacity(text.len()),
        changed: false,
    };
    rewriter.value(node, &mut Cursor::new(text))?;
    rewriter.changed.then_some(rewriter.text)
}

struct Rewriter<'s> {
    definitions: &'s Definitions,
    text: String,
    changed: bool,
}

impl<'s> Rewriter<'s> {
    /// Copies the value at the cursor; `None` if the text is not JSON.
    fn value(&mut self, node: &'s Node, cursor: &mut Cursor<'_>) -> Option<()> {
        let kind = cursor.kind()?;
        let whole = node;
        let node = applied(node, self.definitions, *cursor);
        let digits = integer_string(whole, self.definitions, *cursor)
            .or_else(|| integer_string(node, self.definitions, *cursor));
        if let Some(digits) = digits {
            cursor.skip()?;
            self.text.push_str(&digits);
            self.changed = true;
            return Some(());
        }
        match (kind, &node.array, &node.object) {
            (Kind::Number, _, _) => {
                let text = cursor.word()?;
                let plain = text
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || byte == b'-')
                    && text != "-0";
                if node.types == Types::ANY {
                    self.free(text);
                } else if plain || node.types.contains(Types::NUMBER) {
                    self.text.push_str(text);
                } else {
                    self.text.push_str(&Decimal::parse(text)?.integer_text()?);
                    self.changed = true;
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
                        Some(node) => self.value(node, cursor)?,
                        None => self.free(cursor.skip()?),
                    }
                    index += 1;
                }
                self.text.push(']');
            }
            (Kind::Object, _, Some(rules)) => {
                cursor.enter(b'{')?;
                self.text.push('{');
                let (mut first, mut written, mut hint) = (true, false, 0);
                while cursor.next(&mut first, b'}')? {
                    let name = cursor.key()?;
                    let key = name.decode()?;
                    let member = rules.find(&key, hint);
                    hint = member.map_or(hint, |index| index + 1);
                    let member = member.and_then(|index| rules.members.get(index));
                    if member.is_some_and(|member| member.nullable) && cursor.kind()? == Kind::Null
                    {
                        cursor.skip()?;
                        self.changed = true;
                        continue;
                    }
                    if written {
                        self.text.push(',');
                    }
                    written = true;
                    self.text.push_str(name.quoted);
                    self.text.push(':');
                    let pattern = rules
                        .patterns
                        .iter()
                        .find(|(pattern, _)| pattern.regex.is_match(&key));
                    match (member, pattern, &rules.additional) {
                        (Some(member), _, _) => self.value(&member.node, cursor)?,
                        (None, Some((_, node)), _) => self.value(node, cursor)?,
                        (None, None, Additional::Schema(node)) => self.value(node, cursor)?,
                        (None, None, _) => self.free(cursor.skip()?),
                    }
                }
                self.text.push('}');
            }
            _ => self.free(cursor.skip()?),
        }
        Some(())
    }

    /// Copies a value about which the schema says nothing; its decoder is that of a `Value`.
    fn free(&mut self, text: &str) {
        let exact = quote_wide_integers(text);
        self.changed |= matches!(exact, Cow::Owned(_));
        self.text.push_str(&exact);
    }
}

/// The schema that says most about the value at a place that it accepts: behind references, and of a union the alternative that
/// accepts the value.
pub(super) fn applied<'s>(
    node: &'s Node,
    definitions: &'s Definitions,
    cursor: Cursor<'_>,
) -> &'s Node {
    let mut node = node;
    // References that lead to nothing but themselves are refused when a schema is read; this bounds the others.
    for _ in 0..64 {
        if node.object.is_some() || node.array.is_some() {
            return node;
        }
        let union = if node.any_of.is_empty() {
            &node.one_of
        } else {
            &node.any_of
        };
        let next = if let Some(index) = node.reference {
            definitions.get(index).map(|(_, target)| target)
        } else if !union.is_empty() {
            let text = cursor.clone().skip().unwrap_or_default();
            let fitting = |strings| {
                union
                    .iter()
                    .find(|alternative| accepts(alternative, definitions, text, strings))
            };
            fitting(IntegerStrings::Refused).or_else(|| fitting(IntegerStrings::Accepted))
        } else {
            node.all_of.first()
        };
        match next {
            Some(next) => node = next,
            None => return node,
        }
    }
    node
}
