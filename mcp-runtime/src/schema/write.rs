//! From a [`Node`] to JSON text, with the keywords in one fixed order.
//!
//! The text is written here and not by serde_json, whose maps keep one order or another depending on a feature that any crate of
//! the program may switch on.

use super::node::{Additional, ArrayRules, Node, ObjectRules, StringRules, Types};
use super::number::NumberRules;
use super::parse::Definitions;
use serde_json::Value;

/// The text of a schema; `definitions` are added to it as `$defs`.
pub(crate) fn schema(node: &Node, definitions: &Definitions) -> String {
    let mut writer = Writer {
        text: String::new(),
        definitions,
    };
    writer.node(node, true);
    writer.text
}

/// A value as compact JSON with the members of its objects sorted.
pub(crate) fn value(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                self::value(item, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| name.as_str());
            text.push('{');
            for (index, (name, member)) in members.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                string(name, text);
                text.push(':');
                self::value(member, text);
            }
            text.push('}');
        }
        Value::String(content) => string(content, text),
        scalar => text.push_str(&scalar.to_string()),
    }
}

/// A string as JSON.
pub(crate) fn string(content: &str, text: &mut String) {
    text.push_str(&Value::from(content).to_string());
}

struct Writer<'d> {
    text: String,
    definitions: &'d Definitions,
}

/// Writes the members of one JSON object.
struct Object {
    first: bool,
}

impl Object {
    fn key(&mut self, writer: &mut Writer<'_>, name: &str) {
        if !std::mem::take(&mut self.first) {
            writer.text.push(',');
        }
        string(name, &mut writer.text);
        writer.text.push(':');
    }

    fn raw(&mut self, writer: &mut Writer<'_>, name: &str, text: &str) {
        self.key(writer, name);
        writer.text.push_str(text);
    }

    fn value(&mut self, writer: &mut Writer<'_>, name: &str, content: &Value) {
        self.key(writer, name);
        value(content, &mut writer.text);
    }

    fn string(&mut self, writer: &mut Writer<'_>, name: &str, content: Option<&String>) {
        if let Some(content) = content {
            self.key(writer, name);
            string(content, &mut writer.text);
        }
    }

    fn size(&mut self, writer: &mut Writer<'_>, name: &str, size: Option<u64>) {
        if let Some(size) = size {
            self.raw(writer, name, &size.to_string());
        }
    }

    fn nodes(&mut self, writer: &mut Writer<'_>, name: &str, nodes: &[Node]) {
        if nodes.is_empty() {
            return;
        }
        self.key(writer, name);
        writer.list(nodes.iter(), |writer, node| writer.node(node, false));
    }
}

