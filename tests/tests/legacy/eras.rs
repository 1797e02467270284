//! Both eras on one pipe: the era belongs to each message.

use serde_json::json;

use super::client::Client;

#[test]
fn both_eras_are_served_on_one_pipe_in_any_order() {
    let mut client = Client::start();
    let discovered = client.ask_modern("server/discover", json!({}));
    assert_eq!(
        discovered["result"]["supportedVersions"],
        json!(["2026-07-28"])
    );
    client.initialize("2025-06-18", json!({}));
    let add = json!({"name": "add", "arguments": {"a": 2, "b": 3}});
    for _ in 0..2 {
        let old = client.ask("tools/call", add.clone());
        assert_eq!(
            old["result"],
            json!({"content": [{"type": "text", "text": "5"}]})
        );
        let modern = client.ask_modern("tools/call", add.clone());
        assert_eq!(modern["result"]["resultType"], "complete");
        assert!(modern["result"]["_meta"].is_object(), "{modern}");
    }
}

#[test]
fn other_metadata_decides_nothing() {
    let mut client = Client::of("2025-11-25");
    let params = json!({
        "name": "add", "arguments": {"a": 2, "b": 3},
        "_meta": {"progressToken": 1, "io.modelcontextprotocol/clientCapabilities": {}, "com.example/x": 1},
    });
    let old = client.ask("tools/call", params);
    assert_eq!(old["result"].get("resultType"), None, "{old}");
    assert_eq!(old["result"]["content"][0]["text"], "5");
}

#[test]
fn what_belongs_to_sessions_is_no_method_of_the_current_revision() {
    let mut client = Client::of("2025-11-25");
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
    ] {
        let refused = client.ask_modern(method, json!({}));
        assert_eq!(refused["error"]["code"], -32601, "{method}: {refused}");
    }
}

#[test]
fn what_belongs_to_the_current_revision_is_no_method_of_a_session() {
    let mut client = Client::of("2025-11-25");
    for method in [
        "server/discover",
        "subscriptions/listen",
        "tasks/get",
        "no/such",
    ] {
        let refused = client.ask(method, json!({}));
        assert_eq!(refused["error"]["code"], -32601, "{method}: {refused}");
    }
}
