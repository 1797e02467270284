//! Messages about calls and changes: log, progress, cancellation, lists and resources.

use serde_json::{Value, json};

use super::client::{Client, REVISIONS};

fn is_log(message: &Value) -> bool {
    message["method"] == "notifications/message"
}

#[test]
fn nothing_is_logged_to_the_client_before_it_has_set_a_level() {
    let mut client = Client::of("2025-06-18");
    assert_eq!(client.call("say", json!({}))["content"][0]["text"], "said");
    let set = client.ask("logging/setLevel", json!({"level": "warning"}));
    assert_eq!(set["result"], json!({}));
    client.request("tools/call", json!({"name": "say"}));
    let message = client.message();
    assert!(is_log(&message), "{message}");
    assert_eq!(
        message["params"],
        json!({"level": "warning", "logger": "here", "data": "take care"})
    );
    assert_eq!(client.message()["result"]["content"][0]["text"], "said");
    client.ask("logging/setLevel", json!({"level": "debug"}));
    client.request("tools/call", json!({"name": "say"}));
    assert!(is_log(&client.message()) && is_log(&client.message()));
    client.message();
    let refused = client.ask("logging/setLevel", json!({"level": "loud"}));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[test]
fn progress_has_the_token_of_the_request_and_a_message_where_the_revision_has_one() {
    for revision in REVISIONS {
        let mut client = Client::of(revision);
        let params = json!({"name": "say", "_meta": {"progressToken": "t"}});
        client.request("tools/call", params);
        let progress = client.message();
        assert_eq!(progress["method"], "notifications/progress", "{progress}");
        let mut expected = json!({"progressToken": "t", "progress": 1.0, "total": 2.0});
        if revision > "2024-11-05" {
            expected["message"] = "half".into();
        }
        assert_eq!(progress["params"], expected);
        client.message();
    }
}

#[test]
fn a_cancelled_call_is_not_answered() {
    for revision in REVISIONS {
        let mut client = Client::of(revision);
        let params = json!({"name": "wait", "_meta": {"progressToken": 0}});
        let id = client.request("tools/call", params);
        assert_eq!(client.message()["method"], "notifications/progress");
        client.notify("notifications/cancelled", json!({"requestId": id}));
        assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    }
}

#[test]
fn changes_are_pushed_to_a_client_that_is_ready() {
    for revision in REVISIONS {
        let mut client = Client::of(revision);
        let subscribed = client.ask("resources/subscribe", json!({"uri": "legacy://here"}));
        assert_eq!(subscribed["result"], json!({}));
        client.call("change", json!({}));
        let mut pushed = [client.message(), client.message()];
        pushed.sort_by_key(|message| message["method"].as_str().map(str::to_owned));
        assert_eq!(
            pushed,
            [
                json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "legacy://here"}}),
                json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {}}),
            ]
        );
        let unsubscribed = client.ask("resources/unsubscribe", json!({"uri": "legacy://here"}));
        assert_eq!(unsubscribed["result"], json!({}));
        client.call("change", json!({}));
        let next = client.message();
        assert_eq!(next["method"], "notifications/tools/list_changed", "{next}");
    }
}

#[test]
fn a_resource_that_does_not_exist_has_a_code_of_its_own() {
    for revision in REVISIONS {
        let mut client = Client::of(revision);
        for method in ["resources/read", "resources/subscribe"] {
            let refused = client.ask(method, json!({"uri": "legacy://nowhere"}));
            assert_eq!(refused["error"]["code"], -32002, "{method}: {refused}");
            assert_eq!(refused["error"]["data"]["uri"], "legacy://nowhere");
        }
    }
    let modern =
        Client::of("2025-11-25").ask_modern("resources/read", json!({"uri": "legacy://nowhere"}));
    assert_eq!(modern["error"]["code"], -32602, "{modern}");
}

#[test]
fn prompts_resources_templates_and_completions_are_served_in_every_revision() {
    for revision in REVISIONS {
        let mut client = Client::of(revision);
        let has_title = revision >= "2025-06-18";
        let prompts = client.ask("prompts/list", json!({}))["result"].clone();
        assert_eq!(prompts["prompts"][0].get("title").is_some(), has_title);
        let prompt = client.ask(
            "prompts/get",
            json!({"name": "greet", "arguments": {"name": "Ada"}}),
        );
        let message = json!({"role": "user", "content": {"type": "text", "text": "Greet Ada."}});
        assert_eq!(
            prompt["result"],
            json!({"messages": [message], "description": "Greet somebody."})
        );
        let resources = client.ask("resources/list", json!({}))["result"].clone();
        assert_eq!(resources["resources"][0].get("title").is_some(), has_title);
        let templates = client.ask("resources/templates/list", json!({}))["result"].clone();
        assert_eq!(
            templates["resourceTemplates"][0]["uriTemplate"],
            "legacy://at/{place}"
        );
        for (uri, text) in [("legacy://here", "here"), ("legacy://at/Ulm", "Ulm")] {
            let read = client.ask("resources/read", json!({"uri": uri}));
            let contents = json!({"uri": uri, "text": text});
            assert_eq!(read["result"], json!({"contents": [contents]}));
        }
        let completed = client.ask(
            "completion/complete",
            json!({
                "ref": {"type": "ref/resource", "uri": "legacy://at/{place}"},
                "argument": {"name": "place", "value": "U"},
            }),
        );
        assert_eq!(
            completed["result"],
            json!({"completion": {"values": ["Utrecht", "Ulm"], "total": 2, "hasMore": false}})
        );
    }
}

#[test]
fn a_batch_is_answered_by_an_array_in_march_2025_alone() {
    let request = |id: u32, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let add = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
    let batch = json!([
        request(11, "ping", json!({})),
        {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"},
        request(12, "tools/call", add),
        request(13, "tools/call", json!({"name": "fail"})),
        request(14, "initialize", json!({"protocolVersion": "2025-11-25"})),
        request(15, "no/such", json!({})),
        7,
    ]);
    for revision in REVISIONS {
        let mut client = Client::of(revision);
        client.send(&batch);
        let answer = client.message();
        if revision != "2025-03-26" {
            assert_eq!(answer["error"]["code"], -32600, "{answer}");
            continue;
        }
        let mut answers = answer.as_array().unwrap().clone();
        answers.sort_by_key(|answer| answer["id"].as_u64());
        let ids: Vec<_> = answers.iter().map(|answer| answer["id"].as_u64()).collect();
        assert_eq!(
            ids,
            [None, Some(11), Some(12), Some(13), Some(14), Some(15)]
        );
        assert_eq!(answers[0]["error"]["code"], -32600);
        assert_eq!(answers[2]["result"]["content"][0]["text"], "3");
        assert_eq!(answers[3]["result"]["isError"], true);
        assert_eq!(answers[4]["error"]["code"], -32600);
        assert_eq!(answers[5]["error"]["code"], -32601);
        // Of notifications alone there is no answer, and an empty array is no message.
        client.send(&json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}]));
        client.send(&json!([]));
        assert_eq!(client.message()["error"]["code"], -32600);
        // A batch waits for its last call, and not for one that is cancelled.
        let wait = json!({"name": "wait", "_meta": {"progressToken": 1}});
        client.send(&json!([
            request(21, "ping", json!({})),
            request(22, "tools/call", wait)
        ]));
        assert_eq!(client.message()["method"], "notifications/progress");
        client.notify("notifications/cancelled", json!({"requestId": 22}));
        assert_eq!(
            client.message(),
            json!([{"jsonrpc": "2.0", "id": 21, "result": {}}])
        );
    }
}
