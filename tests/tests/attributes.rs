//! Every key of the attributes, as the client sees it in `tools/list`.

use mcp_runtime::prelude::*;
use serde_json::{Value, json};

/// Search the catalogue.
///
/// All words have to match.
#[mcp_tool(
    name = "catalogue.search",
    title = "Catalogue search",
    read_only,
    destructive = false,
    idempotent,
    open_world = false,
    icons(icon(src = "https://example.com/a.png", mime_type = "image/png", sizes = ["48x48", "any"], theme = "dark")),
    meta("com.example/team" = {"name": "search", "size": 3})
)]
fn search(
    /// Words to look for.
    #[arg(length(1..=80), pattern = "^[a-z ]+$", examples("red shoes", "hat"))]
    query: &str,
    /// How many hits.
    #[arg(default = 10, range(1..=100), example = 5)]
    limit: u32,
    #[arg(rename = "minScore", range(0.5..2.0), description = "The lowest score.", example = 1.5)]
    min_score: Option<f64>,
    #[arg(header = "Region", format = "uuid")] region: Option<String>,
    r#type: &[String],
    context: &Context,
) -> String {
    let _ = (region, context);
    format!("{query}{limit}{min_score:?}{}", r#type.len())
}

/// Speaks for itself.
#[mcp_tool]
fn plain_name() {}

/// The tool's entry in `tools/list`.
fn listed(name: &str) -> Value {
    let server = mcp_runtime::server!().build().expect("the tools are right");
    let request = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/list",
        "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}
        }}
    });
    let answer = server
        .handle_request(&request)
        .expect("a request is answered");
    let tools = answer["result"]["tools"].as_array().expect("a list");
    tools
        .iter()
        .find(|tool| tool["name"] == name)
        .expect("the tool is listed")
        .clone()
}

#[test]
fn keys_of_the_tool_are_listed() {
    let tool = listed("catalogue.search");
    assert_eq!(tool["title"], "Catalogue search");
    assert_eq!(
        tool["description"],
        "Search the catalogue.\n\nAll words have to match."
    );
    let hints = json!({"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false});
    assert_eq!(tool["annotations"], hints);
    let icon = json!({
        "src": "https://example.com/a.png", "mimeType": "image/png", "sizes": ["48x48", "any"], "theme": "dark"
    });
    assert_eq!(tool["icons"], json!([icon]));
    assert_eq!(
        tool["_meta"],
        json!({"com.example/team": {"name": "search", "size": 3}})
    );
}

#[test]
fn keys_of_parameters_are_listed() {
    let schema = listed("catalogue.search")["inputSchema"].clone();
    assert_eq!(schema["required"], json!(["query", "type"]));
    let properties = &schema["properties"];
    assert_eq!(
        properties["query"],
        json!({
            "type": "string", "description": "Words to look for.\nExamples: \"red shoes\", \"hat\"",
            "minLength": 1, "maxLength": 80, "pattern": "^[a-z ]+$"
        })
    );
    let limit = json!({
        "type": "integer", "description": "How many hits.\nExample: 5", "minimum": 1, "maximum": 100, "default": 10
    });
    assert_eq!(properties["limit"], limit);
    let score = json!({
        "type": "number", "minimum": 0.5, "maximum": 2.0,
        "description": "The lowest score.\nLess than 2.0.\nExample: 1.5"
    });
    assert_eq!(properties["minScore"], score);
    assert_eq!(
        properties["region"],
        json!({"type": "string", "format": "uuid", "x-mcp-header": "Region"})
    );
    assert_eq!(properties["type"]["type"], "array");
    assert!(properties.get("context").is_none());
}

#[test]
fn what_is_not_said_is_not_listed() {
    let tool = listed("plain_name");
    assert_eq!(tool["title"], "Plain name");
    for member in ["annotations", "icons", "_meta", "outputSchema"] {
        assert!(tool.get(member).is_none(), "{member}");
    }
}

#[test]
fn the_tool_is_called_by_its_names() {
    let server = mcp_runtime::server!().build().unwrap();
    let result = server.call_blocking(
        "catalogue.search",
        json!({"query": "hat", "minScore": 0.5, "type": ["a"]}),
    );
    assert_eq!(result.text(), "hat10Some(0.5)1");
    assert!(
        server
            .call_blocking(
                "catalogue.search",
                json!({"query": "hat", "minScore": 2.0, "type": []})
            )
            .is_error()
    );
}
