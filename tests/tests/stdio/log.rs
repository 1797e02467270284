//! The log of a server on standard error: refusals, once a minute and kind, with the option that changes them.
#![cfg(unix)]

use serde_json::{Value, json};

use crate::client::{Client, call, request};

/// The lines of the log with these words.
fn with<'l>(lines: &'l [String], words: &str) -> Vec<&'l str> {
    let lines = lines.iter().map(String::as_str);
    lines.filter(|line| line.contains(words)).collect()
}

fn code(answer: &Value) -> i64 {
    answer["error"]["code"]
        .as_i64()
        .unwrap_or_else(|| panic!("no error: {answer}"))
}

#[test]
fn requests_of_an_unknown_era_are_logged() {
    let mut client = Client::start_watched(&[]);
    let states = |revision: &str| {
        json!({
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientCapabilities": {},
        })
    };
    let (modern, meta) = (states("2026-07-28"), states("2025-06-18"));
    for (method, params) in [
        ("initialize", json!({"_meta": modern})),
        ("tools/list", json!({})),
        ("tools/list", json!({"_meta": meta})),
    ] {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        code(&client.ask(message.to_string()));
    }
    client.close_input();
    let (_, lines) = client.end_with_errors();
    assert_eq!(
        with(&lines, "`initialize` is refused").len(),
        1,
        "{lines:?}"
    );
    assert_eq!(
        with(&lines, "names no revision of MCP").len(),
        1,
        "{lines:?}"
    );
    let unserved = with(&lines, "a revision of MCP that is not served");
    assert_eq!(unserved.len(), 1, "{lines:?}");
    assert!(unserved[0].contains("2025-06-18"), "{unserved:?}");
}

#[test]
fn each_bound_has_a_line_with_its_option_and_a_count_at_the_end() {
    let mut client = Client::start_watched(&[("LIMITS", "1")]);
    client.send(call(1, "hold", &json!({"what": "nothing"})));
    for id in 2..=5 {
        assert_eq!(code(&client.ask(call(id, "is_held", &json!({})))), -32603);
    }
    let filter = json!({"notifications": {"toolsListChanged": true}});
    assert_eq!(
        code(&client.ask(request(6, "subscriptions/listen", filter))),
        -32603
    );
    code(&client.ask("x".repeat(3_000)));
    client.close_input();
    let (_, lines) = client.end_with_errors();
    let calls = with(&lines, "`ServerBuilder::max_calls_in_flight`");
    assert_eq!(calls.len(), 2, "{lines:?}");
    assert!(
        calls[0].contains("WARN") && calls[0].contains("count=1"),
        "{calls:?}"
    );
    assert!(calls[1].contains("count=3"), "{calls:?}");
    for option in ["max_listen_streams", "max_message_size"] {
        let option = format!("`ServerBuilder::{option}`");
        assert_eq!(with(&lines, &option).len(), 1, "{option}: {lines:?}");
    }
}

#[test]
fn a_call_that_times_out_and_an_async_function_that_blocks_are_logged() {
    let mut client = Client::start_watched(&[]);
    assert_eq!(
        code(&client.ask(call(1, "wait_without_end", &json!({})))),
        -32603
    );
    client.wait_for_error("`ServerBuilder::call_timeout`");
    client.ask(call(2, "block_async", &json!({"ms": 150})));
    let lines = client.wait_for_error("blocks its thread");
    let line = &lines[lines.len() - 1];
    assert!(line.contains("block_async"), "{line}");
}

#[test]
fn a_time_out_is_logged_once_with_all_others_in_its_count() {
    let mut client = Client::start_watched(&[]);
    for id in 0..3 {
        client.ask(call(id, "wait_without_end", &json!({})));
    }
    client.close_input();
    let (_, lines) = client.end_with_errors();
    let lines = with(&lines, "a call has timed out");
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[1].contains("count=2"), "{lines:?}");
}

#[test]
fn each_request_has_a_line_of_level_debug() {
    let mut client = Client::start_watched(&[("MCP_LOG", "debug")]);
    client.ask(call("first", "is_held", &json!({})));
    client.ask(call("second", "add", &json!({"a": 1, "b": 1})));
    client.close_input();
    let (_, lines) = client.end_with_errors();
    for id in ["first", "second"] {
        let lines = with(&lines, id);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(
            lines[0].contains("DEBUG") && lines[0].contains("tools/call"),
            "{lines:?}"
        );
    }
}
