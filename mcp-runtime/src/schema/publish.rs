//! The published form of a schema: what is enforced, without the keywords and numbers that hosts and providers refuse.
//!
//! Leaving out a constraint never makes the published schema stricter: every value that is enforced as valid is valid by the
//! published schema, too. The checker keeps the whole schema; nothing here changes what is enforced.

use super::merge::merge;
use super::node::{Additional, Member, Node, ObjectRules, Types};
use super::number::{Bound, MAX_SAFE_INTEGER, narrow};
use super::parse::Definitions;
use super::portability::is_standard_format;
use super::portable::split_types;
use super::safe_number::unsafe_number;
use super::simplify::simplify;
use super::write;
use serde_json::Value;
use std::cmp::Ordering;

/// The text of a schema of arguments.
pub(crate) fn arguments(root: &Node, definitions: &Definitions) -> String {
    let (mut root, mut definitions) = (resolved(root, definitions), definitions.clone());
    let mut shared = false;
    for node in definitions.iter_mut().map(|(_, node)| node) {
        reduce(node);
        shared = true;
    }
    reduce(&mut root);
    if !root.any_of.is_empty() {
        root = united(&root, &definitions);
    }
    root.types = Types::OBJECT;
    let rules = root.object.get_or_insert_default();
    rules.listed = true;
    if shared {
        definitions = reachable(&mut root, definitions);
    }
    write::schema(&root, &definitions)
}

/// A root behind references: a recursive type is the root of its schema, and not only a reference to itself.
pub(crate) fn resolved(root: &Node, definitions: &Definitions) -> Node {
    let mut root = root.clone();
    // A chain of references that does not end is refused before; this bounds every other.
    for _ in 0..=definitions.len() {
        let Some((_, target)) = root
            .reference
            .take()
            .and_then(|index| definitions.get(index))
        else {
            break;
        };
        root = merge(root, target.clone());
    }
    root
}

/// Takes from a schema of arguments what not all hosts and providers accept.
fn reduce(node: &mut Node) {
    node.not = None;
    node.all_of.clear();
    if node.any_of.is_empty() {
        node.any_of = std::mem::take(&mut node.one_of);
    }
    node.one_of.clear();
    if node.is_compound() {
        if !node.types.is_single() {
            node.types = Types::ANY;
        }
    } else {
        split_types(node);
    }
    leave_out_impossible(node);
    for child in node.children_mut() {
        reduce(child);
    }
    let mut lines = std::mem::take(&mut node.notes.variants);
    if node.types.is_empty() {
        node.types = Types::ANY;
        lines.push("No value is accepted.".to_owned());
    }
    values(node, &mut lines);
    numbers(node, &mut lines);
    strings(node, &mut lines);
    arrays(node, &mut lines);
    if let Some(rules) = &mut node.object {
        objects(rules, &mut lines);
    }
    annotations(node, &mut lines);
    node.notes.variants = lines;
}

/// Parts that accept nothing: without them the schema says the same, and needs no boolean schema.
fn leave_out_impossible(node: &mut Node) {
    let possible = |node: &Node| !node.types.is_empty();
    if node.any_of.iter().any(possible) {
        node.any_of.retain(possible);
    }
    if let Some(rules) = &mut node.array
        && rules.items.as_ref().is_some_and(|items| !possible(items))
    {
        let length = rules.prefix.len() as u64;
        rules.items = None;
        rules.maximum = Some(rules.maximum.map_or(length, |maximum| maximum.min(length)));
    }
    if let Some(rules) = &mut node.object {
        rules
            .members
            .retain(|member| member.required || possible(&member.node));
        if matches!(&rules.additional, Additional::Schema(node) if !possible(node)) {
            rules.additional = Additional::Refused;
        }
    }
}

/// Only strings are listed: of other values the text says which, and of numbers the bounds.
fn values(node: &mut Node, lines: &mut Vec<String>) {
    let Some(values) = &node.values else { return };
    if node.types == Types::STRING && !values.is_empty() && values.iter().all(Value::is_string) {
        return;
    }
    if node.types == Types::NULL {
        node.values = None;
        return;
    }
    lines.push(format!("One of: {}", listed(values)));
    if Types::NUMBER.contains(node.types) && !node.types.is_empty() {
        let mut numbers: Vec<Bound> = values
            .iter()
            .filter_map(|value| Bound::new(value.as_number()?.to_string()))
            .collect();
        numbers.sort_unstable_by(|one, other| one.value.cmp(&other.value));
        narrow(
            &mut node.number.minimum,
            numbers.first().cloned(),
            Ordering::Greater,
        );
        narrow(&mut node.number.maximum, numbers.pop(), Ordering::Less);
    }
    node.values = None;
}

