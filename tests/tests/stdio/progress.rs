//! Word of progress, which comes before the answer and only to those who asked for it.

use serde_json::{Value, json};

use crate::client::{Client, call, cancel, meta, text};

/// A call whose client wants to know of progress.
fn told(id: impl Into<Value>, tool: &str, arguments: &Value, token: &Value) -> String {
    let mut meta = meta();
    meta["progressToken"] = token.clone();
    json!({
        "jsonrpc": "2.0", "id": id.into(), "method": "tools/call",
        "params": {"name": tool, "arguments": arguments, "_meta": meta},
    })
    .to_string()
}

#[test]
fn progress_comes_before_the_answer_and_only_grows() {
    let mut client = Client::start(&[]);
    for token in [
        json!(0),
        json!(""),
        json!("a\"b"),
        json!(9_007_199_254_740_993_i64),
    ] {
        client.send(told(1, "count_up", &json!({"to": 100}), &token));
        for number in 1..=100 {
            let message = client.message();
            assert_eq!(message["method"], "notifications/progress");
            assert_eq!(
                message["params"],
                json!({"progressToken": token, "progress": f64::from(number), "total": 100.0})
            );
        }
        assert_eq!(text(&client.answer()), "100");
    }
    client.serves();
}

#[test]
fn who_gives_no_token_hears_nothing() {
    let mut client = Client::start(&[]);
    let answer = client.ask(call(1, "count_up", &json!({"to": 100})));
    assert_eq!(text(&answer), "100");
    client.serves();
}

#[test]
fn progress_is_heard_while_the_call_runs_and_not_after_its_cancellation() {
    let mut client = Client::start(&[]);
    client.send(told(1, "count_and_wait", &json!({}), &json!("t")));
    for number in [1.0, 2.0] {
        assert_eq!(client.message()["params"]["progress"], number);
    }
    client.send(cancel(1));
    client.serves();
}

#[test]
fn nothing_is_heard_of_a_call_that_has_its_answer() {
    let mut client = Client::start(&[]);
    client.ask(told(1, "keep_context", &json!({}), &json!("t")));
    let answer = client.ask(call(2, "speak_late", &json!({})));
    assert_eq!(text(&answer), "true");
    client.serves();
}
