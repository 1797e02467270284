//! The portable form of the schema of arguments: the shapes that the hosts and the providers of models accept.
//!
//! It is for arguments alone. The schema of a result tells what serialisation produces, and is left as it is.

use super::merge::merge;
use super::node::{Additional, ArrayRules, Node, ObjectRules, Pattern, Types};
use super::number::Bound;
use super::portability::is_standard_format;
use super::simplify::simplify;
use serde_json::Value;
use std::cmp::Ordering;

/// Rewrites a schema and all that it contains.
pub(crate) fn portable(node: &mut Node) {
    shape(node);
    node.visit(&mut close);
}

/// Rewrites a result's schema: only what keeps it true.
pub(crate) fn truthful(node: &mut Node) {
    for child in node.children_mut() {
        truthful(child);
    }
    simplify(node);
}

/// Rewrites a schema given by hand, and leaves open what it leaves open.
pub(crate) fn portable_as_given(node: &mut Node) {
    node.visit(&mut |node| {
        let is_number = !node.types.contains(Types::STRING);
        // A numeric format is an annotation here: the width that it names is none of the schema's bounds.
        if is_number
            || node
                .string
                .format
                .as_deref()
                .is_some_and(|format| !is_standard_format(format))
        {
            if !is_number {
                let format = node.string.format.take();
                node.notes
                    .variants
                    .extend(format.map(|format| format!("Format: {format}")));
            }
            node.string.format = None;
        }
    });
    shape(node);
}

fn shape(node: &mut Node) {
    for child in node.children_mut() {
        shape(child);
    }
    simplify(node);
    // Before another union is multiplied with it, a union of unions has to be one.
    flatten_unions(node);
    unite(node);
    exclude_zero(node);
    distribute(node);
    split_types(node);
    flatten_unions(node);
    if let Some(rules) = &mut node.array {
        tuple(rules);
    }
    if let Some(rules) = &mut node.object {
        members(rules);
        map(rules);
    }
    if let Some(mut default) = node.notes.default.take() {
        leave_out_nulls(&mut default, node);
        node.notes.default = Some(default);
    }
}

/// `oneOf` becomes `anyOf`: the variants of an enum exclude each other anyway, and hosts know `anyOf` better.
fn unite(node: &mut Node) {
    let one_of = std::mem::take(&mut node.one_of);
    if !one_of.is_empty() {
        *node = merge(
            std::mem::replace(node, Node::any()),
            Node {
                any_of: one_of,
                ..Node::any()
            },
        );
    }
}

/// An integer that is `not` zero is below or above it.
fn exclude_zero(node: &mut Node) {
    let zero = |not: &Node| {
        not.values
            .as_deref()
            .is_some_and(|values| matches!(values, [value] if value.as_i64() == Some(0)))
    };
    if node.types != Types::INTEGER || !node.not.as_deref().is_some_and(zero) {
        return;
    }
    node.not = None;
    let side = |least: &str, most: &str| {
        let mut side = Node::of(Types::INTEGER);
        side.number.minimum = Bound::new(least);
        side.number.maximum = Bound::new(most);
        side
    };
    let mut negative = side("-1", "-1");
    negative.number.minimum = node.number.minimum.clone();
    let mut positive = side("1", "1");
    positive.number.maximum = node.number.maximum.clone();
    node.number.minimum = None;
    node.number.maximum = None;
    let zero = Bound::new("0");
    let reaches = |bound: &Option<Bound>, side: Ordering| match (bound, &zero) {
        (Some(bound), Some(zero)) => bound.value.cmp(&zero.value) == side,
        _ => true,
    };
    match (
        reaches(&negative.number.minimum, Ordering::Less),
        reaches(&positive.number.maximum, Ordering::Greater),
    ) {
        (false, _) => *node = merge(std::mem::replace(node, Node::any()), positive),
        (_, false) => *node = merge(std::mem::replace(node, Node::any()), negative),
        _ => node.any_of = vec![negative, positive],
    }
}

