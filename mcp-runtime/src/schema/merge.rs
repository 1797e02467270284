//! The conjunction of two schemas as one schema: what `allOf`, and keywords beside a `$ref`, mean.
//!
//! It unites the members of objects rather than intersecting them: a closed record merged with another record is closed around
//! the members of both, which is what flattening means in Rust.

use super::node::{Additional, ArrayRules, Node, Notes, ObjectRules, StringRules};

/// Beyond this many combinations, two unions stay beside each other.
const COMBINATIONS: usize = 64;

/// The schema that both describe; where only one annotation can stand, the first one's does.
pub(crate) fn merge(mut first: Node, mut second: Node) -> Node {
    first.types = first.types.common(second.types);
    first.notes.merge(std::mem::take(&mut second.notes));
    first.values = match (first.values.take(), second.values.take()) {
        (Some(ours), Some(theirs)) => Some(
            ours.into_iter()
                .filter(|value| theirs.contains(value))
                .collect(),
        ),
        (ours, theirs) => ours.or(theirs),
    };
    first.number.merge(std::mem::take(&mut second.number));
    if first.string.merge(&mut second.string) {
        first.all_of.push(Node {
            string: std::mem::take(&mut second.string),
            ..Node::any()
        });
    }
    first.array = match (first.array.take(), second.array.take()) {
        (Some(ours), Some(theirs)) => Some(Box::new(ours.merge(*theirs))),
        (ours, theirs) => ours.or(theirs),
    };
    first.object = match (first.object.take(), second.object.take()) {
        (Some(ours), Some(theirs)) => Some(Box::new(ours.merge(*theirs))),
        (ours, theirs) => ours.or(theirs),
    };
    if first.any_of.is_empty() {
        first.any_of = std::mem::take(&mut second.any_of);
    } else if !second.any_of.is_empty() {
        if first.any_of.len().saturating_mul(second.any_of.len()) <= COMBINATIONS {
            let theirs = std::mem::take(&mut second.any_of);
            first.any_of = std::mem::take(&mut first.any_of)
                .into_iter()
                .flat_map(|ours| {
                    theirs
                        .iter()
                        .map(move |their| merge(ours.clone(), their.clone()))
                })
                .collect();
        } else {
            first.all_of.push(Node {
                any_of: std::mem::take(&mut second.any_of),
                ..Node::any()
            });
        }
    }
    if first.one_of.is_empty() {
        first.one_of = std::mem::take(&mut second.one_of);
    } else if !second.one_of.is_empty() {
        first.all_of.push(Node {
            one_of: std::mem::take(&mut second.one_of),
            ..Node::any()
        });
    }
    if first.not.is_none() {
        first.not = second.not.take();
    } else if second.not.is_some() {
        first.all_of.push(Node {
            not: second.not.take(),
            ..Node::any()
        });
    }
    if first.reference.is_none() {
        first.reference = second.reference;
    } else if second.reference.is_some() && second.reference != first.reference {
        first.all_of.push(Node {
            reference: second.reference,
            ..Node::any()
        });
    }
    first.all_of.append(&mut second.all_of);
    first
}

impl Notes {
    /// Fills what is missing from another schema's annotations.
    pub(crate) fn merge(&mut self, other: Self) {
        self.title = self.title.take().or(other.title);
        self.description = self.description.take().or(other.description);
        if self.variants.is_empty() {
            self.variants = other.variants;
        }
        self.default = self.default.take().or(other.default);
        if self.examples.is_empty() {
            self.examples = other.examples;
        }
        self.deprecated |= other.deprecated;
        self.header = self.header.take().or(other.header);
        self.titles = self.titles.take().or(other.titles);
    }
}

impl StringRules {
    /// Takes over the other's rules; `true` if a second pattern is left in `other`.
    fn merge(&mut self, other: &mut Self) -> bool {
        self.minimum = self.minimum.max(other.minimum.take());
        self.maximum = least(self.maximum, other.maximum.take());
        self.format = self.format.take().or(other.format.take());
        self.enforced = self.enforced.take().or(other.enforced.take());
        if self.pattern.is_none() {
            self.pattern = other.pattern.take();
        }
        other
            .pattern
            .as_ref()
            .is_some_and(|pattern| Some(pattern) != self.pattern.as_ref())
    }
}

impl ArrayRules {
    fn merge(mut self, other: Self) -> Self {
        let (ours, theirs) = (&self.items, &other.items);
        let (mut first, mut second) = (self.prefix.into_iter(), other.prefix.into_iter());
        let mut prefix = Vec::new();
        loop {
            let node = match (first.next(), second.next()) {
                (Some(one), Some(two)) => merge(one, two),
                (Some(one), None) => theirs.iter().cloned().fold(one, merge),
                (None, Some(two)) => ours.iter().cloned().fold(two, |two, one| merge(one, two)),
                (None, None) => break,
            };
            prefix.push(node);
        }
        self.prefix = prefix;
        self.items = match (self.items, other.items) {
            (Some(ours), Some(theirs)) => Some(merge(ours, theirs)),
            (ours, theirs) => ours.or(theirs),
        };
        self.minimum = self.minimum.max(other.minimum);
        self.maximum = least(self.maximum, other.maximum);
        self.unique |= other.unique;
        self
    }
}

impl ObjectRules {
    fn merge(mut self, other: Self) -> Self {
        for theirs in other.members {
            match self
                .members
                .iter_mut()
                .find(|ours| ours.name == theirs.name)
            {
                Some(ours) => {
                    let node = std::mem::replace(&mut ours.node, Node::any());
                    ours.node = merge(node, theirs.node);
                    ours.required |= theirs.required;
                }
                None => self.members.push(theirs),
            }
        }
        self.listed |= other.listed;
        self.aliases.extend(other.aliases);
        self.patterns.extend(other.patterns);
        self.additional = match (self.additional, other.additional) {
            (Additional::Refused, _) | (_, Additional::Refused) => Additional::Refused,
            (Additional::Schema(ours), Additional::Schema(theirs)) => {
                Additional::Schema(Box::new(merge(*ours, *theirs)))
            }
            (Additional::Open, other) | (other, Additional::Open) => other,
        };
        self.names = self.names.or(other.names);
        self.minimum = self.minimum.max(other.minimum);
        self.maximum = least(self.maximum, other.maximum);
        self
    }
}

/// The smaller of two limits, where none is no limit.
pub(crate) fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
