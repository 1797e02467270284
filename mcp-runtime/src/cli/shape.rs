//! What a schema lets a value be, as far as the command line has to know it to read a text.

use serde_json::Value;

/// How many references are followed from one place; beyond it anything may be.
const HOPS: usize = 16;

/// A kind of JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    /// All but strings.
    const OTHERS: [Self; 5] = [
        Self::Null,
        Self::Boolean,
        Self::Number,
        Self::Array,
        Self::Object,
    ];

    /// The kind of a JSON text.
    pub(super) fn of(json: &str) -> Self {
        match json.as_bytes().first() {
            Some(b'"') => Self::String,
            Some(b'{') => Self::Object,
            Some(b'[') => Self::Array,
            Some(b't' | b'f') => Self::Boolean,
            Some(b'n') => Self::Null,
            _ => Self::Number,
        }
    }

    fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }

    /// Whether a word of the keyword `type` stands for this kind.
    fn is_named(self, name: &str) -> bool {
        match self {
            Self::Null => name == "null",
            Self::Boolean => name == "boolean",
            Self::Number => name == "number" || name == "integer",
            Self::String => name == "string",
            Self::Array => name == "array",
            Self::Object => name == "object",
        }
    }
}

/// A schema within the schema of a tool's arguments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape<'s> {
    root: &'s Value,
    node: &'s Value,
}

static ANYTHING: Value = Value::Bool(true);

impl<'s> Shape<'s> {
    /// The schema of the whole arguments object.
    pub(super) fn root(schema: &'s Value) -> Self {
        Self {
            root: schema,
            node: schema,
        }
    }

    /// Whether a value of this kind may stand here.
    pub(super) fn accepts(self, kind: Kind) -> bool {
        self.accepts_within(kind, HOPS)
    }

    /// Whether nothing but a string may stand here.
    pub(super) fn is_text(self) -> bool {
        !Kind::OTHERS.into_iter().any(|kind| self.accepts(kind))
    }

    /// Whether the schema names a member.
    pub(super) fn declares(self, name: &str) -> bool {
        self.declared(name, HOPS).is_some()
    }

    /// The schema of a member, whether it is named or not.
    pub(super) fn member(self, name: &str) -> Self {
        self.declared(name, HOPS)
            .or_else(|| self.keyword("additionalProperties", HOPS))
            .filter(|shape| shape.node != &Value::Bool(false))
            .unwrap_or(self.with(&ANYTHING))
    }

    /// The schema of an array's elements.
    pub(super) fn element(self) -> Self {
        self.keyword("items", HOPS).unwrap_or(self.with(&ANYTHING))
    }

    fn with(self, node: &'s Value) -> Self {
        Self { node, ..self }
    }

    fn accepts_within(self, kind: Kind, hops: usize) -> bool {
        let Some(hops) = hops.checked_sub(1) else {
            return true;
        };
        if self.node == &Value::Bool(false) {
            return false;
        }
        let named = match &self.node["type"] {
            Value::String(name) => kind.is_named(name),
            Value::Array(names) => names
                .iter()
                .any(|name| name.as_str().is_some_and(|name| kind.is_named(name))),
            _ => true,
        };
        let listed = match (&self.node["enum"], self.node.get("const")) {
            (Value::Array(values), _) => values.iter().any(|value| Kind::of_value(value) == kind),
            (_, Some(value)) => Kind::of_value(value) == kind,
            _ => true,
        };
        named
            && listed
            && self
                .referred()
                .is_none_or(|shape| shape.accepts_within(kind, hops))
            && ["anyOf", "oneOf"].into_iter().all(|keyword| {
                self.node.get(keyword).is_none()
                    || self
                        .branches(keyword)
                        .any(|shape| shape.accepts_within(kind, hops))
            })
            && self
                .branches("allOf")
                .all(|shape| shape.accepts_within(kind, hops))
    }

    /// The schema under `properties`, here or in a schema that applies to the same value.
    fn declared(self, name: &str, hops: usize) -> Option<Self> {
        self.find(hops, &|node| node["properties"].get(name))
    }

    /// The schema under a keyword, here or in a schema that applies to the same value.
    fn keyword(self, keyword: &str, hops: usize) -> Option<Self> {
        self.find(hops, &|node| node.get(keyword))
    }

    fn find(self, hops: usize, look: &dyn Fn(&'s Value) -> Option<&'s Value>) -> Option<Self> {
        let hops = hops.checked_sub(1)?;
        look(self.node).map(|node| self.with(node)).or_else(|| {
            self.referred()
                .into_iter()
                .chain(
                    ["anyOf", "oneOf", "allOf"]
                        .into_iter()
                        .flat_map(|keyword| self.branches(keyword)),
                )
                .find_map(|shape| shape.find(hops, look))
        })
    }

    /// The schema that a local reference leads to.
    fn referred(self) -> Option<Self> {
        let pointer = self.node.get("$ref")?.as_str()?.strip_prefix('#')?;
        self.root.pointer(pointer).map(|node| self.with(node))
    }

    fn branches(self, keyword: &str) -> impl Iterator<Item = Self> {
        self.node
            .get(keyword)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(move |node| self.with(node))
    }
}