/// What stands beside a union moves into its alternatives, so that each is whole and can be closed.
fn distribute(node: &mut Node) {
    if node.any_of.is_empty() {
        return;
    }
    let notes = std::mem::take(&mut node.notes);
    let alternatives = std::mem::take(&mut node.any_of);
    if *node != Node::any() {
        let base = std::mem::replace(node, Node::any());
        node.any_of = alternatives
            .into_iter()
            .map(|alternative| {
                let mut whole = merge(base.clone(), alternative);
                distribute(&mut whole);
                if let Some(rules) = &mut whole.object {
                    members(rules);
                }
                whole
            })
            .collect();
    } else {
        node.any_of = alternatives;
    }
    node.notes = notes;
}

/// A list of types becomes a union of schemas with one type each.
pub(crate) fn split_types(node: &mut Node) {
    if node.types == Types::ANY
        || node.types.is_empty()
        || node.types.is_single()
        || node.is_compound()
    {
        return;
    }
    let notes = std::mem::take(&mut node.notes);
    let whole = std::mem::replace(node, Node::any());
    node.any_of = whole
        .types
        .each()
        .map(|(types, _)| only(&whole, types))
        .collect();
    node.notes = notes;
}

/// What a schema says about values of one type.
fn only(whole: &Node, types: Types) -> Node {
    let mut node = Node::of(types);
    if Types::NUMBER.contains(types) {
        node.number = whole.number.clone();
    }
    if types == Types::STRING {
        node.string = whole.string.clone();
    }
    if types == Types::ARRAY {
        node.array = whole.array.clone();
    }
    if types == Types::OBJECT {
        node.object = whole.object.clone();
    }
    // `null` has a single value, which needs no list.
    if types != Types::NULL {
        node.values = whole.values.as_ref().map(|values| {
            values
                .iter()
                .filter(|value| !Types::of(value).common(types).is_empty())
                .cloned()
                .collect()
        });
    }
    node
}

/// Unions directly inside a union become part of it, and equal alternatives one.
fn flatten_unions(node: &mut Node) {
    if node.any_of.is_empty() {
        return;
    }
    let mut flat: Vec<Node> = Vec::new();
    for alternative in std::mem::take(&mut node.any_of) {
        let pure = Node {
            any_of: alternative.any_of.clone(),
            ..Node::any()
        } == alternative;
        let parts = if pure && !alternative.any_of.is_empty() {
            alternative.any_of
        } else {
            vec![alternative]
        };
        for part in parts {
            if !flat.contains(&part) {
                flat.push(part);
            }
        }
    }
    if flat.len() == 1
        && let Some(only) = flat.pop()
    {
        *node = merge(std::mem::replace(node, Node::any()), only);
    } else {
        node.any_of = flat;
    }
}

