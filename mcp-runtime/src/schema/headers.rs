//! What `x-mcp-header` may stand on in a schema given by hand (server/tools, "x-mcp-header").
//!
//! Clients drop a tool that breaks one of these rules, so it is refused before anybody sees it. Whether a request's
//! headers say what its arguments do is not asked here.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

const KEYWORD: &str = "x-mcp-header";

/// Keywords whose value is a schema or a list of schemas.
const SCHEMAS: [&str; 15] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords whose value is an object of schemas.
const MAPS: [&str; 4] = [
    "$defs",
    "definitions",
    "dependentSchemas",
    "patternProperties",
];

/// Where a schema stands.
#[derive(Debug, Clone)]
enum Place {
    /// It is that of the arguments.
    Root,
    /// The members that lead to it from the root, and nothing but members.
    Property(String),
    /// Behind any other keyword.
    Elsewhere,
}

/// What is wrong with the annotations of a schema.
pub(super) fn problems(schema: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let mut arguments: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut waiting = vec![(Place::Root, schema)];
    while let Some((place, schema)) = waiting.pop() {
        let Value::Object(keywords) = schema else {
            continue;
        };
        if let Some(header) = keywords.get(KEYWORD) {
            match (judge(&place, header, keywords), place.clone()) {
                (Ok(header), Place::Property(argument)) => {
                    arguments.entry(header).or_default().push(argument);
                }
                (Ok(_), Place::Root | Place::Elsewhere) => {}
                (Err(problem), _) => problems.push(problem),
            }
        }
        for (keyword, value) in keywords {
            step(&place, keyword, value, &mut waiting);
        }
    }
    for (header, mut arguments) in arguments {
        if arguments.len() > 1 {
            arguments.sort_unstable();
            let arguments = arguments.join("`, `");
            problems.push(format!(
                "the arguments `{arguments}` are all mirrored in the header `Mcp-Param-{header}`, whose name is compared without case"
            ));
        }
    }
    problems.sort_unstable();
    problems
}

/// Goes on to the schemas under a keyword.
fn step<'v>(place: &Place, keyword: &str, value: &'v Value, waiting: &mut Vec<(Place, &'v Value)>) {
    match value {
        Value::Object(members) if keyword == "properties" => {
            waiting.extend(members.iter().map(|(name, member)| {
                let place = match place {
                    Place::Root => Place::Property(name.clone()),
                    Place::Property(path) => Place::Property(format!("{path}.{name}")),
                    Place::Elsewhere => Place::Elsewhere,
                };
                (place, member)
            }));
        }
        Value::Object(members) if MAPS.contains(&keyword) => {
            waiting.extend(members.values().map(|member| (Place::Elsewhere, member)));
        }
        Value::Object(_) if SCHEMAS.contains(&keyword) => waiting.push((Place::Elsewhere, value)),
        Value::Array(schemas) if SCHEMAS.contains(&keyword) => {
            waiting.extend(schemas.iter().map(|schema| (Place::Elsewhere, schema)));
        }
        _ => {}
    }
}

/// The header's name without case, or what is wrong with the annotation.
fn judge(place: &Place, header: &Value, keywords: &Map<String, Value>) -> Result<String, String> {
    let Place::Property(argument) = place else {
        return Err(format!(
            "`{KEYWORD}` stands where no header can mirror it; it belongs on a property that is reached by `properties` alone"
        ));
    };
    let name = header.as_str().filter(|name| is_token(name)).ok_or_else(|| {
        format!(
            "argument `{argument}`: `{KEYWORD}` has to be the rest of a header's name, of letters, digits and `-`, not {header}"
        )
    })?;
    match keywords.get("type").and_then(Value::as_str) {
        Some("string" | "integer" | "boolean") => Ok(name.to_ascii_lowercase()),
        _ => Err(format!(
            "argument `{argument}`: the header `{name}` can mirror a string, an integer or a boolean, so `type` has to be one of these alone"
        )),
    }
}

/// Whether a text is a `token` (RFC 9110, section 5.6.2).
fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(properties: &Value) -> Vec<String> {
        problems(&json!({"type": "object", "properties": properties}))
    }

    #[test]
    fn primitives_are_mirrored_at_every_depth_of_properties() {
        assert_eq!(
            told(&json!({
                "a": {"type": "string", "x-mcp-header": "A"},
                "b": {"type": "object", "properties": {
                    "c": {"type": "integer", "x-mcp-header": "B-C"},
                    "d": {"type": "boolean", "x-mcp-header": "b_d"},
                }},
                "x-mcp-header": {"type": "array"},
                "e": {"default": {"x-mcp-header": 7}, "enum": [{"x-mcp-header": 7}]},
            })),
            [""; 0]
        );
    }

    #[test]
    fn one_wrong_annotation_beside_a_right_one_is_told() {
        for wrong in [
            json!({"type": ["integer", "null"]}),
            json!({"type": "number"}),
            json!({"type": "object"}),
            json!({"type": "array", "items": {"type": "string"}}),
            json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
            json!({"enum": ["x"]}),
            json!({}),
        ] {
            let mut wrong = wrong;
            wrong["x-mcp-header"] = json!("Wrong");
            let found = told(&json!({
                "a": {"type": "string", "x-mcp-header": "Right"},
                "b": wrong,
            }));
            assert_eq!(
                found,
                [
                    "argument `b`: the header `Wrong` can mirror a string, an integer or a boolean, so `type` has to be one of these alone"
                ],
                "{wrong}"
            );
        }
    }

    #[test]
    fn names_are_tokens() {
        for name in [
            json!(""),
            json!("a b"),
            json!("a\r\nb"),
            json!("ä"),
            json!("a:"),
            json!(7),
            json!(null),
        ] {
            let found = told(&json!({"a": {"type": "string", "x-mcp-header": name}}));
            assert_eq!(found.len(), 1, "{name}");
            assert!(
                found[0].contains("the rest of a header's name"),
                "{}",
                found[0]
            );
        }
    }

    #[test]
    fn names_differ_by_more_than_case() {
        assert_eq!(
            told(&json!({
                "b": {"type": "string", "x-mcp-header": "Region"},
                "a": {"type": "object", "properties": {"c": {"type": "string", "x-mcp-header": "REGION"}}},
            })),
            [
                "the arguments `a.c`, `b` are all mirrored in the header `Mcp-Param-region`, whose name is compared without case"
            ]
        );
    }

    #[test]
    fn what_is_not_reached_by_properties_alone_is_not_mirrored() {
        let annotated = json!({"type": "string", "x-mcp-header": "A"});
        for (keyword, value) in [
            ("items", annotated.clone()),
            ("additionalProperties", annotated.clone()),
            ("prefixItems", json!([annotated])),
            ("anyOf", json!([{"properties": {"a": annotated}}])),
            ("allOf", json!([{"properties": {"a": annotated}}])),
            ("not", annotated.clone()),
            ("then", annotated.clone()),
            ("patternProperties", json!({"a": annotated})),
            ("$defs", json!({"properties": annotated})),
        ] {
            let mut schema = json!({"type": "object"});
            schema[keyword] = value;
            let found = problems(&schema);
            assert_eq!(found.len(), 1, "{keyword}: {found:?}");
            assert!(
                found[0].contains("`properties` alone"),
                "{keyword}: {found:?}"
            );
        }
        assert_eq!(problems(&annotated).len(), 1);
    }
}
