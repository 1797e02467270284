//! Questions in the middle of a call: requests of the server, for whose responses the call waits.

use serde_json::{Value, json};

use super::client::Client;

/// A client of the newest session that can be asked everything.
fn able(revision: &str) -> Client {
    Client::able(
        revision,
        json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}),
    )
}

/// Begins a call; gives its id.
fn begin(client: &mut Client, tool: &str) -> u64 {
    client.request("tools/call", json!({"name": tool, "arguments": {}}))
}

/// Reads a question; gives its id and its parameters.
fn question(client: &mut Client, method: &str) -> (Value, Value) {
    let message = client.message();
    assert_eq!(message["method"], method, "{message}");
    (message["id"].clone(), message["params"].clone())
}

fn answer(client: &mut Client, id: &Value, result: Value) {
    client.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
}

fn accept(client: &mut Client, id: &Value, name: &str) {
    answer(
        client,
        id,
        json!({"action": "accept", "content": {"name": name}}),
    );
}

/// Reads the response to a call; gives its text.
fn text(client: &mut Client, id: u64) -> String {
    let message = client.message();
    assert_eq!(message["id"], id, "{message}");
    let text = &message["result"]["content"][0]["text"];
    text.as_str()
        .unwrap_or_else(|| panic!("{message}"))
        .to_owned()
}

#[test]
fn a_call_waits_for_the_answer_and_no_step_is_repeated() {
    for revision in ["2025-11-25", "2025-06-18"] {
        let mut client = able(revision);
        // The first request of the server has the id 1, as has the first of the client.
        let call = begin(&mut client, "ask");
        let (id, params) = question(&mut client, "elicitation/create");
        assert_eq!(id, 1);
        assert_eq!(params["message"], "Who?");
        assert_eq!(params["requestedSchema"]["type"], "object");
        // Other calls go on meanwhile.
        assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
        let sum = client.call("add", json!({"a": 1, "b": 2}));
        assert_eq!(sum["content"][0]["text"], "3");
        accept(&mut client, &id, "Ada");
        assert_eq!(text(&mut client, call), "Ada, step 1, run 1");
    }
}

#[test]
fn to_decline_and_to_cancel_are_answers() {
    let mut client = able("2025-06-18");
    for (action, told) in [("decline", "declined"), ("cancel", "cancelled")] {
        let call = begin(&mut client, "ask");
        let (id, _) = question(&mut client, "elicitation/create");
        answer(&mut client, &id, json!({"action": action}));
        assert!(text(&mut client, call).starts_with(told));
    }
}

#[test]
fn an_answer_that_does_not_fit_is_asked_for_again_with_what_is_wrong() {
    let mut client = able("2025-06-18");
    let call = begin(&mut client, "ask");
    let (id, _) = question(&mut client, "elicitation/create");
    accept(&mut client, &id, "A");
    let (again, params) = question(&mut client, "elicitation/create");
    assert_ne!(id, again);
    let message = params["message"].as_str().unwrap();
    assert!(
        message.starts_with("Who? (") && message.contains("name"),
        "{message}"
    );
    accept(&mut client, &again, "Ada");
    assert!(text(&mut client, call).starts_with("Ada"));
}

#[test]
fn questions_that_wait_at_one_time_are_asked_at_once() {
    let mut client = able("2025-11-25");
    let call = begin(&mut client, "ask_both");
    let (first, _) = question(&mut client, "elicitation/create");
    let (second, _) = question(&mut client, "elicitation/create");
    accept(&mut client, &second, "Bob");
    accept(&mut client, &first, "Ada");
    assert_eq!(text(&mut client, call), r#"Some("Ada") and Some("Bob")"#);
}

#[test]
fn a_function_that_returns_its_question_is_run_again_with_the_answer() {
    let mut client = able("2025-06-18");
    let call = begin(&mut client, "ask_by_returning");
    let (id, _) = question(&mut client, "elicitation/create");
    accept(&mut client, &id, "Ada");
    assert_eq!(text(&mut client, call), r#"Some("Ada")"#);
}

#[test]
fn a_client_that_refuses_to_answer_fails_the_call() {
    let mut client = able("2025-06-18");
    for tool in ["ask", "ask_by_returning"] {
        let call = begin(&mut client, tool);
        let (id, _) = question(&mut client, "elicitation/create");
        let error = json!({"code": -1, "message": "not now"});
        client.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
        assert!(text(&mut client, call).contains("not now"));
    }
}

#[test]
fn a_capability_that_was_not_declared_is_a_failed_call_that_names_it() {
    for revision in super::client::REVISIONS {
        let mut client = Client::of(revision);
        for (tool, name) in [
            ("ask", "elicitation"),
            ("ask_by_returning", "elicitation"),
            ("ask_model", "sampling"),
            ("ask_roots", "roots"),
        ] {
            let result = client.call(tool, json!({}));
            assert_eq!(result["isError"], true, "{result}");
            let told = result["content"][0]["text"].as_str().unwrap();
            assert!(told.contains(name), "{told}");
        }
    }
}

#[test]
fn a_url_has_an_id_and_is_refused_by_revisions_without_it() {
    let mut client = able("2025-11-25");
    let call = begin(&mut client, "ask_url");
    let (id, params) = question(&mut client, "elicitation/create");
    assert_eq!(params["mode"], "url");
    assert_eq!(params["elicitationId"].as_str().unwrap().len(), 32);
    answer(&mut client, &id, json!({"action": "accept"}));
    assert_eq!(text(&mut client, call), "Accepted(())");
    let result = able("2025-06-18").call("ask_url", json!({}));
    assert_eq!(result["isError"], true);
    let told = result["content"][0]["text"].as_str().unwrap();
    assert!(told.contains("2025-06-18"), "{told}");
}

#[test]
fn the_model_and_the_roots_are_asked_for_in_every_revision() {
    for revision in super::client::REVISIONS {
        let mut client = able(revision);
        let call = begin(&mut client, "ask_model");
        let (id, params) = question(&mut client, "sampling/createMessage");
        assert_eq!(params["maxTokens"], 5);
        let content = json!({"type": "text", "text": "an answer"});
        let result = json!({"role": "assistant", "content": content, "model": "m"});
        answer(&mut client, &id, result);
        assert_eq!(text(&mut client, call), "an answer");
        let call = begin(&mut client, "ask_roots");
        let (id, _) = question(&mut client, "roots/list");
        answer(
            &mut client,
            &id,
            json!({"roots": [{"uri": "file:///home"}]}),
        );
        assert_eq!(text(&mut client, call), r#"["file:///home"]"#);
    }
}

#[test]
fn a_question_of_a_cancelled_call_is_taken_back() {
    let mut client = able("2025-11-25");
    let call = begin(&mut client, "ask");
    let (id, _) = question(&mut client, "elicitation/create");
    client.notify("notifications/cancelled", json!({"requestId": call}));
    let cancelled = client.message();
    assert_eq!(
        cancelled["method"], "notifications/cancelled",
        "{cancelled}"
    );
    assert_eq!(cancelled["params"]["requestId"], id);
    // An answer that comes all the same answers nothing.
    accept(&mut client, &id, "Ada");
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
}
