//! From the JSON of a schema to its [`Node`]: every keyword that we know, references resolved.
//!
//! It judges by position, never by name: inside `properties` each key is a member's name, whatever it is called.

use super::node::{Additional, ArrayRules, Member, Node, ObjectRules, Pattern, Types};
use super::number::{Bound, Decimal};
use super::reference::{self, Document};
use serde_json::{Map, Value};

/// Beside the schema of a member: its other names, which are taken and not shown. `#[mcp_type]` writes it.
const ALIAS: &str = "x-mcp-alias";
/// Schemas nested deeper than this are refused, so that no walk over them can exhaust the stack.
const DEPTH: usize = 64;
/// With more schemas than this, references stay references instead of being inlined.
const INLINED: usize = 5_000;

/// What the reader has found beside the schema itself.
#[derive(Debug, Default)]
pub(crate) struct ParsedSchema {
    /// What makes the schema unusable, one sentence each.
    pub(crate) problems: Vec<String>,
    /// Keywords that are not enforced here.
    pub(crate) unknown: Vec<String>,
}

/// Reads schemas that share their definitions.
#[derive(Debug)]
pub(crate) struct Reader<'v> {
    document: Document<'v>,
    inline: bool,
    distributed: bool,
    read: usize,
    /// References that have become definitions, with their names; the node is there once it has been read.
    definitions: Vec<Definition<'v>>,
    pub(crate) findings: ParsedSchema,
}

#[derive(Debug)]
struct Definition<'v> {
    value: &'v Value,
    document: Document<'v>,
    name: String,
    node: Node,
}

/// Named schemas that references lead to.
pub(crate) type Definitions = Vec<(String, Node)>;

impl<'v> Reader<'v> {
    /// A reader; with `inline`, only recursive references remain references.
    pub(crate) fn new(document: Document<'v>, inline: bool) -> Self {
        Self {
            document,
            inline,
            distributed: false,
            read: 0,
            definitions: Vec::new(),
            findings: ParsedSchema::default(),
        }
    }

    /// What stands beside a union will be moved into its alternatives. Each of them then names all members, so what
    /// `unevaluatedProperties` lets in (schemars writes it for a map that is flattened beside an enum) is what each may have more.
    pub(crate) fn distributed(mut self, distributed: bool) -> Self {
        self.distributed = distributed;
        self
    }

    /// Reads a schema and what it refers to; `definitions` are then to be had from [`Reader::finish`].
    pub(crate) fn schema(&mut self, value: &'v Value, document: Document<'v>) -> Node {
        self.document = document;
        self.node(value, 0)
    }

    /// The definitions and findings, when all schemas have been read.
    pub(crate) fn finish(mut self) -> (Definitions, ParsedSchema) {
        // Reading a definition may add others, so this goes on until there is none left.
        let mut next = 0;
        while let Some(definition) = self.definitions.get(next) {
            self.document = definition.document;
            let node = self.node(definition.value, 0);
            self.definitions[next].node = node;
            next += 1;
        }
        (
            self.definitions
                .into_iter()
                .map(|definition| (definition.name, definition.node))
                .collect(),
            self.findings,
        )
    }

    /// Whether inlining has grown beyond reason, so that the schemas are better read again without it.
    pub(crate) fn is_excessive(&self) -> bool {
        self.inline && self.read > INLINED
    }

    fn problem(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if !self.findings.problems.contains(&sentence) {
            self.findings.problems.push(sentence);
        }
    }

    fn node(&mut self, value: &'v Value, depth: usize) -> Node {
        self.read += 1;
        if self.is_excessive() {
            return Node::any();
        }
        if depth > DEPTH {
            self.problem(format!("the schema is nested deeper than {DEPTH} levels"));
            return Node::any();
        }
        match value {
            Value::Bool(true) => Node::any(),
            Value::Bool(false) => Node::never(),
            Value::Object(keywords) => self.keywords(keywords, depth),
            other => {
                self.problem(format!("a schema has to be an object or a boolean, but `{other}` stands in the place of one"));
                Node::any()
            }
        }
    }

