//! Integers that may be larger than what a 64-bit float tells apart: readers of JSON that know only such floats round them.

use super::node::{Additional, Node, Types};
use super::number::{Decimal, MAX_SAFE_INTEGER};
use super::validator::Validator;

/// The places of such integers, such as `ids[]`, each once; the value itself is an empty path.
pub(super) fn places(compiled: &Validator) -> Vec<String> {
    let mut places = Vec::new();
    walk(&compiled.root, "", &mut places);
    for (name, node) in &compiled.definitions {
        walk(node, name, &mut places);
    }
    places
}

fn walk(node: &Node, path: &str, places: &mut Vec<String>) {
    if is_large(node) && !places.iter().any(|place| place == path) {
        places.push(path.to_owned());
    }
    for child in node.in_place() {
        walk(child, path, places);
    }
    if let Some(array) = &node.array {
        for child in array.prefix.iter().chain(&array.items) {
            walk(child, &format!("{path}[]"), places);
        }
    }
    if let Some(object) = &node.object {
        let inside = |name: &str| match path {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        for member in &object.members {
            walk(&member.node, &inside(&member.name), places);
        }
        let additional = match &object.additional {
            Additional::Schema(node) => Some(&**node),
            Additional::Open | Additional::Refused => None,
        };
        let others = object.patterns.iter().map(|(_, node)| node);
        for child in others.chain(additional) {
            walk(child, &inside("*"), places);
        }
    }
}

/// Whether a schema is that of an integer, and its bounds let in what a 64-bit float rounds.
fn is_large(node: &Node) -> bool {
    if !node.types.contains(Types::INTEGER)
        || node.types.contains(Types::NUMBER)
        || node.values.is_some()
        || node.is_compound()
    {
        return false;
    }
    let edge = |text: String| Decimal::parse(&text);
    let (Some(least), Some(most)) = (
        edge((-MAX_SAFE_INTEGER).to_string()),
        edge(MAX_SAFE_INTEGER.to_string()),
    ) else {
        return false;
    };
    let number = &node.number;
    let low = [&number.minimum, &number.exclusive_minimum];
    let high = [&number.maximum, &number.exclusive_maximum];
    let is_bounded = low.into_iter().flatten().any(|bound| bound.value >= least)
        && high.into_iter().flatten().any(|bound| bound.value <= most);
    !is_bounded
}
