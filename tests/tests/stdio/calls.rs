//! Calls that come in a burst, are cancelled, take too long, or are too many.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::client::{Client, add, call, cancel, request, text};

/// Waits for as many answers; each id comes once.
fn ids(client: &mut Client, count: usize) -> BTreeSet<i64> {
    let ids: BTreeSet<_> = (0..count)
        .map(|_| {
            let answer = client.answer();
            assert!(answer["result"]["isError"].is_null(), "{answer}");
            answer["id"].as_i64().expect("an id of ours")
        })
        .collect();
    assert_eq!(ids.len(), count);
    ids
}

#[test]
fn a_client_may_write_everything_before_it_reads_anything() {
    let mut client = Client::start(&[]);
    let lines: String = (0..8_000).map(|id| add(id, id) + "\n").collect();
    client.write(lines.as_bytes());
    assert_eq!(ids(&mut client, 8_000).last(), Some(&7_999));
    client.serves();
}

#[test]
fn each_of_many_waiting_calls_is_answered_once() {
    let mut client = Client::start(&[]);
    for id in 0..200 {
        client.send(call(id, "sleep_ms", &json!({"ms": id % 20})));
    }
    assert_eq!(ids(&mut client, 200).last(), Some(&199));
    client.serves();
}

#[test]
fn a_cancelled_async_call_is_dropped_and_not_answered() {
    let mut client = Client::start(&[]);
    for id in [json!(0), json!(""), json!("a\"b"), json!(7)] {
        client.send(call(id.clone(), "wait_for_ever", &json!({})));
        client.wait_for_error("wait_for_ever begun");
        client.send(cancel(id));
        client.wait_for_error("wait_for_ever dropped");
        client.serves();
    }
}

