//! A schema made ready: its text, and what checks values against it.

use super::check::{self, IntegerStrings};
use super::fault::{Fault, Path};
use super::format::Format;
use super::node::Node;
use super::parse::Definitions;
use super::portable::accepts_null;

/// A schema with its definitions, ready for use.
#[derive(Debug)]
pub(crate) struct Validator {
    pub(crate) root: Node,
    pub(crate) definitions: Definitions,
    strings: IntegerStrings,
}

impl Validator {
    /// Makes a schema ready. Of what is `received` from clients, `null` stands for the absence of an optional member, and a string
    /// may stand for an integer.
    pub(crate) fn new(
        root: Node,
        definitions: Definitions,
        received: bool,
    ) -> Result<Self, String> {
        if let Some(name) = endless(&definitions) {
            return Err(format!(
                "the definition `{name}` refers to itself and to nothing else"
            ));
        }
        Ok(Self::prepare(root, definitions, received))
    }

    /// The same for a schema without definitions, which cannot refer to itself.
    pub(crate) fn flat(root: Node, received: bool) -> Self {
        Self::prepare(root, Definitions::new(), received)
    }

    fn prepare(mut root: Node, mut definitions: Definitions, received: bool) -> Self {
        let mut ready = |node: &mut Node| {
            node.number.prepare();
            if received && let Some(format) = &node.string.format {
                node.string.enforced = Format::named(format);
            }
            for member in node.object.iter_mut().flat_map(|rules| &mut rules.members) {
                member.nullable = received && !member.required && !accepts_null(&member.node);
            }
        };
        root.visit(&mut ready);
        for (_, node) in &mut definitions {
            node.visit(&mut ready);
        }
        let strings = if received {
            IntegerStrings::Accepted
        } else {
            IntegerStrings::Refused
        };
        Self {
            root,
            definitions,
            strings,
        }
    }

    /// The schema as JSON, with every keyword that is enforced.
    #[cfg(test)]
    pub(crate) fn text(&self) -> String {
        super::write::schema(&self.root, &self.definitions)
    }

    /// Whether a JSON value satisfies the schema.
    pub(crate) fn accepts(&self, text: &str) -> bool {
        self.accepts_part(&self.root, text)
    }

    /// Whether a JSON value satisfies a schema inside of this one.
    pub(crate) fn accepts_part(&self, node: &Node, text: &str) -> bool {
        check::accepts(node, &self.definitions, text, self.strings)
    }

    /// All that is wrong with a JSON value.
    pub(crate) fn faults(&self, text: &str, path: &Path<'_>) -> Vec<Fault> {
        check::faults(&self.root, &self.definitions, text, self.strings, path)
    }
}

/// A definition that leads back to itself without going into a member or element, so that checking would never end.
fn endless(definitions: &Definitions) -> Option<&str> {
    definitions
        .iter()
        .enumerate()
        .find_map(|(index, (name, node))| {
            let mut seen = vec![false; definitions.len()];
            let mut pending = vec![node];
            while let Some(node) = pending.pop() {
                pending.extend(node.in_place());
                if let Some(next) = node.reference {
                    if next == index {
                        return Some(name.as_str());
                    }
                    if let Some(seen) = seen.get_mut(next)
                        && !std::mem::replace(seen, true)
                    {
                        pending.extend(definitions.get(next).map(|(_, node)| node));
                    }
                }
            }
            None
        })
}
