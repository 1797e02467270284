//! Whether a schema lets in values about which it says nothing.

use super::node::{Additional, Node, Types};
use super::parse::Definitions;

/// Whether a value of the schema may hold, at some depth, a value of any type.
pub(super) fn holds_free_values(node: &Node, definitions: &Definitions) -> bool {
    is_free(node) || definitions.iter().any(|(_, node)| is_free(node))
}

fn is_free(node: &Node) -> bool {
    if !node.is_compound() && node.values.is_none() && node.types == Types::ANY {
        return true;
    }
    let open_array = node.types == Types::ARRAY
        && !node.is_compound()
        && node
            .array
            .as_ref()
            .is_none_or(|rules| rules.items.is_none() && rules.prefix.is_empty());
    let open_object = node.types == Types::OBJECT
        && !node.is_compound()
        && node
            .object
            .as_ref()
            .is_none_or(|rules| rules.additional == Additional::Open);
    let elements = node
        .array
        .iter()
        .flat_map(|rules| rules.prefix.iter().chain(&rules.items));
    let members = node.object.iter().flat_map(|rules| {
        let additional = match &rules.additional {
            Additional::Schema(node) => Some(&**node),
            Additional::Open | Additional::Refused => None,
        };
        rules
            .members
            .iter()
            .map(|member| &member.node)
            .chain(rules.patterns.iter().map(|(_, node)| node))
            .chain(additional)
    });
    open_array
        || open_object
        || node.in_place().any(is_free)
        || elements.chain(members).any(is_free)
}
