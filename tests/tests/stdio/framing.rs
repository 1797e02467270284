//! What is a line, what is a message, and how everything else is answered.

use serde_json::{Value, json};

use crate::client::{Client, add, call, request, text};

/// Sends bytes that are refused with a code, and shows that the server goes on.
fn refuses(client: &mut Client, bytes: &[u8], code: i64) -> (Value, String) {
    client.write(bytes);
    client.write(b"\n");
    let refusal = client.refusal(code);
    client.serves();
    refusal
}

#[test]
fn lines_end_with_or_without_carriage_return_and_blank_ones_are_skipped() {
    let mut client = Client::start(&[]);
    client.write(format!("\n\r\n  \t\n{}\r\n\n", add(1, 1)).as_bytes());
    assert_eq!(text(&client.answer()), "2");
    client.serves();
}

#[test]
fn a_byte_order_mark_before_the_first_message_is_no_part_of_it() {
    let mut client = Client::start(&[]);
    client.write(b"\xEF\xBB\xBF");
    client.serves();
}

#[test]
fn the_last_line_needs_no_newline() {
    let mut client = Client::start(&[]);
    client.write(add(1, 41).as_bytes());
    client.close_input();
    let (status, answers) = client.end();
    assert!(status.success());
    assert_eq!(answers.len(), 1);
    assert_eq!(text(&answers[0]), "42");
}

#[test]
fn a_message_comes_in_pieces() {
    let mut client = Client::start(&[]);
    for byte in add(1, 1).bytes() {
        client.write(&[byte]);
    }
    client.write(b"\n");
    assert_eq!(text(&client.answer()), "2");
}

#[test]
fn what_is_not_json_is_a_parse_error() {
    let mut client = Client::start(&[]);
    for bytes in [
        &b"Gracefully restarting..."[..],
        b"{",
        b"\xff",
        br#"{"jsonrpc":"2.0","method":"\ud800"}"#,
        ["[".repeat(65), "]".repeat(65)].concat().as_bytes(),
    ] {
        let (id, _) = refuses(&mut client, bytes, -32700);
        assert_eq!(id, Value::Null);
    }
    for bytes in [
        &b"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/list\"}}"[..],
        b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\",\"id\":\"a\"}",
        br#"{"method":"\ud800","params":{"id":1},"id":"a","jsonrpc":"2.0"}"#,
        b"{\"id\":\"a\",\"jsonrpc\":\"2.0\",\"met",
    ] {
        let (id, _) = refuses(&mut client, bytes, -32700);
        assert_eq!(id, "a");
    }
}

#[test]
fn half_a_character_in_an_argument_fails_the_call() {
    for profile in [&[][..], &["--contract"]] {
        let mut client = Client::start(profile);
        let whole = call(1, "echo", &json!({"text": "cut emoji HALF"}));
        let answer = client.ask(whole.replace("HALF", "\\ud83d"));
        assert_eq!(answer["id"], 1);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(text(&answer).starts_with("`text`: "), "{answer}");
    }
}

#[test]
fn the_id_of_a_request_that_still_runs_is_not_taken() {
    let mut client = Client::start(&["--message-size=1000"]);
    client.send(call(1, "sleep_ms", &json!({"ms": 60_000})));
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"method":"\ud83d"}"#.to_owned(),
        format!(
            r#"{{"jsonrpc":"2.0","method":"{}","id":1}}"#,
            "x".repeat(5000)
        ),
    ] {
        client.send(line);
        assert_eq!(client.message().get("id"), None);
    }
}

#[test]
fn json_that_is_no_request_is_an_invalid_request() {
    let mut client = Client::start(&[]);
    for line in [
        "[]",
        "1",
        "null",
        r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":7,"id":7,"method":"tools/list"}"#,
    ] {
        let (id, _) = refuses(&mut client, line.as_bytes(), -32600);
        assert_eq!(id, Value::Null, "{line}");
    }
    for line in [
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","method":"tools/list"}"#,
        r#"{"jsonrpc":"1.0","id":7,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":7}"#,
    ] {
        let (id, _) = refuses(&mut client, line.as_bytes(), -32600);
        assert_eq!(id, 7, "{line}");
    }
}

