//! Word of progress and log messages, which come before the answer and only to those who asked for it.

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
fn who_is_woken_by_a_cancellation_may_tell_of_progress() {
    let mut client = Client::start(&[]);
    client.send(told(1, "tell_when_cancelled", &json!({}), &json!("t")));
    assert_eq!(client.message()["params"]["progress"], 1.0);
    client.send(cancel(1));
    client.wait_for_error("the waker has told");
    client.serves();
}

#[test]
fn who_is_woken_by_the_end_of_the_time_may_tell_of_progress() {
    let mut client = Client::start(&["--call-time=1000"]);
    client.send(told(1, "tell_when_cancelled", &json!({}), &json!("t")));
    assert_eq!(client.message()["params"]["progress"], 1.0);
    client.wait_for_error("the waker has told");
    assert_eq!(client.answer()["id"], 1);
    client.serves();
}

#[test]
fn who_is_woken_by_the_end_of_serving_may_tell_of_progress() {
    let mut client = Client::start(&["--grace=10"]);
    client.send(told(1, "tell_when_cancelled", &json!({}), &json!("t")));
    assert_eq!(client.message()["params"]["progress"], 1.0);
    client.close_input();
    client.wait_for_error("the waker has told");
    let (status, answers) = client.end();
    assert!(status.success());
    assert!(answers.is_empty(), "{answers:?}");
}

#[test]
fn nothing_is_heard_of_a_call_that_has_its_answer() {
    let mut client = Client::start(&[]);
    client.ask(logged(1, "keep_context", "debug"));
    let answer = client.ask(call(2, "speak_late", &json!({})));
    assert_eq!(text(&answer), "true");
    client.serves();
}

/// A call whose client wants to have log messages.
fn logged(id: i64, tool: &str, level: &str) -> String {
    let line = told(id, tool, &json!({}), &json!("t"));
    let mut message: Value = serde_json::from_str(&line).unwrap();
    message["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!(level);
    message.to_string()
}

#[test]
fn log_messages_come_in_order_with_progress_and_only_from_their_level_on() {
    let mut client = Client::start(&[]);
    let levels = [
        "debug",
        "info",
        "notice",
        "warning",
        "error",
        "critical",
        "alert",
        "emergency",
    ];
    for (least, name) in levels.into_iter().enumerate() {
        client.send(logged(1, "log_all", name));
        for (number, level) in levels.into_iter().enumerate() {
            if number >= least {
                let message = client.message();
                assert_eq!(message["method"], "notifications/message");
                assert_eq!(
                    message["params"],
                    json!({"level": level, "data": number + 1})
                );
            }
            assert_eq!(client.message()["method"], "notifications/progress");
        }
        assert_eq!(text(&client.answer()), "logged");
    }
    let answer = client.ask(call(2, "log_all", &json!({})));
    assert_eq!(text(&answer), "logged");
    client.send(logged(3, "log_all", "loud"));
    assert_eq!(client.answer()["error"]["code"], -32602);
    client.serves();
}
