//! The form in which a schema is held: what `tools/list` shows is written from it, and values are checked against it.
//!
//! One form for both means that the two cannot differ. It holds the keywords of a portable schema and the few more that
//! results and schemas given by hand use, and no others.

use super::format::Format;
use super::number::NumberRules;
use serde_json::Value;

/// A set of JSON types; the empty set accepts nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const BOOLEAN: Self = Self(2);
    /// Numbers without a fractional part.
    pub(crate) const INTEGER: Self = Self(4);
    /// All numbers: always stands with `INTEGER`.
    pub(crate) const NUMBER: Self = Self(8 | 4);
    pub(crate) const STRING: Self = Self(16);
    pub(crate) const ARRAY: Self = Self(32);
    pub(crate) const OBJECT: Self = Self(64);
    pub(crate) const ANY: Self = Self(127);

    /// The types that have a name of their own, in the order in which they are written.
    pub(crate) const NAMED: [(Self, &'static str); 7] = [
        (Self::STRING, "string"),
        (Self::NUMBER, "number"),
        (Self::INTEGER, "integer"),
        (Self::BOOLEAN, "boolean"),
        (Self::ARRAY, "array"),
        (Self::OBJECT, "object"),
        (Self::NULL, "null"),
    ];

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::NAMED
            .iter()
            .find(|(_, known)| *known == name)
            .map(|(types, _)| *types)
    }

    /// The type of a value.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(_) => Self::NUMBER,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    /// The single types of the set, numbers once.
    pub(crate) fn each(self) -> impl Iterator<Item = (Self, &'static str)> {
        Self::NAMED.into_iter().filter(move |(types, _)| {
            self.contains(*types) && !(*types == Self::INTEGER && self.contains(Self::NUMBER))
        })
    }

    pub(crate) const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether exactly one of the named types is in the set.
    pub(crate) fn is_single(self) -> bool {
        self.each().count() == 1
    }
}

/// One schema.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) notes: Notes,
    pub(crate) types: Types,
    pub(crate) values: Option<Vec<Value>>,
    pub(crate) number: NumberRules,
    pub(crate) string: StringRules,
    pub(crate) array: Option<Box<ArrayRules>>,
    pub(crate) object: Option<Box<ObjectRules>>,
    pub(crate) any_of: Vec<Self>,
    pub(crate) one_of: Vec<Self>,
    pub(crate) all_of: Vec<Self>,
    pub(crate) not: Option<Box<Self>>,
    /// Index of a definition.
    pub(crate) reference: Option<usize>,
}

impl Node {
    /// The schema that accepts every value of some types.
    pub(crate) fn of(types: Types) -> Self {
        Self {
            notes: Notes::default(),
            types,
            values: None,
            number: NumberRules::default(),
            string: StringRules::default(),
            array: None,
            object: None,
            any_of: Vec::new(),
            one_of: Vec::new(),
            all_of: Vec::new(),
            not: None,
            reference: None,
        }
    }

    /// The schema that accepts everything.
    pub(crate) fn any() -> Self {
        Self::of(Types::ANY)
    }

    /// The schema that accepts nothing.
    pub(crate) fn never() -> Self {
        Self::of(Types::NONE)
    }

    /// The same schema without its annotations.
    pub(crate) fn bare(&self) -> Self {
        Self {
            notes: Notes::default(),
            ..self.clone()
        }
    }

    /// Whether the schema accepts `null` and nothing else.
    pub(crate) fn is_null(&self) -> bool {
        self.types == Types::NULL && !self.is_compound()
    }

    /// Whether other schemas apply to the same value.
    pub(crate) fn is_compound(&self) -> bool {
        self.reference.is_some()
            || self.not.is_some()
            || !(self.any_of.is_empty() && self.one_of.is_empty() && self.all_of.is_empty())
    }

    /// The schemas that apply to the same value, references aside.
    pub(crate) fn in_place(&self) -> impl Iterator<Item = &Self> {
        self.any_of
            .iter()
            .chain(&self.one_of)
            .chain(&self.all_of)
            .chain(self.not.as_deref())
    }

