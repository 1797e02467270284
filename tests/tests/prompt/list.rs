//! `prompts/list`.

use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use super::{Shop, ask, server};

/// Review an order.
///
/// At length.
#[mcp_prompt(
    name = "review-order",
    title = "Review",
    icons(icon(src = "https://example.com/a.png", mime_type = "image/png")),
    meta("com.example/team" = "orders")
)]
fn review_order(
    /// The order's id.
    id: u32,
    #[arg(rename = "tone-of-voice", description = "How it sounds.")] tone: Option<String>,
    #[arg(default = 3)] lines: u8,
    shop: State<Shop>,
    context: &Context,
) -> String {
    let _ = context;
    format!("{id} {tone:?} {lines} {}", shop.0)
}

/// Only for administrators.
#[mcp_prompt(group = "admin")]
fn hidden() -> &'static str {
    "hidden"
}

fn listed(server: &Server) -> Vec<Value> {
    let answer = ask(server, "prompts/list", json!({}));
    answer["result"]["prompts"].as_array().unwrap().clone()
}

#[test]
fn all_members_are_listed() {
    let prompts = listed(&server());
    let found = prompts.iter().find(|it| it["name"] == "review-order");
    assert_eq!(
        *found.unwrap(),
        json!({
            "name": "review-order",
            "title": "Review",
            "description": "Review an order.\n\nAt length.",
            "arguments": [
                {"name": "id", "description": "The order's id.", "required": true},
                {"name": "tone-of-voice", "description": "How it sounds.", "required": false},
                {"name": "lines", "required": false},
            ],
            "icons": [{"src": "https://example.com/a.png", "mimeType": "image/png"}],
            "_meta": {"com.example/team": "orders"},
        })
    );
}

#[test]
fn what_is_not_there_is_not_listed() {
    let prompts = listed(&server());
    let found = prompts.iter().find(|it| it["name"] == "simple").unwrap();
    assert_eq!(
        *found,
        json!({"name": "simple", "title": "Simple", "description": "Say something simple."})
    );
    assert!(!prompts.iter().any(|it| it["name"] == "hidden"));
}

#[test]
fn the_list_is_sorted_and_has_cache_hints() {
    let answer = ask(&server(), "prompts/list", json!({}));
    let result = &answer["result"];
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["ttlMs"], 60_000);
    assert_eq!(result["cacheScope"], "private");
    let names: Vec<_> = listed(&server())
        .iter()
        .map(|it| it["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, super::NAMES);
}

#[test]
fn pages_follow_their_cursors() {
    let server = mcp_runtime::server!()
        .state(Shop("otters"))
        .page_size(5)
        .build()
        .unwrap();
    let mut names = Vec::new();
    let mut params = json!({});
    loop {
        let answer = ask(&server, "prompts/list", params);
        let result = &answer["result"];
        for prompt in result["prompts"].as_array().unwrap() {
            names.push(prompt["name"].as_str().unwrap().to_owned());
        }
        match result.get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => break,
        }
    }
    assert_eq!(names, super::NAMES);
    for cursor in [json!("x"), json!(1)] {
        let answer = ask(&server, "prompts/list", json!({"cursor": cursor}));
        assert_eq!(answer["error"]["code"], -32602);
    }
}

#[test]
fn groups_and_names_are_chosen_as_those_of_tools() {
    let server = mcp_runtime::server!()
        .groups(["admin"])
        .rename("hidden", "seen")
        .build()
        .unwrap();
    assert_eq!(listed(&server)[0]["name"], "seen");
    assert_eq!(
        server.get_prompt_blocking("seen", json!({}))["messages"][0]["content"]["text"],
        "hidden"
    );
}