    fn keywords(&mut self, keywords: &'v Map<String, Value>, depth: usize) -> Node {
        let mut node = Node::any();
        let mut array = ArrayRules::default();
        let mut object = ObjectRules::default();
        let mut target = None;
        // By name, since the order of a JSON map is not ours and the order of the definitions follows from this one.
        let mut ordered: Vec<_> = keywords.iter().collect();
        ordered.sort_unstable_by_key(|(keyword, _)| keyword.as_str());
        for (keyword, value) in ordered {
            match keyword.as_str() {
                "type" => node.types = self.types(value),
                "enum" => node.values = self.list(keyword, value).map(<[_]>::to_vec),
                "const" => node.values = Some(vec![value.clone()]),
                "title" => node.notes.title = self.text(keyword, value),
                "description" => node.notes.description = self.text(keyword, value),
                "default" => node.notes.default = Some(value.clone()),
                "examples" => {
                    let examples = self.list(keyword, value);
                    node.notes.examples = examples.unwrap_or_default().to_vec();
                }
                "deprecated" => node.notes.deprecated = self.flag(keyword, value),
                "x-mcp-header" => node.notes.header = self.text(keyword, value),
                "minimum" => node.number.minimum = self.bound(keyword, value),
                "maximum" => node.number.maximum = self.bound(keyword, value),
                "exclusiveMinimum" => node.number.exclusive_minimum = self.bound(keyword, value),
                "exclusiveMaximum" => node.number.exclusive_maximum = self.bound(keyword, value),
                "multipleOf" => node.number.multiple_of = self.step(keyword, value),
                "minLength" => node.string.minimum = self.size(keyword, value),
                "maxLength" => node.string.maximum = self.size(keyword, value),
                "pattern" => {
                    let source = self.text(keyword, value);
                    node.string.pattern = source.and_then(|source| self.pattern(&source));
                }
                "format" => node.string.format = self.text(keyword, value),
                "prefixItems" => array.prefix = self.nodes(keyword, value, depth),
                "items" => array.items = Some(self.node(value, depth + 1)),
                "minItems" => array.minimum = self.size(keyword, value),
                "maxItems" => array.maximum = self.size(keyword, value),
                "uniqueItems" => array.unique = self.flag(keyword, value),
                "properties" => self.members(keywords, Some(value), &mut object, depth),
                "patternProperties" => object.patterns = self.patterns(value, depth),
                // `true` is kept apart from no word about it: what says that it is open is not closed.
                "additionalProperties" => {
                    object.additional = match value {
                        Value::Bool(false) => Additional::Refused,
                        other => Additional::Schema(Box::new(self.node(other, depth + 1))),
                    }
                }
                "unevaluatedProperties" if self.distributed && *value != Value::Bool(false) => {
                    object.additional = Additional::Schema(Box::new(self.node(value, depth + 1)));
                }
                "propertyNames" => object.names = self.names(value),
                "minProperties" => object.minimum = self.size(keyword, value),
                "maxProperties" => object.maximum = self.size(keyword, value),
                "anyOf" => node.any_of = self.nodes(keyword, value, depth),
                "oneOf" => node.one_of = self.nodes(keyword, value, depth),
                "allOf" => node.all_of = self.nodes(keyword, value, depth),
                "not" => node.not = Some(Box::new(self.node(value, depth + 1))),
                "$ref" => match value.as_str() {
                    Some(reference) => target = self.reference(reference, depth),
                    None => self.problem("`$ref` has to be a string"),
                },
                // Read with `properties`; what it holds is judged there.
                "required" => {}
                // These say nothing about a value.
                "$defs" | "definitions" | "$schema" | "$comment" | "$id" | "$anchor"
                | "readOnly" | "writeOnly" | "contentEncoding" | "contentMediaType"
                | "contentSchema" => {}
                other if other.starts_with("x-") => {}
                other => {
                    if !self.findings.unknown.iter().any(|known| known == other) {
                        self.findings.unknown.push(other.to_owned());
                    }
                }
            }
        }
        if !keywords.contains_key("properties") {
            self.members(keywords, None, &mut object, depth);
        }
        also_named(&mut object, keywords.get("properties"));
        if array != ArrayRules::default() {
            node.array = Some(Box::new(array));
        }
        if object != ObjectRules::default() {
            node.object = Some(Box::new(object));
        }
        match target {
            Some(target) if node == Node::any() => target,
            Some(target) => {
                node.all_of.insert(0, target);
                node
            }
            None => node,
        }
    }

