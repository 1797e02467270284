//! What in a published schema some host or provider of models is known to refuse, although it is valid JSON Schema.
//!
//! One list of keywords and formats, and one walk over the published text, whatever its source. The walk goes by position: a
//! member may be called like any keyword.

use super::reference::Document;
use super::safe_number::unsafe_number;
use serde_json::{Map, Value};

/// The keywords that a schema of arguments may have, as the documentation of the module `schema` lists them.
pub(crate) const KEYWORDS: [&str; 23] = [
    "type",
    "title",
    "description",
    "default",
    "enum",
    "anyOf",
    "$ref",
    "x-mcp-header",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "additionalProperties",
    "minProperties",
    "maxProperties",
];

/// The formats of strings that JSON Schema 2020-12 defines.
const FORMATS: [&str; 19] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

/// Schemas nested deeper are not looked into; those that are read are not as deep.
const MAX_DEPTH: usize = 128;

/// Whether JSON Schema defines a format.
pub(crate) fn is_standard_format(format: &str) -> bool {
    FORMATS.contains(&format)
}

/// One sentence for each place of a published schema that is not portable.
pub(crate) fn unportable(schema: &Value) -> Vec<String> {
    let mut walk = Walk {
        document: Document {
            root: schema,
            definitions: None,
        },
        sentences: Vec::new(),
    };
    walk.schema(schema, "", 0);
    if let Some(keywords) = schema.as_object() {
        for key in ["$defs", "definitions"] {
            let definitions = keywords.get(key).and_then(Value::as_object);
            for (name, node) in definitions.into_iter().flatten() {
                if walk.document.is_recursive(node) {
                    walk.sentences.push(format!(
                        "`{name}` refers to itself: some hosts do not follow `$ref`"
                    ));
                }
                walk.schema(node, &format!("{key}.{name}"), 1);
            }
        }
    }
    walk.sentences
}

struct Walk<'v> {
    document: Document<'v>,
    sentences: Vec<String>,
}

impl<'v> Walk<'v> {
    fn tell(&mut self, path: &str, what: &str) {
        let place = if path.is_empty() {
            "the schema".to_owned()
        } else {
            format!("`{path}`")
        };
        let sentence = format!("{place} {what}");
        if !self.sentences.contains(&sentence) {
            self.sentences.push(sentence);
        }
    }

