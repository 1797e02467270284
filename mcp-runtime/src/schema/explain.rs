//! Why a value fits none of a union's alternatives, told by the one that was most likely meant.
//!
//! It runs only when a value has been refused and its faults are wanted: nothing here decides what is accepted.

use super::check::{Checker, Collected, Report, Stop, lenient};
use super::cursor::{Cursor, Kind};
use super::fault::{self, Fault, Path};
use super::identity::equals;
use super::node::{Node, Types};
use super::parse::Definitions;
use serde_json::Value;

impl<R: Report> Checker<'_, R> {
    /// Reports why none of the alternatives fits, by the one that was most likely meant.
    pub(super) fn explain(
        &mut self,
        alternatives: &[Node],
        start: Cursor<'_>,
        path: &Path<'_>,
    ) -> Result<(), Stop> {
        let definitions = self.definitions;
        if !R::COLLECTS {
            return Err(Stop);
        }
        let kind = start.clone().kind().ok_or(Stop)?;
        let candidates: Vec<&Node> = alternatives
            .iter()
            .filter(|node| fault::accepted(node, definitions, 0).contains(lenient(kind)))
            .collect();
        if candidates.len() > 1 && !matches!(kind, Kind::Array | Kind::Object) {
            let union = Node {
                any_of: alternatives.to_vec(),
                ..Node::any()
            };
            let text = start.clone().skip().ok_or(Stop)?;
            return self.report.fault(|| {
                let expected = fault::expected(&union, definitions, true);
                Fault::at(
                    path,
                    format_args!("expected {expected}, found {}", fault::found(text)),
                )
            });
        }
        let candidates = match choose(candidates, definitions, start, path) {
            Choice::Among(candidates) => candidates,
            Choice::Fault(fault) => return self.report.fault(|| fault),
        };
        let mut best: Option<Vec<Fault>> = None;
        for candidate in candidates {
            let mut checker = self.inner(self.strings, Collected::default());
            let ended = checker.value(candidate, &mut start.clone(), path);
            self.steps = checker.steps;
            let faults = checker.report.0;
            if (ended.is_ok() || !faults.is_empty())
                && best.as_ref().is_none_or(|best| faults.len() < best.len())
            {
                best = Some(faults);
            }
        }
        match best {
            Some(faults) => faults
                .into_iter()
                .try_for_each(|fault| self.report.fault(|| fault)),
            None => {
                let union = Node {
                    any_of: alternatives.to_vec(),
                    ..Node::any()
                };
                self.mismatch(&union, &mut start.clone(), path)
            }
        }
    }
}

/// What is known about a value that fits no alternative.
enum Choice<'n> {
    /// One of these was meant.
    Among(Vec<&'n Node>),
    /// The member that tells the alternatives apart is itself wrong.
    Fault(Fault),
}

/// Picks the alternative that the value's tag names, if the alternatives are told apart by one.
fn choose<'n>(
    candidates: Vec<&'n Node>,
    definitions: &'n Definitions,
    start: Cursor<'_>,
    path: &Path<'_>,
) -> Choice<'n> {
    if let Some(choice) = named(&candidates, start, path) {
        return choice;
    }
    let tags: Vec<_> = candidates
        .iter()
        .filter_map(|node| tag(node, definitions))
        .collect();
    let Some((name, _)) = tags.first().copied() else {
        return Choice::Among(candidates);
    };
    if candidates.len() < 2
        || tags.len() < candidates.len()
        || tags.iter().any(|(other, _)| *other != name)
    {
        return Choice::Among(candidates);
    }
    let Some(text) = member(start, name) else {
        return Choice::Fault(Fault::missing(path, name, 0));
    };
    match tags.iter().position(|(_, value)| equals(text, value)) {
        Some(index) => Choice::Among(vec![candidates[index]]),
        None => {
            let values = tags.iter().map(|(_, value)| (*value).clone()).collect();
            let node = Node {
                values: Some(values),
                ..Node::of(Types::STRING)
            };
            Choice::Fault(Fault::unlisted(
                &node,
                definitions,
                text,
                &Path::Member(path, name),
            ))
        }
    }
}

/// The required member with a single possible value, by which the variants of an enum are told apart.
fn tag<'n>(node: &'n Node, definitions: &'n Definitions) -> Option<(&'n str, &'n Value)> {
    let node = node
        .reference
        .and_then(|index| definitions.get(index))
        .map_or(node, |(_, target)| target);
    node.object
        .as_ref()?
        .members
        .iter()
        .filter(|member| member.required)
        .find_map(|member| match member.node.values.as_deref() {
            Some([value]) => Some((member.name.as_str(), value)),
            _ => None,
        })
}

/// The text of a member of the object at the cursor.
fn member<'t>(mut cursor: Cursor<'t>, name: &str) -> Option<&'t str> {
    cursor.enter(b'{')?;
    let mut first = true;
    while cursor.next(&mut first, b'}')? {
        let key = cursor.key()?.decode()?;
        let text = cursor.skip()?;
        if key == name {
            return Some(text);
        }
    }
    None
}

/// Picks among alternatives that each have one member, whose name tells which it is.
fn named<'n>(
    candidates: &[&'n Node],
    mut cursor: Cursor<'_>,
    path: &Path<'_>,
) -> Option<Choice<'n>> {
    let names: Vec<&str> = candidates
        .iter()
        .filter_map(|node| match node.object.as_ref()?.members.as_slice() {
            [member] if member.required && member.node.values.is_none() => {
                Some(member.name.as_str())
            }
            _ => None,
        })
        .collect();
    if names.len() < 2 || names.len() < candidates.len() {
        return None;
    }
    cursor.enter(b'{')?;
    if !cursor.next(&mut true, b'}')? {
        let names = fault::joined(names.iter().map(|name| format!("`{name}`")), "or");
        return Some(Choice::Fault(Fault::at(
            path,
            format_args!("expected one member, {names}, found none"),
        )));
    }
    let key = cursor.key()?.decode()?;
    Some(match names.iter().position(|name| *name == key) {
        Some(index) => Choice::Among(vec![candidates[index]]),
        None => Choice::Fault(Fault::unknown(path, &key, names.iter().copied())),
    })
}