    fn types(&mut self, value: &Value) -> Types {
        let names = match value {
            Value::Array(names) => names.as_slice(),
            name => std::slice::from_ref(name),
        };
        let mut types = Types::NONE;
        for name in names {
            match name.as_str().and_then(Types::named) {
                Some(known) => types = types.union(known),
                None => self.problem(format!("`type` has no meaning for `{name}`")),
            }
        }
        types
    }

    fn text(&mut self, keyword: &str, value: &Value) -> Option<String> {
        let text = value.as_str().map(str::to_owned);
        if text.is_none() {
            self.problem(format!("`{keyword}` has to be a string, but is `{value}`"));
        }
        text
    }

    fn flag(&mut self, keyword: &str, value: &Value) -> bool {
        value.as_bool().unwrap_or_else(|| {
            self.problem(format!(
                "`{keyword}` has to be `true` or `false`, but is `{value}`"
            ));
            false
        })
    }

    fn list(&mut self, keyword: &str, value: &'v Value) -> Option<&'v [Value]> {
        let list = value.as_array().map(Vec::as_slice);
        if list.is_none() {
            self.problem(format!("`{keyword}` has to be a list, but is `{value}`"));
        }
        list
    }

    /// The names in a `required`.
    fn names_listed(&mut self, value: &'v Value) -> Vec<&'v str> {
        let names = value.as_array().and_then(|names| {
            let names: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
            names
        });
        names.unwrap_or_else(|| {
            self.problem(format!(
                "`required` has to be a list of names, but is `{value}`"
            ));
            Vec::new()
        })
    }

    fn bound(&mut self, keyword: &str, value: &Value) -> Option<Bound> {
        let bound = value
            .as_number()
            .and_then(|number| Bound::new(number.to_string()));
        if bound.is_none() {
            self.problem(format!("`{keyword}` has to be a number, but is `{value}`"));
        }
        bound
    }

    fn step(&mut self, keyword: &str, value: &Value) -> Option<Bound> {
        let step = self.bound(keyword, value)?;
        let is_positive = Decimal::parse("0").is_some_and(|zero| step.value > zero);
        if !is_positive {
            self.problem(format!(
                "`{keyword}` has to be greater than 0, but is `{value}`"
            ));
        }
        is_positive.then_some(step)
    }

    fn size(&mut self, keyword: &str, value: &Value) -> Option<u64> {
        let size = value.as_u64();
        if size.is_none() {
            self.problem(format!(
                "`{keyword}` has to be a whole number that is not negative, but is `{value}`"
            ));
        }
        size
    }

    fn pattern(&mut self, source: &str) -> Option<Pattern> {
        match regex_lite::Regex::new(source) {
            Ok(regex) => Some(Pattern {
                source: source.to_owned(),
                regex,
            }),
            Err(error) => {
                self.problem(format!("the pattern `{source}` cannot be used: {error}"));
                None
            }
        }
    }

    fn nodes(&mut self, keyword: &str, value: &'v Value, depth: usize) -> Vec<Node> {
        match value {
            Value::Array(items) => items
                .iter()
                .map(|item| self.node(item, depth + 1))
                .collect(),
            _ => {
                self.problem(format!("`{keyword}` has to be a list of schemas"));
                Vec::new()
            }
        }
    }

    /// Members in the one order that does not depend on how a JSON map is kept: required ones as they are listed, then the
    /// others by name.
    fn members(
        &mut self,
        keywords: &'v Map<String, Value>,
        properties: Option<&'v Value>,
        object: &mut ObjectRules,
        depth: usize,
    ) {
        let required: Vec<&str> = match keywords.get("required") {
            Some(names) => self.names_listed(names),
            None => Vec::new(),
        };
        let empty = Map::new();
        let properties = match properties {
            Some(Value::Object(properties)) => {
                object.listed = true;
                Some(properties)
            }
            None => None,
            Some(_) => {
                self.problem("`properties` has to be an object");
                None
            }
        };
        let mut names: Vec<&str> = Vec::new();
        for name in &required {
            if !names.contains(name) {
                names.push(name);
            }
        }
        let first = names.len();
        names.extend(
            properties
                .unwrap_or(&empty)
                .keys()
                .map(String::as_str)
                .filter(|name| !required.contains(name)),
        );
        names[first..].sort_unstable();
        for (index, name) in names.into_iter().enumerate() {
            let node = match properties.and_then(|properties| properties.get(name)) {
                Some(value) => {
                    let aliases = value.get(ALIAS).and_then(Value::as_array);
                    let aliases = aliases.into_iter().flatten().filter_map(Value::as_str);
                    object
                        .aliases
                        .extend(aliases.map(|alias| (alias.to_owned(), name.to_owned())));
                    self.node(value, depth + 1)
                }
                None => Node::any(),
            };
            object.members.push(Member {
                name: name.to_owned(),
                node,
                required: index < first,
                nullable: false,
            });
        }
    }

    fn patterns(&mut self, value: &'v Value, depth: usize) -> Vec<(Pattern, Node)> {
        let Some(patterns) = value.as_object() else {
            self.problem("`patternProperties` has to be an object");
            return Vec::new();
        };
        let mut patterns: Vec<_> = patterns.iter().collect();
        patterns.sort_unstable_by_key(|(source, _)| source.as_str());
        patterns
            .into_iter()
            .filter_map(|(source, value)| {
                Some((self.pattern(source)?, self.node(value, depth + 1)))
            })
            .collect()
    }

    fn names(&mut self, value: &Value) -> Option<Pattern> {
        match value.as_object() {
            Some(rules) if rules.keys().all(|key| key == "pattern" || key == "type") => rules
                .get("pattern")
                .and_then(Value::as_str)
                .and_then(|source| self.pattern(source)),
            _ => {
                self.findings.unknown.push("propertyNames".to_owned());
                None
            }
        }
    }

    fn reference(&mut self, reference: &str, depth: usize) -> Option<Node> {
        let (value, document) = match self.document.resolve(reference) {
            Ok(found) => found,
            Err(problem) => {
                self.problem(problem);
                return None;
            }
        };
        if self.inline && !document.is_recursive(value) {
            let outer = std::mem::replace(&mut self.document, document);
            let node = self.node(value, depth + 1);
            self.document = outer;
            return Some(node);
        }
        let known = self
            .definitions
            .iter()
            .position(|definition| std::ptr::eq(definition.value, value));
        let index = known.unwrap_or_else(|| {
            let name = self.unused(&reference::name(reference));
            self.definitions.push(Definition {
                value,
                document,
                name,
                node: Node::any(),
            });
            self.definitions.len() - 1
        });
        Some(Node {
            reference: Some(index),
            ..Node::any()
        })
    }

    /// A name that no definition has yet.
    fn unused(&self, name: &str) -> String {
        let taken = |name: &str| {
            self.definitions
                .iter()
                .any(|definition| definition.name == name)
        };
        let mut candidate = name.to_owned();
        let mut number = 2;
        while taken(&candidate) {
            candidate = format!("{name}{number}");
            number += 1;
        }
        candidate
    }
}

/// What the other keywords say of members that are named: patterns apply to them, too, and a member that is required and not
/// listed is one of the others.
fn also_named(object: &mut ObjectRules, properties: Option<&Value>) {
    let ObjectRules {
        members,
        patterns,
        additional,
        ..
    } = object;
    for member in members {
        let is_listed = properties.is_some_and(|properties| properties.get(&member.name).is_some());
        let matching = patterns
            .iter()
            .filter(|(pattern, _)| pattern.regex.is_match(&member.name));
        let mut parts: Vec<Node> = matching.map(|(_, node)| node.clone()).collect();
        match additional {
            _ if is_listed || !parts.is_empty() => {}
            Additional::Open => {}
            Additional::Refused => parts.push(Node::never()),
            Additional::Schema(node) => parts.push((**node).clone()),
        }
        for part in parts {
            if member.node == Node::any() {
                member.node = part;
            } else {
                member.node.all_of.push(part);
            }
        }
    }
}
