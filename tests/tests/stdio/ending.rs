//! How a server ends: with its input, on a signal, or because the client is gone.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::client::{Client, add, call, text};

#[test]
fn without_input_it_ends_at_once() {
    let output = Command::new(env!("CARGO_BIN_EXE_test-server"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success());
    assert!(
        output.stdout.is_empty() && output.stderr.is_empty(),
        "{output:?}"
    );
}

#[test]
fn running_calls_are_answered_after_the_end_of_input() {
    // As long as can be written: waiting for ever.
    let mut client = Client::start(&[&format!("--grace={}", u64::MAX)]);
    client.send(call(1, "block_ms", &json!({"ms": 100})));
    client.send(call(2, "sleep_ms", &json!({"ms": 200})));
    client.send(add(3, 1));
    client.close_input();
    let (status, answers) = client.end();
    assert!(status.success());
    let texts: BTreeSet<&str> = answers.iter().map(text).collect();
    assert_eq!(
        texts,
        BTreeSet::from(["2", "blocked 100 ms", "slept 200 ms"])
    );
    assert_eq!(answers.len(), 3);
}

#[test]
fn calls_that_do_not_end_are_given_up_after_the_grace() {
    let mut client = Client::start(&["--grace=10"]);
    client.send(call(1, "block_ms", &json!({"ms": 500_000})));
    client.send(call(2, "wait_for_ever", &json!({})));
    assert_eq!(client.ask(add(3, 1))["id"], 3);
    client.close_input();
    let (status, answers) = client.end();
    assert!(status.success());
    assert!(answers.is_empty(), "{answers:?}");
}

#[test]
fn a_client_that_is_gone_is_a_clean_end() {
    let mut client = Client::start(&[]);
    client.close_output();
    client.send(add(1, 1));
    assert!(client.status().success());
}

#[cfg(unix)]
#[test]
fn a_client_that_does_not_read_does_not_keep_the_end_of_input_from_being_seen() {
    let mut client = Client::start(&["--grace=10"]);
    // The quick answers are more than is kept for a client that does not read, so the end of input stays unread.
    for id in 0..400 {
        client.send(call(id, "structured", &json!({"count": 200})));
    }
    client.close_input();
    assert!(client.status().success());
}

#[cfg(unix)]
mod signals {
    use super::*;

    fn signal(client: &Client, name: &str) {
        let killed = Command::new("kill")
            .args([name, &client.id().to_string()])
            .status()
            .unwrap();
        assert!(killed.success());
    }

    #[test]
    fn signals_end_it_while_the_input_is_open() {
        for name in ["-TERM", "-INT"] {
            let mut client = Client::start(&[]);
            client.serves();
            signal(&client, name);
            let (status, answers) = client.end();
            assert!(status.success(), "{status}");
            assert!(answers.is_empty());
        }
    }

    #[test]
    fn a_signal_leaves_running_calls_their_grace() {
        let mut client = Client::start(&["--grace=50000"]);
        client.send(call(1, "block_ms", &json!({"ms": 300})));
        client.send(call(2, "sleep_ms", &json!({"ms": 400})));
        client.serves();
        signal(&client, "-TERM");
        let (status, answers) = client.end();
        assert!(status.success());
        let texts: BTreeSet<&str> = answers.iter().map(text).collect();
        assert_eq!(texts, BTreeSet::from(["blocked 300 ms", "slept 400 ms"]));
        assert_eq!(answers.len(), 2);
    }

    #[test]
    fn the_second_signal_ends_it_at_once() {
        let mut client = Client::start(&["--grace=500000"]);
        client.send(call(1, "wait_for_ever", &json!({})));
        client.serves();
        signal(&client, "-TERM");
        // A request that comes after the signal is not run, so nothing tells when the first signal was heard;
        // signals of one kind do not merge with those of the other.
        signal(&client, "-INT");
        let (status, _) = client.end();
        assert!(!status.success());
    }

    #[test]
    fn a_client_that_does_not_read_cannot_keep_it_alive() {
        let mut client = Client::start(&["--grace=10"]);
        let text = "x".repeat(1 << 20);
        for id in 0..3 {
            client.send(call(id, "echo", &json!({"text": text})));
        }
        signal(&client, "-TERM");
        assert!(client.status().success());
    }
}
