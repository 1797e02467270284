//! Schemas given by hand: enforced in full or refused, and published in the portable form or exactly as they are.
//!
//! A keyword that is shown but not enforced would be a lie to the model, so a schema with keywords that our checker does not know
//! needs the feature `full-schema`. Nothing is ever fetched.

use super::SchemaProblems;
use super::cursor::{Cursor, Kind};
use super::fault::{Fault, Path};
use super::headers;
use super::node::Member;
use super::parse::{ParsedSchema, Reader};
use super::portable::portable_as_given;
use super::publish;
use super::reference::Document;
use super::safe_number;
use super::validator::Validator;
use serde_json::Value;

/// How much of a schema is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Checking {
    /// All of it.
    Whole,
    /// Only that required arguments are there; the rest is the handler's.
    Required,
}

/// What enforces a schema.
#[derive(Debug)]
pub(crate) enum Given {
    /// Our checker.
    Ours(Box<Validator>),
    /// The crate `jsonschema`.
    Full(Full),
    /// Nobody, but for the required arguments.
    Names(Names),
}

/// Keywords that constrain values and that our checker does not know.
const BEYOND: [&str; 16] = [
    "if",
    "then",
    "else",
    "contains",
    "minContains",
    "maxContains",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "unevaluatedItems",
    "unevaluatedProperties",
    "propertyNames",
    "additionalItems",
    "$dynamicRef",
    "$recursiveRef",
    "$dynamicAnchor",
];

/// Reads a schema given by hand.
pub(crate) fn read(schema: &Value, checking: Checking) -> Result<Given, SchemaProblems> {
    let mut problems = remote(schema);
    let Some(keywords) = schema.as_object() else {
        return Err(SchemaProblems::one(
            "the schema of arguments has to be a JSON object",
        ));
    };
    let document = Document {
        root: schema,
        definitions: None,
    };
    let mut reader = Reader::new(document, true);
    let mut root = reader.schema(schema, document);
    if reader.is_excessive() {
        reader = Reader::new(document, false);
        root = reader.schema(schema, document);
    }
    let (definitions, findings) = reader.finish();
    let members = root
        .object
        .as_ref()
        .map_or_else(Vec::new, |rules| in_order(keywords, &rules.members));
    if checking == Checking::Required {
        return if problems.is_empty() {
            Ok(Given::Names(Names { members }))
        } else {
            Err(SchemaProblems::new(problems))
        };
    }
    if keywords.get("type").and_then(Value::as_str) != Some("object") {
        problems.push(
            "the schema of arguments needs `\"type\": \"object\"` at its root, since arguments are always an object".to_owned(),
        );
    }
    problems.extend(headers::problems(schema));
    let beyond = beyond(keywords, &findings);
    if !beyond.is_empty() {
        if !problems.is_empty() {
            return Err(SchemaProblems::new(problems));
        }
        return Full::new(schema, members, &beyond).map(Given::Full);
    }
    problems.extend(
        findings
            .problems
            .into_iter()
            .filter(|problem| !problem.contains("leaves the schema")),
    );
    if !problems.is_empty() {
        return Err(SchemaProblems::new(problems));
    }
    if let Some(rules) = &mut root.object {
        rules.members = members;
    }
    Validator::new(root, definitions, true)
        .map(|compiled| Given::Ours(Box::new(compiled)))
        .map_err(SchemaProblems::one)
}

/// The text of a schema in the form that hosts and providers accept, and what `doctor` says of the form that was given.
pub(crate) fn portable_form(
    given: &Value,
    compiled: &Validator,
) -> Result<(String, Vec<String>), SchemaProblems> {
    let problems = safe_number::unsafe_values(compiled);
    if !problems.is_empty() {
        return Err(SchemaProblems::new(problems));
    }
    let (mut root, mut definitions) = (compiled.root.clone(), compiled.definitions.clone());
    for node in std::iter::once(&mut root).chain(definitions.iter_mut().map(|(_, node)| node)) {
        portable_as_given(node);
    }
    let remarks = ["oneOf", "anyOf", "allOf"]
        .into_iter()
        .filter(|_| !root.any_of.is_empty())
        .find(|keyword| given.get(keyword).is_some())
        .map(|keyword| format!(
            "the schema has `{keyword}` at its root, which hosts refuse: published in its place is one object with the members of all alternatives"
        ));
    Ok((
        publish::arguments(&root, &definitions),
        remarks.into_iter().collect(),
    ))
}

/// Members in the order of the author's `properties`, as far as the JSON map has kept it.
fn in_order(keywords: &serde_json::Map<String, Value>, members: &[Member]) -> Vec<Member> {
    let mut ordered = members.to_vec();
    let names: Vec<&String> = keywords
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|map| map.keys())
        .collect();
    let required: Vec<&str> = keywords
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    // Required ones lead in the order of `required`, which is how missing arguments are told.
    ordered.sort_by_key(|member| {
        (
            required
                .iter()
                .position(|name| *name == member.name)
                .unwrap_or(usize::MAX),
            names
                .iter()
                .position(|name| **name == member.name)
                .unwrap_or(usize::MAX),
        )
    });
    ordered
}