/// Two inclusive bounds that hosts keep, and nothing else.
fn numbers(node: &mut Node, lines: &mut Vec<String>) {
    let rules = std::mem::take(&mut node.number);
    if node.types.common(Types::INTEGER).is_empty() {
        return;
    }
    if let Some(step) = &rules.multiple_of {
        lines.push(format!("A multiple of {}.", step.text));
    }
    let is_integer = !node.types.contains(Types::NUMBER);
    let mut inclusive = |bound: Option<Bound>, excluded: Option<Bound>, step: i128, words: &str| {
        let tighter = if step > 0 {
            Ordering::Greater
        } else {
            Ordering::Less
        };
        if is_integer {
            let mut bound = bound.and_then(|bound| integer(&bound, step, false));
            let excluded = excluded.and_then(|bound| integer(&bound, step, true));
            narrow(&mut bound, excluded, tighter);
            return bound.filter(|bound| bound.value.is_safe());
        }
        if let Some(excluded) = &excluded {
            lines.push(format!("{words} {}.", excluded.text));
        }
        let mut bound = bound;
        narrow(&mut bound, excluded, tighter);
        bound.filter(|bound| bound.value.is_safe())
    };
    let minimum = inclusive(rules.minimum, rules.exclusive_minimum, 1, "Greater than");
    let maximum = inclusive(rules.maximum, rules.exclusive_maximum, -1, "Less than");
    node.number.minimum = minimum;
    node.number.maximum = maximum;
}

/// The integer at a bound, or the next one in the direction of `step` if the bound is excluded or lies between two.
fn integer(bound: &Bound, step: i128, excluded: bool) -> Option<Bound> {
    if let Some(text) = bound.value.integer_text() {
        let value = text.parse::<i128>().ok()?;
        let next = if excluded {
            value.checked_add(step)?
        } else {
            value
        };
        return Bound::new(next.to_string());
    }
    let value = bound.text.parse::<f64>().ok()?;
    let next = if step > 0 {
        value.ceil()
    } else {
        value.floor()
    };
    // Beyond 2^53 there are no fractions, so the float is exact or its bound is left out.
    Bound::new(format!("{next:.0}")).map(|bound| {
        if bound.text == "-0" {
            Bound::from(0)
        } else {
            bound
        }
    })
}

fn strings(node: &mut Node, lines: &mut Vec<String>) {
    let rules = &mut node.string;
    if !node.types.contains(Types::STRING) {
        *rules = Default::default();
        return;
    }
    safe_sizes(&mut rules.minimum, &mut rules.maximum);
    if let Some(format) = &rules.format
        && !(is_standard_format(format) && node.types == Types::STRING)
    {
        lines.push(format!("Format: {format}"));
        rules.format = None;
    }
}

/// Every array says what its elements are.
fn arrays(node: &mut Node, lines: &mut Vec<String>) {
    if !node.types.contains(Types::ARRAY) {
        node.array = None;
        return;
    }
    if node.types == Types::ARRAY {
        let rules = node.array.get_or_insert_default();
        rules.items.get_or_insert_with(Node::any);
    }
    let Some(rules) = &mut node.array else { return };
    safe_sizes(&mut rules.minimum, &mut rules.maximum);
    if std::mem::take(&mut rules.unique) {
        lines.push("No element occurs twice.".to_owned());
    }
}

fn objects(rules: &mut ObjectRules, lines: &mut Vec<String>) {
    safe_sizes(&mut rules.minimum, &mut rules.maximum);
    if let Some(names) = rules.names.take() {
        lines.push(format!("Names match the pattern `{}`.", names.source));
    }
    let mut nodes = Vec::new();
    for (pattern, node) in std::mem::take(&mut rules.patterns) {
        lines.push(format!("Names may match the pattern `{}`.", pattern.source));
        nodes.push(node);
    }
    if nodes.is_empty() {
        return;
    }
    match std::mem::replace(&mut rules.additional, Additional::Open) {
        Additional::Open => return,
        Additional::Refused => {}
        Additional::Schema(node) => nodes.push(*node),
    }
    rules.additional = Additional::Schema(Box::new(any_of(nodes)));
}