    fn schema(&mut self, schema: &'v Value, path: &str, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        let Some(keywords) = schema.as_object() else {
            self.tell(
                path,
                &format!("is `{schema}` in the place of a schema, which some providers refuse"),
            );
            return;
        };
        let is_root = depth == 0;
        for (keyword, value) in keywords {
            self.keyword(keyword, value, keywords, path, is_root);
            self.children(keyword, value, path, depth);
        }
        if has_type(keywords, "array") && !keywords.contains_key("items") {
            self.tell(
                path,
                "is an array without `items`, which some providers refuse",
            );
        }
        if is_root && !keywords.contains_key("properties") {
            self.tell(path, "has no `properties`, which some hosts need");
        }
        for keyword in ["properties", "items"] {
            if keywords.contains_key(keyword) && !keywords.contains_key("type") {
                self.tell(
                    path,
                    &format!("has `{keyword}` and no `type`, which some providers refuse"),
                );
            }
        }
    }

    fn keyword(
        &mut self,
        keyword: &str,
        value: &'v Value,
        keywords: &Map<String, Value>,
        path: &str,
        is_root: bool,
    ) {
        match keyword {
            "anyOf" | "oneOf" | "allOf" if is_root => {
                self.tell(path, &format!("has `{keyword}` at its root, which hosts refuse"));
            }
            "oneOf" => self.tell(path, "uses `oneOf`, which fewer hosts know than `anyOf`"),
            "prefixItems" => self.tell(
                path,
                "is a tuple of different types: hosts that do not know `prefixItems` show it as a list, and some providers refuse it",
            ),
            "$ref" => {
                let target = value.as_str().and_then(|target| self.document.resolve(target).ok());
                if !target.is_some_and(|(target, _)| self.document.is_recursive(target)) {
                    self.tell(path, "uses `$ref`, which some hosts do not follow");
                }
            }
            "$defs" | "definitions" if is_root => {}
            other if !KEYWORDS.contains(&other) => {
                self.tell(path, &format!("uses `{other}`, which some hosts or providers refuse"));
            }
            _ => {}
        }
        let is_null = |schema: &Value| schema.get("type").is_some_and(|name| name == "null");
        let nullable = match keyword {
            "anyOf" | "oneOf" => value
                .as_array()
                .is_some_and(|items| items.iter().any(is_null)),
            "type" => value
                .as_array()
                .is_some_and(|names| names.iter().any(|name| name == "null")),
            _ => false,
        };
        if nullable {
            self.tell(
                path,
                "may be null beside another type, which some providers cannot express; an empty value or an optional member can",
            );
        }
        match keyword {
            "type" if value.is_array() => {
                self.tell(path, "has a list of types, which some providers refuse")
            }
            "enum"
                if !value
                    .as_array()
                    .is_some_and(|values| values.iter().all(Value::is_string)) =>
            {
                self.tell(
                    path,
                    "has an `enum` of values that are not strings, which some providers refuse",
                );
            }
            "format"
                if !(value.as_str().is_some_and(is_standard_format)
                    && has_type(keywords, "string")) =>
            {
                self.tell(
                    path,
                    &format!("has the format {value}, which JSON Schema does not define for its type: some hosts refuse it"),
                );
            }
            _ => {}
        }
        if !SUBSCHEMAS.contains(&keyword)
            && let Some(number) = unsafe_number(value)
        {
            self.tell(
                path,
                &format!("has the number {number} in `{keyword}`: beyond ±(2^53 − 1) hosts round it, and providers refuse it"),
            );
        }
    }

    fn children(&mut self, keyword: &str, value: &'v Value, path: &str, depth: usize) {
        match (keyword, value) {
            ("properties" | "patternProperties" | "dependentSchemas", Value::Object(members)) => {
                for (name, schema) in members {
                    let path = if path.is_empty() {
                        name.clone()
                    } else {
                        format!("{path}.{name}")
                    };
                    if keyword == "properties" && !is_portable_name(name) {
                        self.tell(
                            &path,
                            "is a name that providers refuse: they accept 1 to 64 letters, digits, `_`, `.` and `-`",
                        );
                    }
                    self.schema(schema, &path, depth + 1);
                }
            }
            ("additionalProperties", Value::Bool(false)) => {}
            ("additionalProperties", schema) => {
                self.schema(schema, &format!("{path}.*"), depth + 1)
            }
            ("items", schema) if !schema.is_array() => {
                self.schema(schema, &format!("{path}[]"), depth + 1);
            }
            ("prefixItems" | "items", Value::Array(items)) => {
                for schema in items {
                    self.schema(schema, &format!("{path}[]"), depth + 1);
                }
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(parts)) => {
                for schema in parts {
                    self.schema(schema, path, depth + 1);
                }
            }
            ("not" | "if" | "then" | "else", schema) => self.schema(schema, path, depth + 1),
            _ => {}
        }
    }
}

/// Keywords that hold schemas, whose numbers are told at their own place.
const SUBSCHEMAS: [&str; 15] = [
    "properties",
    "patternProperties",
    "dependentSchemas",
    "additionalProperties",
    "items",
    "prefixItems",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "$defs",
    "definitions",
];

fn has_type(keywords: &Map<String, Value>, name: &str) -> bool {
    match keywords.get("type") {
        Some(Value::Array(names)) => names.iter().any(|known| known == name),
        Some(known) => known == name,
        None => false,
    }
}

/// The names of members that all providers accept.
fn is_portable_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}
