//! Numbers beyond ±(2^53 − 1), which hosts round: where they stand in a schema, and the published form of results and forms,
//! which has none and is otherwise the schema itself.
//!
//! Leaving out a constraint never makes a published schema stricter, also under `not` and `oneOf`.

use super::node::{Additional, Member, Node, ObjectRules, Types};
use super::number::{Decimal, MAX_SAFE_INTEGER};
use super::parse::Definitions;
use super::publish::resolved;
use super::validator::Validator;
use super::write;
use serde_json::Value;

/// The text of a schema of results or answers, which stays as it is but for numbers that hosts do not keep.
pub(crate) fn exact(root: &Node, definitions: &Definitions) -> String {
    let (mut root, mut definitions) = (root.clone(), definitions.clone());
    for node in definitions.iter_mut().map(|(_, node)| node) {
        leave_out_numbers(node);
    }
    leave_out_numbers(&mut root);
    write::schema(&root, &definitions)
}

/// The text of the schema of results, which says at its root that it is an object if it is one.
pub(crate) fn result(root: &Node, definitions: &Definitions) -> String {
    exact(&typed(root, definitions), definitions)
}

/// The text of the schema of objects whose member `result` is a result; `None` if each result is an object itself.
///
/// References are indices of definitions, which stay at the root.
pub(crate) fn wrapped_result(root: &Node, definitions: &Definitions) -> Option<String> {
    let root = typed(root, definitions);
    if root.types == Types::OBJECT {
        return None;
    }
    let result = Member {
        name: "result".to_owned(),
        node: root,
        required: true,
        nullable: false,
    };
    let mut wrapped = Node::of(Types::OBJECT);
    wrapped.object = Some(Box::new(ObjectRules {
        members: vec![result],
        listed: true,
        ..ObjectRules::default()
    }));
    Some(exact(&wrapped, definitions))
}

/// The root of the schema of results, with its type if it is an object.
fn typed(root: &Node, definitions: &Definitions) -> Node {
    let mut root = resolved(root, definitions);
    if root.types == Types::ANY && is_object(&root, definitions, definitions.len()) {
        root.types = Types::OBJECT;
    }
    root
}

/// Whether every value of a schema is an object; references are followed `depth` times.
fn is_object(node: &Node, definitions: &Definitions, depth: usize) -> bool {
    let all = |union: &[Node]| {
        !union.is_empty() && union.iter().all(|node| is_object(node, definitions, depth))
    };
    let target = node.reference.and_then(|index| definitions.get(index));
    node.types == Types::OBJECT
        || all(&node.any_of)
        || all(&node.one_of)
        || node
            .all_of
            .iter()
            .any(|node| is_object(node, definitions, depth))
        || (depth > 0 && target.is_some_and(|(_, node)| is_object(node, definitions, depth - 1)))
}

/// Defaults and listed values with a number that hosts do not keep, one sentence each.
pub(crate) fn unsafe_values(compiled: &Validator) -> Vec<String> {
    let mut problems = Vec::new();
    refuse_unsafe(&compiled.root, "", &mut problems);
    for (name, node) in &compiled.definitions {
        refuse_unsafe(node, name, &mut problems);
    }
    problems
}

fn refuse_unsafe(node: &Node, path: &str, problems: &mut Vec<String>) {
    let mut refuse = |noun: &str, value: &Value| {
        if let Some(number) = unsafe_number(value) {
            let place = if path.is_empty() {
                "the schema".to_owned()
            } else {
                format!("`{path}`")
            };
            problems.push(format!(
                "{place}: the {noun} {number} is beyond ±{MAX_SAFE_INTEGER} (2^53 − 1): hosts round such a number, and providers of models refuse the schema"
            ));
        }
    };
    for value in node.notes.default.iter() {
        refuse("default", value);
    }
    for value in node.values.iter().flatten() {
        refuse("value", value);
    }
    for child in node.in_place() {
        refuse_unsafe(child, path, problems);
    }
    if let Some(rules) = &node.array {
        for child in rules.prefix.iter().chain(&rules.items) {
            refuse_unsafe(child, &format!("{path}[]"), problems);
        }
    }
    if let Some(rules) = &node.object {
        for member in &rules.members {
            let path = if path.is_empty() {
                member.name.clone()
            } else {
                format!("{path}.{}", member.name)
            };
            refuse_unsafe(&member.node, &path, problems);
        }
        let additional = match &rules.additional {
            Additional::Schema(node) => Some(&**node),
            Additional::Open | Additional::Refused => None,
        };
        for child in rules
            .patterns
            .iter()
            .map(|(_, node)| node)
            .chain(additional)
        {
            refuse_unsafe(child, &format!("{path}.*"), problems);
        }
    }
}

/// The first number inside a value that is beyond ±(2^53 − 1).
pub(crate) fn unsafe_number(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => {
            let text = number.to_string();
            let is_safe = Decimal::parse(&text).is_some_and(|number| number.is_safe());
            (!is_safe).then_some(text)
        }
        Value::Array(items) => items.iter().find_map(unsafe_number),
        Value::Object(members) => members.values().find_map(unsafe_number),
        _ => None,
    }
}

/// Takes numbers beyond ±(2^53 − 1) from a schema that is otherwise published as it is; `true` if it accepts more than before.
fn leave_out_numbers(node: &mut Node) -> bool {
    let mut widened = own_numbers(node);
    if let Some(mut not) = node.not.take() {
        // What is excluded must not become more.
        if leave_out_numbers(&mut not) {
            widened = true;
        } else {
            node.not = Some(not);
        }
    }
    let mut one_of = std::mem::take(&mut node.one_of);
    let mut overlapping = false;
    for alternative in &mut one_of {
        overlapping |= leave_out_numbers(alternative);
    }
    for child in node.children_mut() {
        widened |= leave_out_numbers(child);
    }
    if !overlapping {
        node.one_of = one_of;
    } else if node.any_of.is_empty() {
        // Alternatives that accept more may overlap, which only `anyOf` allows.
        node.any_of = one_of;
    }
    widened | overlapping
}

fn own_numbers(node: &mut Node) -> bool {
    let mut widened = false;
    let rules = &mut node.number;
    for bound in [
        &mut rules.minimum,
        &mut rules.maximum,
        &mut rules.exclusive_minimum,
        &mut rules.exclusive_maximum,
        &mut rules.multiple_of,
    ] {
        widened |= bound.take_if(|bound| !bound.value.is_safe()).is_some();
    }
    let sizes = [&mut node.string.minimum, &mut node.string.maximum].into_iter();
    let sizes = sizes.chain(
        node.array
            .iter_mut()
            .flat_map(|rules| [&mut rules.minimum, &mut rules.maximum]),
    );
    let sizes = sizes.chain(
        node.object
            .iter_mut()
            .flat_map(|rules| [&mut rules.minimum, &mut rules.maximum]),
    );
    for size in sizes {
        widened |= size
            .take_if(|size| *size > MAX_SAFE_INTEGER.unsigned_abs())
            .is_some();
    }
    let has_unsafe =
        |values: &mut Vec<Value>| values.iter().any(|value| unsafe_number(value).is_some());
    widened |= node.values.take_if(has_unsafe).is_some();
    node.notes
        .default
        .take_if(|value| unsafe_number(value).is_some());
    node.notes
        .examples
        .retain(|value| unsafe_number(value).is_none());
    widened
}
