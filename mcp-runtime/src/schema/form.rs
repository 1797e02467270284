//! The schema of a form: the restricted subset of the protocol's `requestedSchema`, written and enforced from one description.
//!
//! Nothing here knows how a form is declared or what becomes of its answers.

use super::canonical::canonical;
use super::constrain::{Bound, Constraints, constrain};
use super::fault::{Fault, Path};
use super::format::Format;
use super::node::{ArrayRules, Member, Node, ObjectRules, Titles, Types};
use super::safe_number;
use super::validator::Validator;
use serde_json::Value;

/// What a field of a form takes.
///
/// Not public API. Used by generated code.
#[derive(Debug, Clone, Copy)]
#[allow(
    clippy::exhaustive_enums,
    reason = "generated code holds it as a constant"
)]
pub enum FieldShape {
    /// A string.
    Text,
    /// A string of one character.
    Character,
    /// An integer that the type can hold.
    Integer {
        /// The least.
        least: i128,
        /// The greatest.
        most: i128,
    },
    /// A number.
    Float {
        /// Whether 32 bits hold it.
        is_single: bool,
    },
    /// `true` or `false`.
    Boolean,
    /// One of several values.
    Choice(&'static [Choice]),
    /// A list of several values.
    Choices(&'static [Choice]),
    /// Nothing that a form can ask for; generated code refuses it.
    Unfit,
}

/// One value of an enumeration.
///
/// Not public API. Used by generated code.
#[derive(Debug, Clone, Copy)]
#[allow(
    clippy::exhaustive_structs,
    reason = "generated code builds it as a constant"
)]
pub struct Choice {
    /// The value in JSON.
    pub value: &'static str,
    /// What people see; empty if no value of the enumeration has a title.
    pub title: &'static str,
}

/// One field of a form.
#[derive(Debug)]
pub(crate) struct FormMember<'a> {
    pub(crate) name: &'a str,
    pub(crate) title: &'a str,
    /// Empty if there is none.
    pub(crate) description: &'a str,
    pub(crate) shape: FieldShape,
    pub(crate) constraints: &'a Constraints,
    pub(crate) format: Option<Format>,
    pub(crate) default: Option<Value>,
    pub(crate) is_required: bool,
}

/// What a form looks like.
#[derive(Debug)]
pub(crate) struct FormSchema {
    json: String,
    compiled: Validator,
}

impl FormSchema {
    /// The schema of a form's fields, which keep their order.
    pub(crate) fn new(members: &[FormMember<'_>]) -> Self {
        let rules = ObjectRules {
            members: members.iter().map(member).collect(),
            listed: true,
            ..ObjectRules::default()
        };
        let root = Node {
            object: Some(Box::new(rules)),
            ..Node::of(Types::OBJECT)
        };
        Self {
            json: safe_number::exact(&root, &Vec::new()),
            compiled: Validator::flat(root, true),
        }
    }

    /// The schema as compact JSON.
    pub(crate) fn json(&self) -> &str {
        &self.json
    }

    /// All that is wrong with an answer.
    pub(crate) fn faults(&self, content: &str) -> Vec<Fault> {
        self.compiled.faults(content, &Path::Value)
    }

    /// The text of an accepted answer as serde reads it, or `None` if it can stay as it is.
    pub(crate) fn canonical(&self, content: &str) -> Option<String> {
        canonical(&self.compiled.root, &self.compiled.definitions, content)
    }
}

fn member(member: &FormMember<'_>) -> Member {
    let mut node = shape(member.shape);
    let mut problems = Vec::new();
    constrain(&mut node, member.constraints, &mut problems);
    debug_assert!(
        problems.is_empty(),
        "generated code refuses constraints that do not fit: {problems:?}"
    );
    if let Some(format) = member.format {
        node.string.format = Some(format.name().to_owned());
    }
    node.notes.title = Some(member.title.to_owned());
    if !member.description.is_empty() {
        node.notes.description = Some(member.description.to_owned());
    }
    node.notes.default.clone_from(&member.default);
    Member {
        name: member.name.to_owned(),
        node,
        required: member.is_required,
        nullable: false,
    }
}

fn shape(shape: FieldShape) -> Node {
    match shape {
        FieldShape::Text => Node::of(Types::STRING),
        FieldShape::Character => {
            let mut node = Node::of(Types::STRING);
            node.string.minimum = Some(1);
            node.string.maximum = Some(1);
            node
        }
        FieldShape::Integer { least, most } => {
            let width = Constraints {
                minimum: Some(Bound::Int(least)),
                maximum: Some(Bound::Int(most)),
                ..Constraints::NONE
            };
            let mut node = Node::of(Types::INTEGER);
            // An integer takes bounds, so there is nothing to report.
            constrain(&mut node, &width, &mut Vec::new());
            node
        }
        FieldShape::Float { is_single } => {
            let mut node = Node::of(Types::NUMBER);
            node.number.single = is_single;
            node
        }
        FieldShape::Boolean => Node::of(Types::BOOLEAN),
        FieldShape::Choice(choices) => enumeration(Node::of(Types::STRING), choices, "oneOf"),
        FieldShape::Choices(choices) => {
            // `TitledMultiSelectEnumSchema` has constants without a type for its items, the untitled one has the type.
            let items = if is_titled(choices) {
                Node::any()
            } else {
                Node::of(Types::STRING)
            };
            let mut node = Node::of(Types::ARRAY);
            node.array = Some(Box::new(ArrayRules {
                items: Some(enumeration(items, choices, "anyOf")),
                ..ArrayRules::default()
            }));
            node
        }
        FieldShape::Unfit => Node::never(),
    }
}

fn enumeration(mut node: Node, choices: &[Choice], keyword: &'static str) -> Node {
    node.values = Some(choices.iter().map(|choice| choice.value.into()).collect());
    node.notes.titles = is_titled(choices).then(|| Titles {
        keyword,
        texts: choices
            .iter()
            .map(|choice| choice.title.to_owned())
            .collect(),
    });
    node
}

fn is_titled(choices: &[Choice]) -> bool {
    choices.iter().any(|choice| !choice.title.is_empty())
}