fn annotations(node: &mut Node, lines: &mut Vec<String>) {
    let examples = std::mem::take(&mut node.notes.examples);
    if !examples.is_empty() {
        let noun = if examples.len() == 1 {
            "Example"
        } else {
            "Examples"
        };
        let is_integer = !node.types.is_empty() && Types::INTEGER.contains(node.types);
        let said: Vec<Value> = examples
            .into_iter()
            .map(|example| as_said(example, is_integer))
            .collect();
        lines.push(format!("{noun}: {}", listed(&said)));
    }
    if std::mem::take(&mut node.notes.deprecated) {
        lines.push("Deprecated.".to_owned());
    }
}

/// An integer beyond ±(2^53 − 1) is sent as a string, since hosts cannot hold it as a number.
fn as_said(example: Value, is_integer: bool) -> Value {
    match unsafe_number(&example) {
        Some(digits) if is_integer => digits.into(),
        _ => example,
    }
}

fn listed(values: &[Value]) -> String {
    let mut text = String::new();
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        write::value(value, &mut text);
    }
    text
}

fn safe_sizes(minimum: &mut Option<u64>, maximum: &mut Option<u64>) {
    for size in [minimum, maximum] {
        *size = size.filter(|size| *size <= MAX_SAFE_INTEGER.unsigned_abs());
    }
}

/// A union without repetitions.
fn any_of(nodes: Vec<Node>) -> Node {
    let mut different: Vec<Node> = Vec::new();
    for node in nodes {
        if !different.iter().any(|other| other.bare() == node.bare()) {
            different.push(node);
        }
    }
    if different.iter().any(|node| node.bare() == Node::any()) {
        return Node::any();
    }
    if different.len() == 1
        && let Some(only) = different.pop()
    {
        return only;
    }
    let mut union = Node {
        any_of: different,
        ..Node::any()
    };
    simplify(&mut union);
    union
}

/// One object in place of a union of objects at the root, which hosts refuse: the members of all alternatives, of which those
/// are required that all require.
fn united(root: &Node, definitions: &Definitions) -> Node {
    let alternatives: Vec<ObjectRules> = root
        .any_of
        .iter()
        .map(|alternative| {
            let node = resolved(alternative, definitions);
            node.object
                .map_or_else(ObjectRules::default, |rules| *rules)
        })
        .collect();
    let mut names: Vec<&str> = Vec::new();
    for member in alternatives.iter().flat_map(|rules| &rules.members) {
        if !names.contains(&member.name.as_str()) {
            names.push(&member.name);
        }
    }
    let mut whole = ObjectRules {
        listed: true,
        additional: Additional::Refused,
        ..ObjectRules::default()
    };
    if !alternatives
        .iter()
        .all(|rules| rules.additional == Additional::Refused)
    {
        whole.additional = Additional::Open;
    }
    for name in names {
        let mut required = true;
        let mut nodes = Vec::new();
        for rules in &alternatives {
            let member = rules.members.iter().find(|member| member.name == name);
            required &= member.is_some_and(|member| member.required);
            match (member, &rules.additional) {
                (Some(member), _) => nodes.push(member.node.clone()),
                (None, Additional::Refused) => {}
                (None, Additional::Open) => nodes.push(Node::any()),
                (None, Additional::Schema(node)) => nodes.push((**node).clone()),
            }
        }
        let notes = nodes
            .iter()
            .find(|node| node.notes != Default::default())
            .map(|node| node.notes.clone());
        let mut node = any_of(nodes);
        if let Some(notes) = notes {
            node.notes.merge(notes);
        }
        whole.members.push(Member {
            name: name.to_owned(),
            node,
            required,
            nullable: false,
        });
    }
    whole.members.sort_by_key(|member| !member.required);
    Node {
        notes: root.notes.clone(),
        object: Some(Box::new(whole)),
        ..Node::of(Types::OBJECT)
    }
}

/// The definitions that are still referred to, in their order.
fn reachable(root: &mut Node, definitions: Definitions) -> Definitions {
    let mut used = vec![false; definitions.len()];
    let mut pending = referred(root);
    while let Some(index) = pending.pop() {
        if let (Some(seen), Some((_, node))) = (used.get_mut(index), definitions.get(index))
            && !std::mem::replace(seen, true)
        {
            pending.extend(referred(&mut node.clone()));
        }
    }
    let position = |index: usize| used.iter().take(index).filter(|used| **used).count();
    let mut renumber = |node: &mut Node| node.reference = node.reference.map(position);
    root.visit(&mut renumber);
    let kept = definitions.into_iter().zip(&used);
    kept.filter(|(_, used)| **used)
        .map(|((name, mut node), _)| {
            node.visit(&mut renumber);
            (name, node)
        })
        .collect()
}

fn referred(node: &mut Node) -> Vec<usize> {
    let mut found = Vec::new();
    node.visit(&mut |node| found.extend(node.reference));
    found
}
