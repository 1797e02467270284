//! A message that is refused before it has been read to its end is answered with its id, in both profiles.

use mcp_runtime::{Profile, Server, ToolError, mcp_tool};
use serde_json::{Value, json};

use super::meta;

/// The bytes of a message.
const MESSAGE_SIZE: usize = 512 * 1024;

/// Takes anything.
#[mcp_tool(group = "refused_ids")]
fn free(value: Value, text: Option<String>) -> String {
    format!("{value} {text:?}")
}

fn server(profile: Profile) -> Server {
    mcp_runtime::server!()
        .groups(["refused_ids"])
        .profile(profile)
        .max_message_size(MESSAGE_SIZE)
        .register_tool(
            "registered",
            "Takes anything.",
            json!({"type": "object"}),
            |_: Value| Ok::<_, ToolError>("called"),
        )
        .build()
        .unwrap()
}

fn answer(server: &Server, message: &[u8]) -> Value {
    let mut out = Vec::new();
    server.handle_message_blocking(message, &mut out);
    serde_json::from_slice(&out).unwrap_or_else(|error| {
        panic!("{error}: {}", String::from_utf8_lossy(&out));
    })
}

/// Holds the answer against a code and an id; `null` is no id.
#[track_caller]
fn refuses(message: &[u8], code: i32, id: &Value) {
    for profile in [Profile::Strict, Profile::Contract] {
        let answer = answer(&server(profile), message);
        let shown = String::from_utf8_lossy(&message[..message.len().min(200)]);
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
        assert_eq!(answer["id"], *id, "{shown}: {answer}");
        let has_id = profile == Profile::Contract || !id.is_null();
        assert_eq!(answer.get("id").is_some(), has_id, "{shown}: {answer}");
    }
}

/// A call of a tool with members around and arguments as they are written.
fn call(name: &str, arguments: &str) -> String {
    let meta = meta();
    format!(
        r#"{{"jsonrpc":"2.0","method":"tools/call","params":{{"name":"{name}","_meta":{meta},"arguments":{arguments}}},"id":7}}"#
    )
}

#[test]
fn the_id_is_found_in_any_order_and_spelling() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for (id, value) in [
        ("0", json!(0)),
        ("\"\"", json!("")),
        ("9007199254740993", json!(9_007_199_254_740_993_u64)),
        (r#""a\"b\u0041}""#, json!("a\"bA}")),
        ("-7", json!(-7)),
    ] {
        for fault in [
            r#""\ud83d""#,
            r#"{"\ud83d":1}"#,
            r#"["\udc00\ud83d"]"#,
            &deep,
            "01",
            "NaN",
            "+1",
            "1.",
            "tru",
            r#"{"a":1,}"#,
            "\"\t\"",
            r#""\x""#,
        ] {
            for message in [
                format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{fault}}}"#),
                format!(
                    r#"{{"params":{{"id":5,"x":{fault}}},"method":"tools/list","jsonrpc":"2.0","id":{id}}}"#
                ),
                format!(r#" {{ "x" : {fault} , "i\u0064" : {id} , "method":"m" }} "#),
            ] {
                refuses(message.as_bytes(), -32700, &value);
            }
        }
    }
}

