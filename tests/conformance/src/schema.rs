//! The one schema that the suite dictates to the letter, with keywords that no function's schema has.

use mcp_runtime::prelude::*;
use serde_json::{Value, json};

/// Adds the tool, which answers with its arguments once they have passed the schema.
pub(crate) fn register(builder: ServerBuilder) -> ServerBuilder {
    builder.register_tool(
        "json_schema_2020_12_tool",
        "Takes arguments by a schema with composition, conditions and references.",
        dictated(),
        |arguments: Value| {
            Ok::<_, ToolError>(format!("These arguments fit the schema: {arguments}"))
        },
    )
}

fn dictated() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}