/// What our checker cannot enforce: keywords beyond it, or another dialect of JSON Schema.
fn beyond(keywords: &serde_json::Map<String, Value>, findings: &ParsedSchema) -> Vec<String> {
    let mut beyond: Vec<String> = findings
        .unknown
        .iter()
        .filter(|keyword| BEYOND.contains(&keyword.as_str()))
        .map(|keyword| format!("the keyword `{keyword}`"))
        .collect();
    if let Some(dialect) = keywords.get("$schema") {
        let name = dialect.as_str().unwrap_or_default();
        if name.trim_end_matches('#') != "https://json-schema.org/draft/2020-12/schema" {
            beyond.push(format!("the dialect {dialect}"));
        }
    }
    beyond
}

/// Keywords whose members are named by the author, each with a schema.
const NAMED: [&str; 5] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
];

/// Keywords that hold values and not schemas: a `$ref` in them refers to nothing.
const VALUES: [&str; 4] = ["const", "enum", "default", "examples"];

/// References that leave the schema: an iterative walk over everything that could be one.
fn remote(schema: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let mut pending = vec![schema];
    while let Some(value) = pending.pop() {
        match value {
            Value::Array(items) => pending.extend(items),
            Value::Object(members) => {
                for (key, value) in members {
                    match value {
                        Value::String(reference) if key == "$ref" && !reference.starts_with('#') => problems.push(format!(
                            "`$ref` to `{reference}` leaves the schema: references are never fetched, so copy what it points to into `$defs`"
                        )),
                        Value::Object(named) if NAMED.contains(&key.as_str()) => pending.extend(named.values()),
                        _ if VALUES.contains(&key.as_str()) => {}
                        _ => pending.push(value),
                    }
                }
            }
            _ => {}
        }
    }
    problems
}

/// Only the names of a schema that nobody enforces.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) members: Vec<Member>,
}

impl Names {
    /// The required arguments that are missing.
    pub(crate) fn missing(&self, arguments: &str) -> Vec<Fault> {
        let mut given = Vec::new();
        let mut cursor = Cursor::new(arguments);
        let mut first = true;
        if cursor.kind() == Some(Kind::Object) && cursor.enter(b'{').is_some() {
            while cursor.next(&mut first, b'}') == Some(true) {
                let Some(key) = cursor.key().and_then(|key| key.decode()) else {
                    break;
                };
                given.push(key);
                if cursor.skip().is_none() {
                    break;
                }
            }
        }
        let missing = |(index, member): (usize, &Member)| {
            let there = !member.required || given.iter().any(|name| *name == member.name);
            (!there).then(|| Fault::missing(&Path::Arguments, &member.name, index))
        };
        self.members
            .iter()
            .enumerate()
            .filter_map(missing)
            .collect()
    }
}

/// A schema that the crate `jsonschema` enforces.
#[derive(Debug)]
pub(crate) struct Full {
    pub(crate) members: Vec<Member>,
    names: Names,
    #[cfg(feature = "full-schema")]
    validator: jsonschema::Validator,
}

impl Full {
    #[cfg(not(feature = "full-schema"))]
    fn new(_: &Value, _: Vec<Member>, beyond: &[String]) -> Result<Self, SchemaProblems> {
        Err(SchemaProblems::new(
            beyond
                .iter()
                .map(|what| format!("{what} is not supported: switch on the feature `full-schema` of `mcp-runtime`, or do without it"))
                .collect(),
        ))
    }

    #[cfg(feature = "full-schema")]
    fn new(schema: &Value, members: Vec<Member>, _: &[String]) -> Result<Self, SchemaProblems> {
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .build(schema)
            .map_err(|error| SchemaProblems::one(format!("the schema is not valid: {error}")))?;
        Ok(Self {
            names: Names {
                members: members.clone(),
            },
            members,
            validator,
        })
    }

    /// All that is wrong with an arguments object.
    #[cfg(feature = "full-schema")]
    pub(crate) fn faults(&self, arguments: &str) -> Vec<Fault> {
        let value: Value = match serde_json::from_str(arguments) {
            Ok(value) => value,
            Err(_) => {
                return vec![Fault::whole(
                    "the arguments hold a number that a 64-bit float cannot hold",
                )];
            }
        };
        let mut faults = self.names.missing(arguments);
        for error in self.validator.iter_errors(&value) {
            let place = error.instance_path().to_string();
            // A missing argument has been told in the words that callers know.
            let told = match error.kind() {
                jsonschema::error::ValidationErrorKind::Required { property } => {
                    place.is_empty()
                        && self
                            .members
                            .iter()
                            .any(|member| member.required && *property == *member.name)
                }
                _ => false,
            };
            if !told {
                faults.push(Fault::whole(if place.is_empty() {
                    error.to_string()
                } else {
                    format!("`{place}`: {error}")
                }));
            }
        }
        faults
    }

    /// All that is wrong with an arguments object: there is no such schema without the feature.
    #[cfg(not(feature = "full-schema"))]
    pub(crate) fn faults(&self, arguments: &str) -> Vec<Fault> {
        self.names.missing(arguments)
    }
}
