//! What `#[arg(…)]` adds to the schema of a parameter's type.
//!
//! It does not check the attribute's own sense, which the macro does at compile time; it finds what only the type's schema tells,
//! such as a range on something that is no number.

use super::merge::least;
use super::node::{ArrayRules, Node, ObjectRules, Pattern, Types};
use super::number::{Bound as Limit, narrow};
use std::cmp::Ordering;

/// What `#[arg(…)]` says about a parameter's values.
///
/// Not public API. Used by generated code.
#[derive(Debug, Clone, Copy)]
#[allow(
    clippy::exhaustive_structs,
    reason = "generated code builds it as a constant"
)]
pub struct Constraints {
    /// The least number.
    pub minimum: Option<Bound>,
    /// The greatest number.
    pub maximum: Option<Bound>,
    /// Whether `maximum` itself is excluded, as in `0..10`.
    pub exclusive_maximum: bool,
    /// The least number of characters, elements or members.
    pub min_length: Option<u64>,
    /// The greatest number of characters, elements or members.
    pub max_length: Option<u64>,
    /// A regular expression that a string matches somewhere.
    pub pattern: Option<&'static str>,
    /// What a string is, such as `email`.
    pub format: Option<&'static str>,
}

impl Constraints {
    /// No constraints.
    pub const NONE: Self = Self {
        minimum: None,
        maximum: None,
        exclusive_maximum: false,
        min_length: None,
        max_length: None,
        pattern: None,
        format: None,
    };
}

/// One end of a range.
///
/// Not public API. Used by generated code.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "integer and float literals are all that a range can be written with"
)]
pub enum Bound {
    /// An integer literal.
    Int(i128),
    /// A float literal.
    Float(f64),
}

impl Bound {
    fn limit(self) -> Option<Limit> {
        match self {
            Self::Int(value) => Limit::new(value.to_string()),
            Self::Float(value) => serde_json::Number::from_f64(value)
                .and_then(|number| Limit::new(number.to_string())),
        }
    }
}

/// Adds the constraints to a schema; the sentences say what cannot be added.
pub(crate) fn constrain(node: &mut Node, constraints: &Constraints, problems: &mut Vec<String>) {
    if constraints.minimum.is_some() || constraints.maximum.is_some() {
        let fits = each(node, Types::NUMBER, &mut |node| range(node, constraints));
        refuse(fits, "`range` constrains numbers", node, problems);
    }
    if constraints.min_length.is_some() || constraints.max_length.is_some() {
        let sized = Types::STRING.union(Types::ARRAY).union(Types::OBJECT);
        let fits = each(node, sized, &mut |node| length(node, constraints));
        refuse(
            fits,
            "`length` constrains strings, arrays and maps",
            node,
            problems,
        );
    }
    if let Some(source) = constraints.pattern {
        match regex_lite::Regex::new(source) {
            Ok(regex) => {
                let pattern = Pattern {
                    source: source.to_owned(),
                    regex,
                };
                let fits = each(
                    node,
                    Types::STRING,
                    &mut |node| match &node.string.pattern {
                        Some(own) if *own != pattern => {
                            let mut part = Node::any();
                            part.string.pattern = Some(pattern.clone());
                            node.all_of.push(part);
                        }
                        _ => node.string.pattern = Some(pattern.clone()),
                    },
                );
                refuse(fits, "`pattern` constrains strings", node, problems);
            }
            Err(error) => problems.push(format!("the pattern `{source}` cannot be used: {error}")),
        }
    }
    if let Some(format) = constraints.format {
        let fits = each(node, Types::STRING, &mut |node| {
            node.string.format = Some(format.to_owned())
        });
        refuse(fits, "`format` describes strings", node, problems);
    }
}

fn refuse(fits: bool, rule: &str, node: &Node, problems: &mut Vec<String>) {
    if !fits {
        let found = super::fault::expected(node, &Vec::new(), false);
        problems.push(format!("{rule}, but this parameter takes {found}"));
    }
}

/// Applies a change to the schema, or to the alternatives of a union, where it has the right type; `false` if nowhere.
fn each(node: &mut Node, types: Types, change: &mut dyn FnMut(&mut Node)) -> bool {
    if !node.any_of.is_empty() {
        let mut fits = false;
        for part in &mut node.any_of {
            fits |= each(part, types, change);
        }
        return fits;
    }
    let fits = node.types != Types::ANY
        && !node.types.is_empty()
        && types.contains(node.types.without(Types::NULL));
    if fits && node.types != Types::NULL {
        change(node);
        return true;
    }
    false
}

fn range(node: &mut Node, constraints: &Constraints) {
    narrow(
        &mut node.number.minimum,
        constraints.minimum.and_then(Bound::limit),
        Ordering::Greater,
    );
    let integral = !node.types.contains(Types::NUMBER);
    match constraints.maximum {
        // Of integers the greatest below an excluded bound can be named, and hosts know `maximum` better.
        Some(Bound::Int(excluded)) if constraints.exclusive_maximum && integral => {
            let last = excluded
                .checked_sub(1)
                .map(Bound::Int)
                .and_then(Bound::limit);
            narrow(&mut node.number.maximum, last, Ordering::Less);
        }
        Some(excluded) if constraints.exclusive_maximum => {
            narrow(
                &mut node.number.exclusive_maximum,
                excluded.limit(),
                Ordering::Less,
            );
        }
        Some(last) => narrow(&mut node.number.maximum, last.limit(), Ordering::Less),
        None => {}
    }
}

fn length(node: &mut Node, constraints: &Constraints) {
    let (minimum, maximum) = if node.types.contains(Types::STRING) {
        (&mut node.string.minimum, &mut node.string.maximum)
    } else if node.types.contains(Types::ARRAY) {
        let rules = node
            .array
            .get_or_insert_with(|| Box::new(ArrayRules::default()));
        (&mut rules.minimum, &mut rules.maximum)
    } else {
        let rules = node
            .object
            .get_or_insert_with(|| Box::new(ObjectRules::default()));
        (&mut rules.minimum, &mut rules.maximum)
    };
    *minimum = (*minimum).max(constraints.min_length);
    *maximum = least(*maximum, constraints.max_length);
}