#[test]
fn a_message_that_is_cut_has_the_id_that_stands_before_the_cut() {
    let message = r#"{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"free"}}"#;
    let before = message.find(",\"method").unwrap();
    for end in 1..message.len() {
        let id = if end > before { json!(12) } else { Value::Null };
        refuses(&message.as_bytes()[..end], -32700, &id);
    }
    refuses(b"{\"id\":7,\"method\":\"\xff\"}", -32700, &json!(7));
    refuses(b"{\"\xff\":[\"\xff\"],\"id\":7}", -32700, &json!(7));
    refuses(br#"{"id":7,"method":"x"}}"#, -32700, &json!(7));
}

#[test]
fn what_is_not_the_id_is_not_taken_for_it() {
    for message in [
        r#"{"id":1,"id":2,"x":"\ud83d"}"#,
        r#"{"id":1,"x":"\ud83d","i\u0064":1}"#,
        r#"{"x":"\ud83d","params":{"id":1}}"#,
        r#"{"x":{"y":[},"id":1}"#,
        r#"{"x":{"y":1],"id":1}}"#,
        r#"[{"id":1,"x":"\ud83d"}]"#,
        r#"{"id":"\ud83d","method":"tools/list"}"#,
        r#"{"id":01,"method":"tools/list"}"#,
        r#"{"id":1e400,"method":"\ud83d"}"#,
        r#"{"'id":1,"x":"\ud83d"}"#,
        // The id of a response is the receiver's own.
        r#"{"jsonrpc":"2.0","id":1,"result":{"x":"\ud83d"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":"\ud83d"}"#,
    ] {
        refuses(message.as_bytes(), -32700, &Value::Null);
    }
}

#[test]
fn a_member_that_stands_twice_leaves_the_id_unless_it_is_the_id() {
    for (members, id) in [
        (
            r#""jsonrpc":"2.0","jsonrpc":"2.0","id":7,"method":"tools/list""#,
            json!(7),
        ),
        (
            r#""id":7,"method":"x","jsonrpc":"2.0","m\u0065thod":"x""#,
            json!(7),
        ),
        (
            r#""params":{"id":1},"params":{},"id":7,"method":"x","jsonrpc":"2.0""#,
            json!(7),
        ),
        (r#""jsonrpc":"2.0","id":1,"id":7,"method":"x""#, Value::Null),
        (
            r#""method":"x","method":"x","jsonrpc":"2.0","id":1,"id":1"#,
            Value::Null,
        ),
    ] {
        refuses(format!("{{{members}}}").as_bytes(), -32600, &id);
    }
}

#[test]
fn a_message_that_is_too_long_has_its_id_at_either_end_or_between() {
    let text = "[{\\\"".repeat(MESSAGE_SIZE / 4);
    let array = format!(
        "{}\"id\"{}",
        "[{\"id\":1,\"a\":".repeat(MESSAGE_SIZE / 12),
        "}]".repeat(MESSAGE_SIZE / 12)
    );
    for long in [format!("\"{text}\""), array] {
        for message in [
            format!(r#"{{"id":7,"method":"x","params":{long}}}"#),
            format!(r#"{{"params":{long},"id":7,"method":"x"}}"#),
            format!(r#"{{"x":{long},"id":7,"params":{long}}}"#),
        ] {
            refuses(message.as_bytes(), -32600, &json!(7));
        }
        let twice = format!(r#"{{"id":7,"params":{long},"id":7}}"#);
        refuses(twice.as_bytes(), -32600, &Value::Null);
    }
}

#[test]
fn values_that_are_too_deep_are_refused_with_their_id() {
    let mut deep = json!(1);
    for _ in 0..70 {
        deep = json!([deep]);
    }
    let message = json!({"jsonrpc": "2.0", "id": "kept", "method": "tools/list", "params": deep});
    for profile in [Profile::Strict, Profile::Contract] {
        let answer = server(profile).handle_request(&message).unwrap();
        assert_eq!(answer["error"]["code"], -32700, "{answer}");
        assert_eq!(answer["id"], "kept");
    }
}

#[test]
fn faults_in_the_arguments_of_a_tool_are_the_tools() {
    let deep = format!("{}1{}", "[".repeat(62), "]".repeat(62));
    let place = "value".to_owned() + &"[0]".repeat(61);
    for (arguments, start) in [
        (
            r#"{"value":1,"text":"cut emoji \ud83d"}"#,
            "`text`: `\\ud83d` is half of a character",
        ),
        (
            r#"{"value":{"a":["\udc00"]}}"#,
            "`value.a[0]`: `\\udc00` is half of a character",
        ),
        (
            r#"{"value":{"k\ud800":1}}"#,
            "`value[\"k\u{fffd}\"]`: `\\ud800` is half",
        ),
        (r#"{"value":[0,01]}"#, "`value[1]`: `01` is not a number"),
        (r#"{"value":NaN}"#, "`value`: `NaN` is not a number"),
        (
            r#"{"value":-Infinity}"#,
            "`value`: `-Infinity` is not a number",
        ),
        (
            &format!(r#"{{"value":{deep}}}"#),
            &format!("`{place}`: nested deeper than"),
        ),
        (r#"{"text":"\ud83d","value":+1}"#, "`text`: `\\ud83d`"),
    ] {
        for profile in [Profile::Strict, Profile::Contract] {
            for tool in ["free", "registered"] {
                let answer = answer(&server(profile), call(tool, arguments).as_bytes());
                assert_eq!(answer["id"], 7, "{answer}");
                assert_eq!(answer["result"]["isError"], true, "{arguments}: {answer}");
                let text = answer["result"]["content"][0]["text"].as_str().unwrap();
                assert!(text.starts_with(start), "{text}");
            }
        }
    }
    let both = call("free", r#"{"text":"\ud83d","value":+1}"#);
    let both = answer(&server(Profile::Strict), both.as_bytes());
    let text = both["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(text.lines().count(), 2, "{text}");
}

#[test]
fn faults_in_other_places_are_the_messages() {
    let in_arguments = r#"{"value":"\ud83d"}"#;
    for message in [
        call("free", r#"{"value":"\ud83d",}"#),
        call("free", r#"{"value":"\ud83d","text":"\x"}"#),
        call("free", r#"["\ud83d"]"#),
        call("free", r#""\ud83d""#),
        call("free\\ud83d", in_arguments),
        call("free", in_arguments).replace("tools/call", "prompts/get"),
        call("free", in_arguments).replace("\"id\"", "\"x\":\"\\ud83d\",\"id\""),
        call("free", in_arguments).replace("\"name\"", "\"x\":\"\\ud83d\",\"name\""),
    ] {
        refuses(message.as_bytes(), -32700, &json!(7));
    }
    let unknown = call("unknown", in_arguments);
    let strict = answer(&server(Profile::Strict), unknown.as_bytes());
    assert_eq!(
        (&strict["error"]["code"], &strict["id"]),
        (&json!(-32700), &json!(7))
    );
    let contract = answer(&server(Profile::Contract), unknown.as_bytes());
    assert_eq!(contract["result"]["content"][0]["text"], "Tool not found");
    assert_eq!(contract["id"], 7);
}

#[test]
fn the_stages_before_the_arguments_are_as_ever() {
    let meta = meta().to_string();
    let message = call("free", r#"{"value":"\ud83d"}"#).replace(&meta, "{}");
    let strict = answer(&server(Profile::Strict), message.as_bytes());
    assert_eq!(
        (&strict["error"]["code"], &strict["id"]),
        (&json!(-32602), &json!(7))
    );
}

#[test]
fn hostile_messages_take_time_in_proportion_to_their_length() {
    // Were this quadratic, it would not end.
    for unit in [
        r#"{"id":1,"#,
        r#""\ud83d","#,
        "[[",
        "\\\"",
        "NaN,",
        r#"{"\ud83d":"#,
    ] {
        let repeated = unit.repeat(MESSAGE_SIZE / unit.len() - 200);
        for message in [
            repeated.clone(),
            call("free", &format!("{{\"value\":[{repeated}1]}}")),
        ] {
            let answer = answer(&server(Profile::Strict), message.as_bytes());
            assert!(answer.to_string().len() < 100_000);
        }
    }
}

#[test]
fn an_id_that_doubles_cannot_hold_is_not_echoed() {
    let digits = "9".repeat(400);
    for id in ["1e400", "[1e400]", "-1E999", &digits] {
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#);
        refuses(message.as_bytes(), -32600, &Value::Null);
    }
}