/// A tuple shows its elements as `prefixItems`, and as `items` to hosts that know only those; when all are alike, `items` is enough.
fn tuple(rules: &mut ArrayRules) {
    if rules.prefix.is_empty() {
        return;
    }
    let length = rules.prefix.len() as u64;
    if rules
        .items
        .as_ref()
        .is_some_and(|items| items.types.is_empty())
    {
        rules.items = None;
        rules.maximum = Some(rules.maximum.map_or(length, |maximum| maximum.min(length)));
    }
    if rules.items.is_some() || rules.maximum != Some(length) {
        return;
    }
    let mut kinds: Vec<Node> = Vec::new();
    for element in &rules.prefix {
        let kind = element.bare();
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    rules.items = Some(match (kinds.len(), rules.prefix.first()) {
        (1, Some(first)) => {
            let items = if rules.prefix.iter().all(|element| element == first) {
                first.clone()
            } else {
                first.bare()
            };
            rules.prefix.clear();
            items
        }
        _ => {
            let mut union = Node {
                any_of: kinds,
                ..Node::any()
            };
            flatten_unions(&mut union);
            union
        }
    });
}

/// Optional members show their plain type: they are left out rather than sent as `null`.
fn members(rules: &mut ObjectRules) {
    for member in rules.members.iter_mut().filter(|member| !member.required) {
        without_null(&mut member.node);
        if member.node.notes.default == Some(Value::Null) && !accepts_null(&member.node) {
            member.node.notes.default = None;
        }
    }
}

/// Takes `null` away from a schema that accepts it beside other values.
pub(crate) fn without_null(node: &mut Node) {
    if node.types != Types::ANY && node.types.contains(Types::NULL) && node.types != Types::NULL {
        node.types = node.types.without(Types::NULL);
        if let Some(values) = &mut node.values {
            values.retain(|value| !value.is_null());
        }
    }
    if node.any_of.len() > 1 && node.any_of.iter().any(Node::is_null) {
        node.any_of.retain(|alternative| !alternative.is_null());
        if node.any_of.len() == 1
            && let Some(only) = node.any_of.pop()
        {
            *node = merge(std::mem::replace(node, Node::any()), only);
        }
    }
}

/// Whether `null` is one of the values of a schema; a reference is taken to say no, since `Option` is never behind one.
pub(crate) fn accepts_null(node: &Node) -> bool {
    node.types.contains(Types::NULL)
        && node.reference.is_none()
        && node
            .values
            .as_ref()
            .is_none_or(|values| values.iter().any(Value::is_null))
        && (node.any_of.is_empty() || node.any_of.iter().any(accepts_null))
        && (node.one_of.is_empty() || node.one_of.iter().any(accepts_null))
        && node.all_of.iter().all(accepts_null)
        && !node.not.as_deref().is_some_and(accepts_null)
}

/// Members of a shown value that are `null` for absence are left out, as the schema says of them.
pub(crate) fn leave_out_nulls(value: &mut Value, node: &Node) {
    match value {
        Value::Object(values) => {
            let rules = node.object.as_deref();
            let member = |name: &str| {
                rules.and_then(|rules| rules.members.iter().find(|member| member.name == name))
            };
            values.retain(|name, value| {
                !value.is_null()
                    || member(name)
                        .is_none_or(|member| member.required || accepts_null(&member.node))
            });
            for (name, value) in values {
                if let Some(member) = member(name) {
                    leave_out_nulls(value, &member.node);
                }
            }
        }
        Value::Array(values) => {
            if let Some(items) = node.array.as_deref().and_then(|rules| rules.items.as_ref()) {
                values
                    .iter_mut()
                    .for_each(|value| leave_out_nulls(value, items));
            }
        }
        _ => {}
    }
}

/// Keys that are no strings in Rust: the pattern moves to `propertyNames`, and the values are shown as those of any map.
fn map(rules: &mut ObjectRules) {
    if let Additional::Schema(all) = &rules.additional {
        rules.patterns.retain(|(_, node)| *node != **all);
    }
    if !rules.members.is_empty() || rules.additional != Additional::Refused {
        return;
    }
    if let [(pattern, node)] = rules.patterns.as_slice() {
        rules.names = Some(decodable(pattern));
        rules.additional = Additional::Schema(Box::new(node.clone()));
        rules.patterns.clear();
    }
}

/// Integer keys as serde_json reads them: like a number of JSON, without leading zeros.
fn decodable(pattern: &Pattern) -> Pattern {
    let source = match pattern.source.as_str() {
        r"^-?\d+$" => "^(0|-?[1-9][0-9]*)$",
        r"^\d+$" => "^(0|[1-9][0-9]*)$",
        _ => return pattern.clone(),
    };
    match regex_lite::Regex::new(source) {
        Ok(regex) => Pattern {
            source: source.to_owned(),
            regex,
        },
        Err(_) => pattern.clone(),
    }
}

/// A record refuses members that it does not have, so that a misspelt optional one is told and not dropped.
fn close(node: &mut Node) {
    let compound = node.is_compound();
    if let Some(rules) = &mut node.object
        && !compound
        && rules.listed
        && rules.additional == Additional::Open
        && rules.patterns.is_empty()
    {
        rules.additional = Additional::Refused;
    }
}
