//! What holds for every schema that we derive, of arguments and of results: no numeric `format`, bounds instead; an
//! enumeration in one list; `allOf` and keywords beside a `$ref` merged.
//!
//! Nothing here makes a schema less true: each step keeps the values that are accepted, or tightens them to what the type can hold.

use super::merge::merge;
use super::node::{Node, Types};
use super::number::{Bound, narrow};
use serde_json::Value;
use std::cmp::Ordering;

/// Rewrites one schema whose inner schemas have been rewritten.
pub(crate) fn simplify(node: &mut Node) {
    for part in std::mem::take(&mut node.all_of) {
        *node = merge(std::mem::replace(node, Node::any()), part);
    }
    name_types_of_values(node);
    widths(node);
    fold(node, |node| &mut node.any_of);
    fold(node, |node| &mut node.one_of);
}

/// A list of values without a type gets the type of its values.
fn name_types_of_values(node: &mut Node) {
    if let Some(values) = &node.values {
        let types = values.iter().fold(Types::NONE, |types, value| {
            types.union(match value {
                Value::Number(number) if !number.is_f64() => Types::INTEGER,
                other => Types::of(other),
            })
        });
        if !types.is_empty() {
            node.types = node.types.common(types);
        }
    }
}

/// A numeric `format` names the width of a Rust type, and validators of other languages warn of it on every call.
/// The bounds of the width say the same and are understood by all.
fn widths(node: &mut Node) {
    if node.types.contains(Types::STRING) || node.types.common(Types::NUMBER).is_empty() {
        return;
    }
    let Some(format) = node.string.format.take() else {
        return;
    };
    let (minimum, maximum) = match format.as_str() {
        "int8" => (i8::MIN.to_string(), i8::MAX.to_string()),
        "int16" => (i16::MIN.to_string(), i16::MAX.to_string()),
        "int32" => (i32::MIN.to_string(), i32::MAX.to_string()),
        "int64" => (i64::MIN.to_string(), i64::MAX.to_string()),
        "int128" => (i128::MIN.to_string(), i128::MAX.to_string()),
        "int" => (isize::MIN.to_string(), isize::MAX.to_string()),
        "uint8" => ("0".to_owned(), u8::MAX.to_string()),
        "uint16" => ("0".to_owned(), u16::MAX.to_string()),
        "uint32" => ("0".to_owned(), u32::MAX.to_string()),
        "uint64" => ("0".to_owned(), u64::MAX.to_string()),
        "uint128" => ("0".to_owned(), u128::MAX.to_string()),
        "uint" => ("0".to_owned(), usize::MAX.to_string()),
        "float" => {
            node.number.single = true;
            return;
        }
        _ => return,
    };
    narrow(
        &mut node.number.minimum,
        Bound::new(minimum),
        Ordering::Greater,
    );
    narrow(
        &mut node.number.maximum,
        Bound::new(maximum),
        Ordering::Less,
    );
}

/// Makes one list of the alternatives of a union that only list values, and tells in its description what each value means.
fn fold(node: &mut Node, union: fn(&mut Node) -> &mut Vec<Node>) {
    let alternatives = union(node);
    if alternatives.is_empty() {
        return;
    }
    let lists = |node: &Node| {
        node.values.is_some() && node.types.is_single() && node.bare() == listed(node)
    };
    let mut folded: Vec<Node> = Vec::new();
    for mut alternative in std::mem::take(alternatives) {
        if lists(&alternative) {
            describe(&mut alternative);
            if let Some(list) = folded
                .iter_mut()
                .find(|other| lists(other) && other.types == alternative.types)
            {
                join(list, alternative);
                continue;
            }
        }
        folded.push(alternative);
    }
    if folded.len() == 1
        && let Some(only) = folded.pop()
    {
        *node = merge(std::mem::replace(node, Node::any()), only);
    } else {
        *union(node) = folded;
    }
}

/// The schema that has only the values and type of another.
fn listed(node: &Node) -> Node {
    Node {
        values: node.values.clone(),
        ..Node::of(node.types)
    }
}

/// Turns a value's description into a line that names the value.
fn describe(node: &mut Node) {
    if let Some([value]) = node.values.as_deref()
        && let Some(description) = node.notes.description.take()
    {
        let name = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        node.notes.variants = vec![format!("- `{name}`: {}", description.replace('\n', " "))];
    }
}

fn join(list: &mut Node, mut other: Node) {
    let values = list.values.get_or_insert_default();
    for value in other.values.into_iter().flatten() {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    list.notes.variants.append(&mut other.notes.variants);
}