    /// The schemas directly inside, of the same value and of its parts.
    pub(crate) fn children_mut(&mut self) -> impl Iterator<Item = &mut Self> {
        let array = self
            .array
            .iter_mut()
            .flat_map(|rules| rules.prefix.iter_mut().chain(rules.items.as_mut()));
        let object = self.object.iter_mut().flat_map(|rules| {
            let extra = match &mut rules.additional {
                Additional::Schema(node) => Some(&mut **node),
                Additional::Open | Additional::Refused => None,
            };
            let patterns = rules.patterns.iter_mut().map(|(_, node)| node);
            rules
                .members
                .iter_mut()
                .map(|member| &mut member.node)
                .chain(patterns)
                .chain(extra)
        });
        self.any_of
            .iter_mut()
            .chain(&mut self.one_of)
            .chain(&mut self.all_of)
            .chain(self.not.as_deref_mut())
            .chain(array)
            .chain(object)
    }

    /// Visits this schema and all below it, each before what it contains.
    pub(crate) fn visit(&mut self, each: &mut dyn FnMut(&mut Self)) {
        each(self);
        for child in self.children_mut() {
            child.visit(each);
        }
    }
}

/// What a schema tells without constraining.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Notes {
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    /// One line for each documented value of an enumeration, written below the description.
    pub(crate) variants: Vec<String>,
    pub(crate) default: Option<Value>,
    pub(crate) examples: Vec<Value>,
    pub(crate) deprecated: bool,
    /// `x-mcp-header`.
    pub(crate) header: Option<String>,
    /// What people see in place of the values of an enumeration.
    pub(crate) titles: Option<Titles>,
}

/// One title for each value of an enumeration, which is written as a union of constants.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Titles {
    /// `oneOf` or `anyOf`.
    pub(crate) keyword: &'static str,
    pub(crate) texts: Vec<String>,
}

/// What a schema says about a string.
#[derive(Debug, Clone, Default)]
pub(crate) struct StringRules {
    pub(crate) minimum: Option<u64>,
    pub(crate) maximum: Option<u64>,
    pub(crate) pattern: Option<Pattern>,
    /// What is shown to the model.
    pub(crate) format: Option<String>,
    /// The same, if it is enforced.
    pub(crate) enforced: Option<Format>,
}

impl PartialEq for StringRules {
    fn eq(&self, other: &Self) -> bool {
        let source = |rules: &Self| rules.pattern.as_ref().map(|pattern| pattern.source.clone());
        let rest = |rules: &Self| (rules.minimum, rules.maximum, rules.enforced);
        rest(self) == rest(other) && self.format == other.format && source(self) == source(other)
    }
}

/// A regular expression: what is shown, and what is run.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub(crate) source: String,
    pub(crate) regex: regex_lite::Regex,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

/// What a schema says about an array.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ArrayRules {
    pub(crate) prefix: Vec<Node>,
    pub(crate) items: Option<Node>,
    pub(crate) minimum: Option<u64>,
    pub(crate) maximum: Option<u64>,
    pub(crate) unique: bool,
}

/// What a schema says about an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ObjectRules {
    /// In the order in which they are written.
    pub(crate) members: Vec<Member>,
    /// Whether the schema lists its members at all, which tells a record from a map.
    pub(crate) listed: bool,
    /// Other names of members, each with the name that is shown.
    pub(crate) aliases: Vec<(String, String)>,
    pub(crate) patterns: Vec<(Pattern, Node)>,
    pub(crate) additional: Additional,
    /// A pattern that the names outside `members` match.
    pub(crate) names: Option<Pattern>,
    pub(crate) minimum: Option<u64>,
    pub(crate) maximum: Option<u64>,
}

impl Default for ObjectRules {
    fn default() -> Self {
        Self {
            members: Vec::new(),
            listed: false,
            aliases: Vec::new(),
            patterns: Vec::new(),
            additional: Additional::Open,
            names: None,
            minimum: None,
            maximum: None,
        }
    }
}

impl ObjectRules {
    /// The index of a member by any of its names; `hint` is where it is if the client keeps the schema's order.
    pub(crate) fn find(&self, name: &str, hint: usize) -> Option<usize> {
        if self
            .members
            .get(hint)
            .is_some_and(|member| member.name == name)
        {
            return Some(hint);
        }
        let position = |name: &str| self.members.iter().position(|member| member.name == name);
        position(name).or_else(|| {
            let (_, shown) = self.aliases.iter().find(|(alias, _)| alias == name)?;
            position(shown)
        })
    }
}

/// One named member of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) node: Node,
    pub(crate) required: bool,
    /// Whether `null` stands for absence: the member is optional and `null` is not one of its values.
    pub(crate) nullable: bool,
}

/// What an object may hold beside its named members.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Additional {
    /// Anything, as nothing was said about it; the portable form closes a record that is left so.
    Open,
    /// Nothing.
    Refused,
    /// Values of one schema, which may be any.
    Schema(Box<Node>),
}