impl Writer<'_> {
    fn list<T>(&mut self, items: impl Iterator<Item = T>, mut each: impl FnMut(&mut Self, T)) {
        self.text.push('[');
        for (index, item) in items.enumerate() {
            if index > 0 {
                self.text.push(',');
            }
            each(self, item);
        }
        self.text.push(']');
    }

    fn node(&mut self, node: &Node, root: bool) {
        self.text.push('{');
        let mut object = Object { first: true };
        if let Some((name, _)) = node.reference.and_then(|index| self.definitions.get(index)) {
            let pointer = format!("#/$defs/{}", encoded(name));
            object.key(self, "$ref");
            string(&pointer, &mut self.text);
        }
        self.types(node, &mut object);
        object.string(self, "title", node.notes.title.as_ref());
        let lines: Vec<&str> = node
            .notes
            .description
            .iter()
            .chain(&node.notes.variants)
            .map(String::as_str)
            .collect();
        if !lines.is_empty() {
            object.key(self, "description");
            string(&lines.join("\n"), &mut self.text);
        }
        self.values(node, &mut object);
        if let Some(rules) = &node.object {
            self.object(rules, root, &mut object);
        }
        if let Some(rules) = &node.array {
            self.array(rules, &mut object);
        }
        self.string(&node.string, &mut object);
        self.number(&node.number, &mut object);
        object.nodes(self, "anyOf", &node.any_of);
        object.nodes(self, "oneOf", &node.one_of);
        object.nodes(self, "allOf", &node.all_of);
        if let Some(not) = &node.not {
            object.key(self, "not");
            self.node(not, false);
        }
        if let Some(default) = &node.notes.default {
            object.value(self, "default", default);
        }
        if !node.notes.examples.is_empty() {
            object.key(self, "examples");
            self.list(node.notes.examples.iter(), |writer, example| {
                value(example, &mut writer.text)
            });
        }
        if node.notes.deprecated {
            object.raw(self, "deprecated", "true");
        }
        object.string(self, "x-mcp-header", node.notes.header.as_ref());
        if root && !self.definitions.is_empty() {
            self.definitions(&mut object);
        }
        self.text.push('}');
    }

    fn types(&mut self, node: &Node, object: &mut Object) {
        if node.types.is_empty() {
            // The schema that accepts nothing, without a boolean schema.
            object.raw(self, "not", "{}");
        } else if node.types != Types::ANY {
            object.key(self, "type");
            if node.types.is_single() {
                self.text
                    .extend(node.types.each().map(|(_, name)| format!("\"{name}\"")));
            } else {
                self.list(node.types.each(), |writer, (_, name)| {
                    string(name, &mut writer.text)
                });
            }
        }
    }

    fn values(&mut self, node: &Node, object: &mut Object) {
        let Some(values) = &node.values else {
            return;
        };
        if let Some(titles) = &node.notes.titles {
            object.key(self, titles.keyword);
            self.list(
                values.iter().zip(&titles.texts),
                |writer, (content, title)| {
                    writer.text.push('{');
                    let mut option = Object { first: true };
                    option.value(writer, "const", content);
                    option.string(writer, "title", Some(title));
                    writer.text.push('}');
                },
            );
        } else {
            object.key(self, "enum");
            self.list(values.iter(), |writer, content| {
                value(content, &mut writer.text)
            });
        }
    }

    fn object(&mut self, rules: &ObjectRules, root: bool, object: &mut Object) {
        if !rules.members.is_empty() || (root && rules.listed) {
            object.key(self, "properties");
            self.text.push('{');
            let mut inner = Object { first: true };
            for member in &rules.members {
                inner.key(self, &member.name);
                self.node(&member.node, false);
            }
            self.text.push('}');
        }
        if rules.members.iter().any(|member| member.required) {
            object.key(self, "required");
            let required = rules.members.iter().filter(|member| member.required);
            self.list(required, |writer, member| {
                string(&member.name, &mut writer.text)
            });
        }
        match &rules.additional {
            Additional::Open => {}
            Additional::Refused => object.raw(self, "additionalProperties", "false"),
            // A map of anything is any object, which needs no word.
            Additional::Schema(node) if !rules.listed && **node == Node::any() => {}
            Additional::Schema(node) => {
                object.key(self, "additionalProperties");
                self.node(node, false);
            }
        }
        if let Some(names) = &rules.names {
            object.key(self, "propertyNames");
            self.text.push_str("{\"pattern\":");
            string(&names.source, &mut self.text);
            self.text.push('}');
        }
        if !rules.patterns.is_empty() {
            object.key(self, "patternProperties");
            self.text.push('{');
            let mut inner = Object { first: true };
            for (pattern, node) in &rules.patterns {
                inner.key(self, &pattern.source);
                self.node(node, false);
            }
            self.text.push('}');
        }
        object.size(self, "minProperties", rules.minimum);
        object.size(self, "maxProperties", rules.maximum);
    }

    fn array(&mut self, rules: &ArrayRules, object: &mut Object) {
        object.nodes(self, "prefixItems", &rules.prefix);
        if let Some(items) = &rules.items {
            object.key(self, "items");
            self.node(items, false);
        }
        object.size(self, "minItems", rules.minimum);
        object.size(self, "maxItems", rules.maximum);
        if rules.unique {
            object.raw(self, "uniqueItems", "true");
        }
    }

    fn string(&mut self, rules: &StringRules, object: &mut Object) {
        object.size(self, "minLength", rules.minimum);
        object.size(self, "maxLength", rules.maximum);
        object.string(
            self,
            "pattern",
            rules.pattern.as_ref().map(|pattern| &pattern.source),
        );
        object.string(self, "format", rules.format.as_ref());
    }

    fn number(&mut self, rules: &NumberRules, object: &mut Object) {
        for (name, bound) in [
            ("minimum", &rules.minimum),
            ("exclusiveMinimum", &rules.exclusive_minimum),
            ("maximum", &rules.maximum),
            ("exclusiveMaximum", &rules.exclusive_maximum),
            ("multipleOf", &rules.multiple_of),
        ] {
            if let Some(bound) = bound {
                object.raw(self, name, &bound.text);
            }
        }
    }

    fn definitions(&mut self, object: &mut Object) {
        object.key(self, "$defs");
        self.text.push('{');
        let mut inner = Object { first: true };
        let definitions = self.definitions;
        for (name, node) in definitions {
            inner.key(self, name);
            self.node(node, false);
        }
        self.text.push('}');
    }
}

/// A definition's name inside a JSON pointer inside a URI.
fn encoded(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        match byte {
            b'~' => text.push_str("~0"),
            b'/' => text.push_str("~1"),
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' => {
                text.push(char::from(byte))
            }
            other => text.push_str(&format!("%{other:02X}")),
        }
    }
    text
}