#[test]
fn a_response_is_answered_in_the_contract_profile_alone() {
    let mut client = Client::start(&[]);
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}"#,
    ] {
        client.send(line);
        client.serves();
    }
    let mut contract = Client::start(&["--contract"]);
    let answer = contract.ask(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#);
    assert_eq!(answer["id"], 7);
    assert_eq!(answer["error"]["code"], -32600);
}

#[test]
fn a_line_of_twenty_mebibytes_is_refused_without_being_kept() {
    let mut client = Client::start(&[]);
    // What the program itself takes, which grows with its tools, is no part of what a line takes.
    client.send(add(1, 1));
    assert_eq!(text(&client.answer()), "2");
    #[cfg(target_os = "linux")]
    let before = peak_kibibytes(&client);
    let long = json!({"id": 5, "text": "x".repeat(20 << 20)});
    for line in [
        format!(r#"{{"jsonrpc":"2.0","method":"tools/call","params":{long},"id":"last"}}"#),
        format!(r#"{{"id":"last","jsonrpc":"2.0","method":"tools/call","params":{long}}}"#),
    ] {
        let (id, message) = refuses(&mut client, line.as_bytes(), -32600);
        assert_eq!(id, "last");
        assert!(message.contains("too long"), "{message}");
    }
    #[cfg(target_os = "linux")]
    {
        let grown = peak_kibibytes(&client) - before;
        assert!(grown < 16 << 10, "{grown} KiB more than {before} KiB");
    }
}

/// The most memory that the server has taken so far.
#[cfg(target_os = "linux")]
fn peak_kibibytes(client: &Client) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|peak| peak.split_whitespace().next()?.parse().ok());
    peak.unwrap()
}

#[test]
fn a_message_may_be_as_long_as_the_limit_says() {
    let line = add(1, 1);
    let limit = format!("--message-size={}", line.len());
    let mut client = Client::start(&[&limit]);
    // One after the other, since a refusal may pass a call that takes its time.
    assert_eq!(text(&client.ask(format!("{line}\r"))), "2");
    client.send(format!("{line} "));
    client.refusal(-32600);
    assert_eq!(text(&client.ask(&line)), "2");
}

#[test]
fn large_messages_come_back_whole_and_on_one_line() {
    let mut client = Client::start(&[]);
    for size in [1, 70_000, 1 << 20, 3] {
        let sent = "line\nbreak\r\u{2028}\"é\\ ".repeat(size / 16 + 1);
        let answer = client.ask(call(1, "echo", &json!({"text": sent})));
        assert_eq!(text(&answer), sent);
    }
}

#[test]
fn ids_come_back_as_they_were_sent() {
    let mut client = Client::start(&[]);
    for id in [json!(0), json!(""), json!(1), json!("1"), json!(-7)] {
        assert_eq!(client.ask(add(id.clone(), 1))["id"], id);
    }
    client.send(add(1, 1).replace("\"id\":1", "\"id\":9007199254740993"));
    assert_eq!(client.answer()["id"].to_string(), "9007199254740993");
}

#[test]
fn the_first_message_may_be_wrong() {
    let mut client = Client::start(&[]);
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let (id, _) = client.refusal(-32602);
    assert_eq!(id, 1);
    client.send(request(2, "initialize", json!({})));
    let (id, message) = client.refusal(-32601);
    assert_eq!(id, 2);
    assert!(message.contains("2026-07-28"), "{message}");
    client.serves();
}

#[test]
fn notifications_are_answered_in_the_contract_profile_alone() {
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/other"}"#;
    let mut strict = Client::start(&[]);
    strict.send(notification);
    strict.serves();
    let mut contract = Client::start(&["--contract"]);
    let answer = contract.ask(notification);
    assert_eq!(answer.get("id"), Some(&Value::Null));
    assert_eq!(answer["error"]["code"], -32601);
}
