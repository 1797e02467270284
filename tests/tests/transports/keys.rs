//! Processes that share the keys of the environment serve one conversation, round by round.

use std::io::Read;

use serde_json::{Value, json};

use super::conversation::Transport;
use super::stdio::{Process, StandardStreams};

fn process(keys: &str) -> Process {
    Process::start_with(&[], |command| command.env("MCP_SEALING_KEYS", keys))
}

/// A round of the tool `leave`.
fn round(answers: &Value, state: Option<&Value>) -> String {
    let mut params = json!({
        "name": "leave",
        "arguments": {"door": "back"},
        "inputResponses": answers,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}, "url": {}}},
        },
    });
    if let Some(state) = state {
        params["requestState"] = state.clone();
    }
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string()
}

#[test]
fn of_one_environment_serve_alternate_rounds() {
    let (old, new) = ("11".repeat(32), "22".repeat(32));
    let start = |keys: &str| StandardStreams::of(process(keys));
    let mut first = start(&old);
    let cold = json!({"cold": {"action": "accept", "content": {"go_on": true}}});
    let begun = first.say(&round(&cold, None)).remove(0);
    let state = &begun["result"]["requestState"];
    let rest = json!({"lock": {"action": "decline"}, "weather": {"action": "accept"}});
    for (keys, is_good) in [
        (old.clone(), true),
        (format!("{new}, {old}"), true),
        (new.clone(), false),
    ] {
        let done = start(&keys).say(&round(&rest, Some(state))).remove(0);
        if is_good {
            assert_eq!(done["result"]["resultType"], "complete", "{done}");
        } else {
            assert_eq!(done["error"]["code"], -32602, "{done}");
        }
    }
}

#[test]
fn that_are_no_keys_end_the_process_with_a_reason() {
    let mut process = process("not a key");
    let status = process.0.wait().unwrap();
    let mut told = String::new();
    let mut errors = process.0.stderr.take().unwrap();
    errors.read_to_string(&mut told).unwrap();
    assert!(!status.success());
    assert!(
        told.contains("MCP_SEALING_KEYS: key 1 is neither hexadecimal nor base64"),
        "{told}"
    );
    assert!(!told.contains("not a key"), "{told}");
}
