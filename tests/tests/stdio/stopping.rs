//! The way out of the process: no thread, lock or stream of a tool holds it up.
#![cfg(unix)]

use std::process::Command;

use serde_json::json;

use crate::client::{Client, add, call, request, text};

/// The ways in which a client ends a server.
const ENDS: [&str; 2] = ["end of input", "SIGTERM"];

fn end(client: &mut Client, how: &str) {
    match how {
        "SIGTERM" => {
            let id = client.id().to_string();
            let killed = Command::new("kill").args(["-TERM", &id]).status();
            assert!(killed.unwrap().success());
        }
        _ => client.close_input(),
    }
}

/// Waits until a tool holds what it was asked to.
fn is_held(client: &mut Client) {
    loop {
        let answer = client.ask(call("held", "is_held", &json!({})));
        if answer["id"] == "held" && text(&answer) == "true" {
            return;
        }
    }
}

#[test]
fn a_standard_stream_that_a_tool_holds_does_not_hold_up_the_end() {
    for how in ENDS {
        for what in ["stdout", "stderr", "stdin", "nothing"] {
            for tool in ["hold", "hold_in_thread"] {
                let mut client = Client::start_watched(&[]);
                client.send(call(1, tool, &json!({"what": what})));
                if tool == "hold_in_thread" {
                    assert_eq!(client.answer()["id"], 1);
                }
                is_held(&mut client);
                end(&mut client, how);
                let (status, answers) = client.end();
                assert!(status.success(), "{how}, {what}, {tool}: {status}");
                assert!(answers.is_empty(), "{how}, {what}, {tool}: {answers:?}");
            }
        }
    }
}

#[test]
fn a_standard_error_that_nobody_reads_holds_up_no_call_and_no_end() {
    for how in ENDS {
        // With `trace` each request has a line of its own.
        for log in ["warn", "trace"] {
            let (mut client, _unread) = Client::start_unread(&[("MCP_LOG", log)]);
            client.send(call(1, "hold", &json!({"what": "full stderr"})));
            is_held(&mut client);
            for id in 10..2_010 {
                assert_eq!(text(&client.ask(add(id, 1))), "2");
            }
            client.send(request(2, "initialize", json!({})));
            assert!(client.answer()["error"].is_object());
            end(&mut client, how);
            let (status, answers) = client.end_unread();
            assert!(status.success(), "{status}");
            assert!(answers.is_empty(), "{answers:?}");
        }
    }
}

#[test]
fn a_tool_that_prints_goes_on_when_the_reader_of_standard_error_is_gone() {
    let (mut client, reader) = Client::start_unread(&[]);
    assert_eq!(text(&client.ask(add(1, 1))), "2");
    drop(reader);
    for id in 0..20 {
        let answer = client.ask(call(id, "print_lines", &json!({"lines": 100})));
        assert_eq!(text(&answer), "100", "{answer}");
    }
    client.close_input();
    let (status, answers) = client.end_unread();
    assert!(status.success(), "{status}");
    assert!(answers.is_empty(), "{answers:?}");
}

#[test]
fn an_orderly_end_runs_the_hooks_and_then_drops_the_states_that_no_tool_holds() {
    for how in ENDS {
        for holds in [false, true] {
            let mut client = Client::start_watched(&[]);
            if holds {
                client.send(call(1, "hold", &json!({"what": "nothing"})));
                is_held(&mut client);
            } else {
                client.serves();
            }
            end(&mut client, how);
            let (status, errors) = client.end_with_errors();
            assert!(status.success(), "{status}: {errors:?}");
            let mut told: Vec<_> = errors
                .iter()
                .filter(|line| line.contains("hook ran") || line.starts_with("dropped"))
                .map(String::as_str)
                .collect();
            // States have no order.
            told[2..].sort_unstable();
            let mut expected = vec!["hook ran", "last hook ran", "dropped free"];
            if !holds {
                expected.push("dropped held");
            }
            assert_eq!(told, expected, "{how}: {errors:?}");
        }
    }
}

#[test]
fn a_hook_or_a_drop_that_never_returns_does_not_hold_up_the_end() {
    for stuck in ["STUCK_HOOK", "STUCK_DROP"] {
        for how in ENDS {
            let mut client = Client::start_watched(&[(stuck, "1")]);
            client.serves();
            end(&mut client, how);
            let (status, errors) = client.end_with_errors();
            assert!(status.success(), "{status}: {errors:?}");
            assert!(errors.iter().any(|line| line == "hook ran"), "{errors:?}");
        }
    }
}

#[test]
fn the_command_line_runs_within_a_tokio_runtime_and_outside_of_one() {
    for environment in [&[("TOKIO", "1")][..], &[]] {
        let mut client = Client::start_watched(environment);
        client.serves();
        let waited = client.ask(call(1, "block_async", &json!({"ms": 1})));
        assert_eq!(text(&waited), "1");
        let spawned = client.ask(call(2, "spawn_from_plain", &json!({})));
        assert_eq!(text(&spawned), "spawned");
        client.close_input();
        let (status, _) = client.end_with_errors();
        assert!(status.success(), "{status}");
    }
}
