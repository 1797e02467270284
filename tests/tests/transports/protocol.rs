//! The protocol's own schema, against which everything that a server says has to be valid.
//!
//! `golden/protocol/schema.json` is `schema/2026-07-28/schema.json` of the repository
//! `modelcontextprotocol/modelcontextprotocol`, unaltered.

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::{Value, json};

/// The definitions, each compiled when it is first asked for.
pub(crate) struct Protocol {
    schema: Value,
    compiled: BTreeMap<&'static str, Validator>,
}

impl Protocol {
    pub(crate) fn read() -> Self {
        let schema = include_str!("../../golden/protocol/schema.json");
        Self {
            schema: serde_json::from_str(schema).unwrap(),
            compiled: BTreeMap::new(),
        }
    }

    /// What is wrong with a message that a server sent because of another.
    pub(crate) fn faults(&mut self, asked: &Value, said: &Value) -> Vec<String> {
        let Self { schema, compiled } = self;
        let name = definition(asked, said);
        let validator = compiled.entry(name).or_insert_with(|| {
            assert!(schema["$defs"].get(name).is_some(), "no definition {name}");
            let reference = format!("#/$defs/{name}");
            jsonschema::options()
                .should_validate_formats(true)
                .build(&json!({"$ref": reference, "$defs": schema["$defs"]}))
                .unwrap()
        });
        let errors = validator.iter_errors(said);
        errors
            .map(|error| format!("{name}, {}: {error}", error.instance_path()))
            .collect()
    }
}

/// The definition of a message: that of the notification, of the error's code, or of the result of the method.
fn definition(asked: &Value, said: &Value) -> &'static str {
    if said.get("method").is_some() {
        return "ServerNotification";
    }
    if said.get("result").is_none() {
        return match said["error"]["code"].as_i64() {
            Some(-32020) => "HeaderMismatchError",
            Some(-32021) => "MissingRequiredClientCapabilityError",
            Some(-32022) => "UnsupportedProtocolVersionError",
            _ => "JSONRPCErrorResponse",
        };
    }
    match asked["method"].as_str() {
        Some("completion/complete") => "CompleteResultResponse",
        Some("prompts/get") => "GetPromptResultResponse",
        Some("prompts/list") => "ListPromptsResultResponse",
        Some("resources/list") => "ListResourcesResultResponse",
        Some("resources/read") => "ReadResourceResultResponse",
        Some("resources/templates/list") => "ListResourceTemplatesResultResponse",
        Some("server/discover") => "DiscoverResultResponse",
        Some("subscriptions/listen") => "SubscriptionsListenResultResponse",
        Some("tools/call") => "CallToolResultResponse",
        Some("tools/list") => "ListToolsResultResponse",
        method => panic!("a result of {method:?}: {said}"),
    }
}

#[test]
fn the_schema_refuses_what_is_no_message() {
    let mut protocol = Protocol::read();
    let asked = |method| json!({"method": method});
    for (asked, said) in [
        (
            asked("tools/list"),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}),
        ),
        (
            asked("tools/list"),
            json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32603, "message": ""}}),
        ),
        (
            asked("tools/call"),
            json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32022, "message": ""}}),
        ),
        (
            asked("tools/call"),
            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}}),
        ),
    ] {
        assert_ne!(protocol.faults(&asked, &said), [""; 0], "{said}");
    }
}
