//! A schema made ready: its text, and what checks values against it.

use super::check;
use super::fault::{Fault, Path};
use super::node::Node;
use super::portable::accepts_null;
use super::read::Definitions;

/// A schema with its definitions, ready for use.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) root: Node,
    pub(crate) definitions: Definitions,
}

impl Compiled {
    /// Makes a schema ready; with `absent`, `null` stands for the absence of an optional member.
    pub(crate) fn new(root: Node, definitions: Definitions, absent: bool) -> Result<Self, String> {
        if let Some(name) = endless(&definitions) {
            return Err(format!(
                "the definition `{name}` refers to itself and to nothing else"
            ));
        }
        Ok(Self::prepare(root, definitions, absent))
    }

    /// The same for a schema without definitions, which cannot refer to itself.
    pub(crate) fn flat(root: Node, absent: bool) -> Self {
        Self::prepare(root, Definitions::new(), absent)
    }

    fn prepare(mut root: Node, mut definitions: Definitions, absent: bool) -> Self {
        let mut ready = |node: &mut Node| {
            node.number.prepare();
            for member in node.object.iter_mut().flat_map(|rules| &mut rules.members) {
                member.nullable = absent && !member.required && !accepts_null(&member.node);
            }
        };
        root.visit(&mut ready);
        for (_, node) in &mut definitions {
            node.visit(&mut ready);
        }
        Self { root, definitions }
    }

    /// Whether a JSON value satisfies the schema.
    pub(crate) fn accepts(&self, text: &str) -> bool {
        check::accepts(&self.root, &self.definitions, text)
    }

    /// All that is wrong with a JSON value.
    pub(crate) fn faults(&self, text: &str, path: &Path<'_>) -> Vec<Fault> {
        check::faults(&self.root, &self.definitions, text, path)
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