#[test]
fn the_reason_of_a_cancellation_is_logged() {
    let mut client = Client::start_logging();
    for (id, reason) in [
        (json!(0), json!("the user\nlost interest")),
        (json!("a\"b"), json!("x".repeat(100_000))),
        (json!("nobody"), json!(null)),
        (json!("y".repeat(100_000)), json!(7)),
    ] {
        let params = json!({"requestId": id, "reason": reason});
        let line = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        client.send(line.to_string());
    }
    let start = "DEBUG mcp_runtime::transport::cancellation: the client cancels the request ";
    for end in [
        r#"0: "the user\nlost interest""#.to_owned(),
        format!(r#""a\"b": "{}…""#, "x".repeat(200)),
        r#""nobody""#.to_owned(),
        format!(r#""{}…"#, "y".repeat(199)),
    ] {
        let lines = client.wait_for_error(start);
        assert_eq!(lines.last(), Some(&format!("{start}{end}")));
    }
    client.serves();
}

#[test]
fn a_cancelled_sync_call_hears_of_it_and_is_not_answered() {
    let mut client = Client::start(&[]);
    for id in [json!(0), json!("")] {
        client.send(call(id.clone(), "block_until_cancelled", &json!({})));
        client.wait_for_error("block_until_cancelled begun");
        client.send(cancel(id));
        client.wait_for_error("block_until_cancelled ended");
        client.serves();
    }
}

#[test]
fn a_cancellation_of_something_else_is_ignored() {
    let mut client = Client::start(&[]);
    client.send(call(1, "sleep_ms", &json!({"ms": 100})));
    client.send(cancel("1"));
    client.send(cancel(2));
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#);
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#);
    assert_eq!(text(&client.answer()), "slept 100 ms");
    client.send(cancel(1));
    client.serves();
}

#[test]
fn an_id_is_free_again_after_its_call() {
    let mut client = Client::start(&[]);
    client.send(call(1, "wait_for_ever", &json!({})));
    client.send(cancel(1));
    assert_eq!(client.ask(add(1, 1))["id"], 1);
    client.send(call(1, "block_until_cancelled", &json!({})));
    client.send(cancel(1));
    assert_eq!(client.ask(add(1, 1))["id"], 1);
    assert_eq!(client.ask(call(1, "sleep_ms", &json!({"ms": 1})))["id"], 1);
    assert_eq!(client.ask(add(1, 1))["id"], 1);
}

#[test]
fn an_id_in_flight_is_refused_without_an_id() {
    let mut client = Client::start(&[]);
    for (id, name) in [(json!(1), "1"), (json!("a"), "\"a\"")] {
        for tool in ["wait_for_ever", "block_until_cancelled"] {
            client.send(call(id.clone(), tool, &json!({})));
            client.send(add(id.clone(), 1));
            let (none, message) = client.refusal(-32600);
            assert_eq!(none, Value::Null);
            assert!(message.contains(&format!("the id {name} ")), "{message}");
            client.serves();
            client.send(cancel(id.clone()));
        }
    }
    client.send(call(1, "wait_for_ever", &json!({})));
    assert_eq!(client.ask(add("1", 1))["id"], "1");
}

#[test]
fn what_is_no_request_with_an_id_in_flight_is_refused_without_it() {
    let mut client = Client::start(&[]);
    let filter = json!({"notifications": {"toolsListChanged": true}});
    client.send(request("stream", "subscriptions/listen", filter));
    client.message();
    client.send(call(
        7,
        "count_under",
        &json!({"label": "in flight", "to": 0}),
    ));
    for id in [json!(7), json!("stream")] {
        for odd in [
            json!({"jsonrpc": "2.0", "id": id}),
            json!({"jsonrpc": "1.0", "id": id, "method": "tools/list"}),
            json!({"jsonrpc": "1.0", "id": id, "result": {}}),
        ] {
            client.send(odd.to_string());
            assert_eq!(client.refusal(-32600).0, Value::Null, "{odd}");
        }
        // Not even refused, and no end of the call.
        client.send(json!({"jsonrpc": "2.0", "id": id, "result": {}}).to_string());
        client.serves();
    }
    client.send(call(8, "release", &json!({"label": "in flight"})));
    let ids = BTreeSet::from([client.answer(), client.answer()].map(|it| it["id"].as_i64()));
    assert_eq!(ids, BTreeSet::from([Some(7), Some(8)]));
    // Nobody else has these.
    for id in [json!(7), json!("7")] {
        client.send(json!({"jsonrpc": "2.0", "id": id}).to_string());
        assert_eq!(client.refusal(-32600).0, id);
    }
}

#[test]
fn an_id_in_another_spelling_is_the_same_id() {
    let mut client = Client::start(&[]);
    client.send(call("a", "wait_for_ever", &json!({})).replace("\"a\"", r#""\u0061""#));
    client.send(add("a", 1));
    client.refusal(-32600);
    client.send(cancel("a"));
    assert_eq!(client.ask(add("a", 1))["id"], "a");
}

#[test]
fn over_the_limit_calls_are_refused_and_cancellations_get_through() {
    let mut client = Client::start(&["--limit=2"]);
    client.send(call(1, "wait_for_ever", &json!({})));
    client.send(call(2, "block_until_cancelled", &json!({})));
    client.send(add(3, 1));
    let (id, message) = client.refusal(-32603);
    assert_eq!(id, 3);
    assert!(message.contains("Too many calls"), "{message}");
    client.send(r#"{"jsonrpc":"2.0","id":4,"method":"nothing"}"#);
    client.refusal(-32602);
    client.send(cancel(1));
    client.serves_again();
}

#[test]
fn over_the_limit_nothing_runs_that_somebody_has_written() {
    let mut client = Client::start(&["--limit=1", "--more"]);
    client.send(call(1, "wait_for_ever", &json!({})));
    let argument = json!({"name": "ms", "value": ""});
    let task = json!({"taskId": "00000000-0000-4000-8000-000000000000"});
    for (method, params) in [
        ("tools/call", json!({"name": "add"})),
        ("resources/read", json!({"uri": "blocked://0"})),
        (
            "prompts/get",
            json!({"name": "block_prompt", "arguments": {"ms": "0"}}),
        ),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "block_prompt"}, "argument": argument}),
        ),
        ("tasks/get", task.clone()),
        ("tasks/update", task.clone()),
        ("tasks/cancel", task),
    ] {
        client.send(request(method, method, params));
        let (id, message) = client.refusal(-32603);
        assert_eq!(id, method);
        assert!(
            message.starts_with("Too many calls: 1 are running"),
            "{method}: {message}"
        );
    }
    for method in [
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
    ] {
        let answer = client.ask(request(method, method, json!({})));
        assert!(answer["result"].is_object(), "{method}: {answer}");
    }
    let filter = json!({"notifications": {"toolsListChanged": true}});
    client.send(request("stream", "subscriptions/listen", filter));
    assert_eq!(
        client.message()["method"],
        "notifications/subscriptions/acknowledged"
    );
    client.send(cancel(1));
    client.serves_again();
}

#[test]
fn a_call_that_takes_too_long_is_answered_once() {
    let mut client = Client::start(&["--call-time=50"]);
    for (id, tool) in [(1, "wait_for_ever"), (2, "block_until_cancelled")] {
        client.send(call(id, tool, &json!({})));
        let (answered, message) = client.refusal(-32603);
        assert_eq!(answered, id);
        assert_eq!(message, "tool timed out");
    }
    client.wait_for_error("block_until_cancelled ended");
    client.serves();
}

#[test]
fn a_panic_is_a_failed_call() {
    let mut client = Client::start(&[]);
    let answer = client.ask(call(1, "panic_now", &json!({})));
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(text(&answer), "Error: the tool failed");
    client.serves();
}

#[test]
fn calls_without_an_id_do_not_get_into_each_others_way() {
    let mut client = Client::start(&["--contract"]);
    let line = call(Value::Null, "sleep_ms", &json!({"ms": 30}));
    for _ in 0..3 {
        client.send(&line);
    }
    for _ in 0..3 {
        let answer = client.answer();
        assert_eq!(answer.get("id"), Some(&Value::Null));
        assert_eq!(text(&answer), "slept 30 ms");
    }
}

#[test]
fn a_call_that_needs_more_memory_than_all_calls_may_is_refused() {
    let mut client = Client::start(&["--message-size=1000", "--call-memory=1"]);
    assert_eq!(text(&client.ask(add(1, 1))), "2");
    let mut heavy: Value = serde_json::from_str(&add(2, 1)).unwrap();
    heavy["params"]["_meta"]["example.com/zeros"] = json!(vec![0; 50]);
    let refused = client.ask(heavy.to_string());
    assert_eq!(refused["id"], 2);
    assert_eq!(refused["error"]["code"], -32602);
    assert_eq!(text(&client.ask(add(3, 1))), "2");
}
