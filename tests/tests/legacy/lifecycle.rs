//! `initialize` and what a server says of itself.

use serde_json::json;

use super::client::{Client, REVISIONS};

#[test]
fn each_revision_is_negotiated_and_says_of_the_server_what_it_can() {
    for revision in REVISIONS {
        let mut client = Client::start();
        let opened = client.initialize(revision, json!({}));
        let result = &opened["result"];
        assert_eq!(result["protocolVersion"], revision, "{opened}");
        assert_eq!(result["instructions"], "Call anything.");
        assert!(result["capabilities"]["tools"].is_object(), "{opened}");
        assert_eq!(result["capabilities"].get("extensions"), None);
        for member in ["resultType", "_meta", "ttlMs", "cacheScope"] {
            assert_eq!(result.get(member), None, "{revision}: {member}");
        }
        let info = &result["serverInfo"];
        assert_eq!(info["name"], "mcp-tests");
        let has_titles = revision >= "2025-06-18";
        assert_eq!(info.get("title").is_some(), has_titles, "{opened}");
        for member in ["icons", "description", "websiteUrl"] {
            let expected = revision == "2025-11-25";
            assert_eq!(info.get(member).is_some(), expected, "{opened}");
        }
    }
}

#[test]
fn a_revision_that_is_not_served_becomes_the_newest() {
    for revision in ["2026-07-28", "2024-10-07", "1.0"] {
        let opened = Client::start().initialize(revision, json!({}));
        assert_eq!(opened["result"]["protocolVersion"], "2025-11-25");
    }
}

#[test]
fn parameters_that_are_missing_or_of_the_wrong_type_open_no_session() {
    let mut client = Client::start();
    for params in [
        json!({}),
        json!({"protocolVersion": 1}),
        json!({"protocolVersion": "2025-11-25", "capabilities": []}),
        json!({"protocolVersion": "2025-11-25", "clientInfo": "me"}),
    ] {
        let refused = client.ask("initialize", params);
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let refused = client.ask("tools/list", json!({}));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[test]
fn before_initialize_only_ping_is_answered() {
    let mut client = Client::start();
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    let refused = client.ask("tools/call", json!({"name": "add"}));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[test]
fn ping_is_answered_within_a_session() {
    for revision in REVISIONS {
        let mut client = Client::of(revision);
        assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    }
}

#[test]
fn a_second_initialize_replaces_the_session() {
    let mut client = Client::of("2024-11-05");
    assert_eq!(client.tool("add").get("title"), None);
    client.initialize("2025-11-25", json!({}));
    assert_eq!(client.tool("add")["title"], "Sum");
}
