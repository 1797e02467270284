//! What in a schema some host or provider of models is known to refuse, although it is valid JSON Schema.

use super::compiled::Compiled;
use super::node::{Additional, Node, Types};

/// One sentence for each place that is not portable.
pub(crate) fn unportable(compiled: &Compiled) -> Vec<String> {
    let mut sentences = Vec::new();
    walk(&compiled.root, "", &mut sentences);
    for (name, node) in &compiled.definitions {
        walk(
            node,
            &format!("{name} (which refers to itself)"),
            &mut sentences,
        );
        sentences.push(format!(
            "`{name}` refers to itself: some hosts do not follow `$ref`"
        ));
    }
    sentences
}

fn walk(node: &Node, path: &str, sentences: &mut Vec<String>) {
    let place = if path.is_empty() {
        "the schema".to_owned()
    } else {
        format!("`{path}`")
    };
    let mut tell = |what: &str| sentences.push(format!("{place} {what}"));
    if node.any_of.iter().chain(&node.one_of).any(Node::is_null) {
        tell(
            "may be null beside another type, which some providers cannot express; an empty value or an optional member can",
        );
    }
    if node.types != Types::ANY && !node.types.is_single() && !node.types.is_empty() {
        tell("has a list of types");
    }
    if !node.one_of.is_empty() {
        tell("uses `oneOf`, which fewer hosts know than `anyOf`");
    }
    if !node.all_of.is_empty() {
        tell("uses `allOf`");
    }
    if node.not.is_some() || node.types.is_empty() {
        tell("uses `not`");
    }
    if let Some(array) = &node.array {
        if !array.prefix.is_empty() {
            tell(
                "is a tuple of different types: hosts that do not know `prefixItems` show it as a list",
            );
        }
        for child in array.prefix.iter().chain(&array.items) {
            walk(child, &format!("{path}[]"), sentences);
        }
    }
    if let Some(object) = &node.object {
        if !object.patterns.is_empty() {
            sentences.push(format!("{place} uses `patternProperties`"));
        }
        for member in &object.members {
            let path = if path.is_empty() {
                member.name.clone()
            } else {
                format!("{path}.{}", member.name)
            };
            walk(&member.node, &path, sentences);
        }
        let values = object.patterns.iter().map(|(_, node)| node);
        let additional = match &object.additional {
            Additional::Schema(node) => Some(&**node),
            Additional::Open | Additional::Refused => None,
        };
        for child in values.chain(additional) {
            walk(child, &format!("{path}.*"), sentences);
        }
    }
    for child in node.in_place() {
        walk(child, path, sentences);
    }
}
