//! The protocol's own schema, against which everything that a server says has to be valid.
//!
//! `golden/protocol/schema.json` is `schema/2026-07-28/schema.json` of the repository
//! `modelcontextprotocol/modelcontextprotocol`, unaltered; the files beside it are those of the revisions that they name.

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

    /// The schema of a revision that begins with `initialize`.
    pub(crate) fn of(revision: &str) -> Self {
        let schema = match revision {
            "2025-11-25" => include_str!("../../golden/protocol/2025-11-25.json"),
            "2025-06-18" => include_str!("../../golden/protocol/2025-06-18.json"),
            "2025-03-26" => include_str!("../../golden/protocol/2025-03-26.json"),
            "2024-11-05" => include_str!("../../golden/protocol/2024-11-05.json"),
            _ => panic!("no schema of {revision}"),
        };
        Self {
            schema: serde_json::from_str(schema).unwrap(),
            compiled: BTreeMap::new(),
        }
    }

    /// What is wrong with a message that a server said in a session, in answer to a method if it is a response.
    pub(crate) fn session_faults(&mut self, method: Option<&str>, said: &Value) -> Vec<String> {
        let (name, value) = match (said.get("method"), said.get("result")) {
            (Some(_), _) if said.get("id").is_some() => ("ServerRequest", said),
            (Some(_), _) => ("ServerNotification", said),
            (None, Some(result)) => (result_definition(method), result),
            (None, None) if self.definitions().get("JSONRPCError").is_some() => {
                ("JSONRPCError", said)
            }
            (None, None) => ("JSONRPCErrorResponse", said),
        };
        self.faults_as(name, value)
    }

    fn definitions(&self) -> &Value {
        let newer = self.schema.get("$defs");
        newer.unwrap_or(&self.schema["definitions"])
    }

    /// What is wrong with a message that a server sent because of another.
    pub(crate) fn faults(&mut self, asked: &Value, said: &Value) -> Vec<String> {
        self.faults_as(definition(asked, said), said)
    }

    fn faults_as(&mut self, name: &'static str, said: &Value) -> Vec<String> {
        let Self { schema, compiled } = self;
        let validator = compiled.entry(name).or_insert_with(|| {
            let keyword = match schema.get("$defs") {
                Some(_) => "$defs",
                None => "definitions",
            };
            assert!(schema[keyword].get(name).is_some(), "no definition {name}");
            let reference = format!("#/{keyword}/{name}");
            // The older drafts read nothing beside a reference.
            let all = json!({
                "$schema": schema["$schema"], "allOf": [{"$ref": reference}], keyword: schema[keyword],
            });
            jsonschema::options()
                .should_validate_formats(true)
                .build(&all)
                .unwrap()
        });
        let errors = validator.iter_errors(said);
        errors
            .map(|error| format!("{name}, {}: {error}", error.instance_path()))
            .collect()
    }
}

/// The definition of a result in the revisions that begin with `initialize`.
fn result_definition(method: Option<&str>) -> &'static str {
    match method {
        Some("initialize") => "InitializeResult",
        Some("completion/complete") => "CompleteResult",
        Some("prompts/get") => "GetPromptResult",
        Some("prompts/list") => "ListPromptsResult",
        Some("resources/list") => "ListResourcesResult",
        Some("resources/read") => "ReadResourceResult",
        Some("resources/templates/list") => "ListResourceTemplatesResult",
        Some("tools/call") => "CallToolResult",
        Some("tools/list") => "ListToolsResult",
        Some("ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe") => {
            "EmptyResult"
        }
        method => panic!("a result of {method:?}"),
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
