//! Slow calls, sync and async, delay nobody.

use std::collections::BTreeSet;

use serde_json::json;

use crate::client::{Client, add, call, cancel, request, text};

#[test]
fn quick_calls_pass_a_slow_one() {
    for tool in ["block_until_cancelled", "wait_for_ever"] {
        let mut client = Client::start(&[]);
        client.send(call(1, tool, &json!({})));
        for _ in 0..100 {
            client.serves();
        }
    }
}

#[test]
fn answers_before_a_slow_call_are_not_held_back() {
    let mut client = Client::start(&[]);
    let lines = [
        add(1, 1),
        call(2, "block_until_cancelled", &json!({})),
        add(3, 1),
    ];
    client.write((lines.join("\n") + "\n").as_bytes());
    let ids = [client.answer()["id"].clone(), client.answer()["id"].clone()];
    assert!(
        ids.contains(&json!(1)) && ids.contains(&json!(3)),
        "{ids:?}"
    );
}

#[test]
fn quick_calls_pass_many_slow_ones() {
    let mut client = Client::start(&[]);
    for id in 0..100 {
        client.send(call(id, "block_until_cancelled", &json!({})));
        client.send(call(id + 100, "wait_for_ever", &json!({})));
    }
    client.serves();
    for id in 0..200 {
        client.send(cancel(id));
    }
    client.serves();
}

#[test]
fn slow_calls_run_at_one_time() {
    let mut client = Client::start(&["--call-time=50000"]);
    // One after the other these would take longer than anybody waits.
    for id in 0..300 {
        client.send(call(id, "block_ms", &json!({"ms": 400})));
    }
    for _ in 0..300 {
        assert_eq!(text(&client.answer()), "blocked 400 ms");
    }
}

#[test]
fn of_a_mixture_each_call_is_answered_once() {
    let mut client = Client::start(&[]);
    client.read_along();
    let large = "x".repeat(100_000);
    let count = 600;
    for id in 0..count {
        client.send(match id % 6 {
            0 | 1 => add(id, 1),
            2 => call(id, "block_ms", &json!({"ms": id % 7})),
            3 => call(id, "sleep_ms", &json!({"ms": id % 5})),
            4 => call(id, "echo", &json!({"text": large})),
            _ => call(id, "wait_for_ever", &json!({})),
        });
        if id % 6 == 5 {
            client.send(cancel(id));
        }
    }
    let expected: BTreeSet<_> = (0..count).filter(|id| id % 6 != 5).collect();
    let answered: Vec<_> = expected
        .iter()
        .map(|_| client.answer()["id"].as_i64().unwrap())
        .collect();
    assert_eq!(BTreeSet::from_iter(answered), expected);
    client.serves();
}

#[test]
fn a_tool_that_was_slow_once_is_still_answered() {
    let mut client = Client::start(&[]);
    for ms in [20, 0, 0, 20, 0, 0, 0] {
        let answer = client.ask(call(1, "block_ms", &json!({"ms": ms})));
        assert_eq!(text(&answer), format!("blocked {ms} ms"));
        client.serves();
    }
}

#[test]
fn prompts_and_resources_that_were_slow_once_are_still_answered() {
    let mut client = Client::start(&["--more"]);
    for ms in [20, 0, 0, 20, 0, 0, 0] {
        let params = json!({"name": "block_prompt", "arguments": {"ms": ms.to_string()}});
        let answer = client.ask(request(1, "prompts/get", params));
        let content = &answer["result"]["messages"][0]["content"];
        assert_eq!(content["text"], format!("blocked {ms} ms"), "{answer}");
        let params = json!({"uri": format!("blocked://{ms}")});
        let answer = client.ask(request(2, "resources/read", params));
        let content = &answer["result"]["contents"][0];
        assert_eq!(content["text"], format!("blocked {ms} ms"), "{answer}");
        client.serves();
    }
}

#[test]
fn functions_find_the_async_runtime_and_may_run_their_own() {
    let mut client = Client::start(&[]);
    for id in 1..=100 {
        for (tool, expected) in [
            ("spawn_and_wait", "spawned"),
            ("spawn_inline", "true"),
            ("own_runtime", "ran"),
        ] {
            let answer = client.ask(call(id, tool, &json!({})));
            assert_eq!(text(&answer), expected, "{answer}");
        }
    }
}
