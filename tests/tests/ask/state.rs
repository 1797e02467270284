//! The state that a client carries: good for one request, and only as it is.

use std::sync::Barrier;

use mcp_runtime::{
    Principal, Server,
    sealing::{MemoryReplayGuard, SealingKeys},
};
use serde_json::{Value, json};

use super::client::{Request, accept, answers, asked, text};
use super::functions::{builder, runs, server};

const REFUSED: &str = "requestState was not issued by this server for this request";

fn introduce() -> Request {
    Request::call("introduce", json!({}))
}

fn name() -> Value {
    answers([("name", accept(json!({"name": "Ada"})))])
}

fn colour() -> Value {
    answers([("colour", accept(json!({})))])
}

/// A call that has a state.
fn begun(server: &Server, request: &Request) -> Value {
    request.clone().with("inputResponses", name()).send(server)
}

#[track_caller]
fn assert_refused(server: &Server, request: &Request) {
    let (code, message) = request.refused(server);
    assert_eq!(code, -32602);
    assert!(message.contains(REFUSED), "{message}");
}

#[test]
fn a_state_with_any_character_changed_is_refused() {
    let server = server();
    let round = begun(&server, &introduce());
    let next = introduce().next(&round, colour());
    let state = round["requestState"].as_str().unwrap();
    text(&next.send(&server));
    for (at, character) in state.char_indices() {
        // The last character has bits that no byte takes: another with the same bits elsewhere is refused as well.
        let others = if at + 1 == state.len() {
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_="
        } else {
            "A_="
        };
        for other in others.chars().filter(|other| *other != character) {
            let mut changed = state.to_owned();
            changed.replace_range(at..=at, &other.to_string());
            assert_refused(&server, &next.clone().with("requestState", json!(changed)));
        }
    }
}

#[test]
fn a_state_that_is_shorter_or_longer_is_refused() {
    let server = server();
    let round = begun(&server, &introduce());
    let next = introduce().next(&round, colour());
    let state = round["requestState"].as_str().unwrap();
    for end in 0..state.len() {
        assert_refused(
            &server,
            &next.clone().with("requestState", json!(state[..end])),
        );
    }
    for longer in ["A", "=", "-TAMPERED", "\n", " ", "AAAA"] {
        let longer = [&format!("{state}{longer}"), &format!("{longer}{state}")].map(String::clone);
        for longer in longer {
            assert_refused(&server, &next.clone().with("requestState", json!(longer)));
        }
    }
    let long = "A".repeat(1 << 20);
    assert_refused(&server, &next.clone().with("requestState", json!(long)));
}

#[test]
fn what_is_no_state_is_refused_wherever_it_comes() {
    let server = server();
    for odd in [
        json!(null),
        json!(7),
        json!({}),
        json!(""),
        json!("forged"),
        json!("A".repeat(60)),
    ] {
        for request in [
            introduce(),
            Request::new(
                "prompts/get",
                json!({"name": "asking", "arguments": {"topic": "x"}}),
            ),
            Request::new("resources/read", json!({"uri": "asking://7"})),
        ] {
            assert_refused(&server, &request.with("requestState", odd.clone()));
        }
    }
}

#[test]
fn a_state_is_good_for_its_own_request_alone() {
    let server = server();
    let pay = |arguments: Value| Request::call("pay", arguments);
    let own = pay(json!({"name": "own"}));
    let round = own.send(&server);
    let tip = answers([("tip", accept(json!({"yes": true})))]);
    let state = round["requestState"].clone();
    for other in [
        pay(json!({"name": "other"})),
        Request::call("delete", json!({"what": "own"})),
        introduce(),
        Request::new(
            "prompts/get",
            json!({"name": "asking", "arguments": {"topic": "own"}}),
        ),
        Request::new(
            "prompts/get",
            json!({"name": "pay", "arguments": {"name": "own"}}),
        ),
        Request::new("resources/read", json!({"uri": "asking://own"})),
    ] {
        let other = other.with("requestState", state.clone());
        let (code, _) = other.refused(&server);
        assert_eq!(code, -32602);
    }
    assert_eq!(runs("own").len(), 1, "no handler ran");
    assert_eq!(asked(&own.next(&round, tip).send(&server)), ["last"]);
}

/// Take arguments of many shapes, and ask.
#[mcp_runtime::mcp_tool(group = "shapes")]
async fn shapes(
    count: i64,
    ratio: f64,
    note: Option<String>,
    #[arg(default = Value::Null)] rest: Value,
    ctx: &mcp_runtime::Context,
) -> Result<String, mcp_runtime::ToolError> {
    ctx.once("begun", async { Ok::<_, mcp_runtime::ToolError>(()) })
        .await?;
    ctx.elicit::<super::form::Name>("name", "?").await?;
    Ok(format!("{count} {ratio} {note:?} {rest}"))
}

#[test]
fn equal_arguments_are_the_same_however_they_are_written() {
    let server = builder().groups(["shapes"]).build().unwrap();
    let written = |arguments: &str| {
        let request = Request::call("shapes", json!("HERE")).message().to_string();
        request.replace(r#""HERE""#, arguments)
    };
    let send = |arguments: &str, state: Option<&str>| {
        let mut request = written(arguments);
        if let Some(state) = state {
            let members = format!(
                r#""name":"shapes","requestState":"{state}","inputResponses":{{"name":{{"action":"decline"}}}}"#
            );
            request = request.replace(r#""name":"shapes""#, &members);
        }
        let mut out = Vec::new();
        server.handle_message_blocking(request.as_bytes(), &mut out);
        serde_json::from_slice::<Value>(&out).unwrap()
    };
    let first = r#"{"count":5,"ratio":2,"rest":{"a":1,"b":[1.5,"x"]}}"#;
    let answer = send(first, None);
    let state = answer["result"]["requestState"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"));
    for equal in [
        first,
        r#"{ "rest" : {"b":[15e-1,"\u0078"],"a":1.0}, "ratio":2.0, "count":5.0 }"#,
        r#"{"count":5e0,"note":null,"ratio":20e-1,"rest":{"a":1,"b":[1.5,"x"]}}"#,
    ] {
        let answer = send(equal, Some(state));
        assert_eq!(
            answer["result"]["resultType"], "complete",
            "{equal}: {answer}"
        );
    }
    for other in [
        r#"{"count":6,"ratio":2,"rest":{"a":1,"b":[1.5,"x"]}}"#,
        r#"{"count":5,"ratio":2.0000000000000000001,"rest":{"a":1,"b":[1.5,"x"]}}"#,
        r#"{"count":5,"ratio":2,"note":"","rest":{"a":1,"b":[1.5,"x"]}}"#,
        r#"{"count":5,"ratio":2,"rest":{"a":1,"b":["x",1.5]}}"#,
        r#"{"count":5,"ratio":2}"#,
    ] {
        let answer = send(other, Some(state));
        assert_eq!(answer["error"]["code"], -32602, "{other}: {answer}");
    }
}

#[test]
fn servers_with_the_same_keys_serve_alternate_rounds() {
    let key = |byte: u8| [byte; 32];
    let server = |keys: &[u8]| {
        let keys = SealingKeys::new(keys.iter().map(|byte| key(*byte)));
        builder().sealing_keys(keys).build().unwrap()
    };
    let (one, two) = (server(&[1]), server(&[1]));
    let request = Request::call("thrice", json!({}));
    let mut round = request.send(&one);
    for (key, server) in [("name", &two), ("name#2", &one), ("name#3", &two)] {
        let answer = answers([(key, accept(json!({"name": key})))]);
        round = request.next(&round, answer).send(server);
    }
    assert_eq!(text(&round), "name name#2 name#3");
    // The newest key seals, and the old one still opens.
    let (old, rotated, new) = (server(&[1]), server(&[2, 1]), server(&[2]));
    let round = begun(&old, &introduce());
    assert_refused(&new, &introduce().next(&round, colour()));
    text(&introduce().next(&round, colour()).send(&rotated));
    let round = begun(&rotated, &introduce());
    assert_refused(&old, &introduce().next(&round, colour()));
    text(&introduce().next(&round, colour()).send(&new));
}

#[test]
fn without_keys_each_server_has_one_of_its_own() {
    let (one, two) = (server(), server());
    let round = begun(&one, &introduce());
    begun(&two, &introduce());
    assert_refused(&two, &introduce().next(&round, colour()));
}

#[test]
fn a_guarded_state_is_good_once() {
    let server = builder()
        .replay_guard(MemoryReplayGuard::new())
        .build()
        .unwrap();
    let request = Request::call("pay", json!({"name": "guarded"}));
    let yes = || accept(json!({"yes": true}));
    let first = request.send(&server);
    let next = request.next(&first, answers([("tip", yes())]));
    let second = next.send(&server);
    assert_refused(&server, &next);
    assert_eq!(runs("guarded").len(), 2);
    let done = request
        .next(&second, answers([("last", yes())]))
        .send(&server);
    assert!(text(&done).starts_with("1 2"));
    assert_eq!(runs("guarded").len(), 2);
}

#[test]
fn of_two_calls_with_one_guarded_state_at_one_time_one_runs() {
    let server = builder()
        .replay_guard(MemoryReplayGuard::new())
        .build()
        .unwrap();
    for attempt in 0..50 {
        let name = format!("at one time {attempt}");
        let request = Request::call("pay", json!({ "name": name }));
        let first = request.send(&server);
        let next = request.next(&first, answers([("tip", accept(json!({"yes": true})))]));
        let begin = Barrier::new(2);
        let send = || {
            begin.wait();
            next.response(&server)
        };
        let responses = std::thread::scope(|threads| {
            [threads.spawn(send), threads.spawn(send)].map(|thread| thread.join().unwrap())
        });
        let refused = responses
            .iter()
            .filter(|it| it["error"]["code"] == -32602)
            .count();
        let served = responses.iter().filter(|it| it["result"].is_object());
        assert_eq!((refused, served.count()), (1, 1), "{responses:?}");
        assert_eq!(runs(&name).len(), 2, "one step of each round");
    }
}

#[test]
fn with_a_guard_the_first_answer_is_good_once_too() {
    let server = builder()
        .replay_guard(MemoryReplayGuard::new())
        .build()
        .unwrap();
    let request = Request::call("delete", json!({"what": "the moon"}));
    let first = request.send(&server);
    let next = request.next(&first, answers([("confirm", accept(json!({"yes": true})))]));
    let malformed = next.clone().with("inputResponses", json!([]));
    assert_eq!(malformed.refused(&server).0, -32602);
    let done = next.send(&server);
    assert_eq!(text(&done), "the moon deleted", "the state was not used up");
    assert_refused(&server, &next);
}

#[test]
fn keys_that_cannot_be_used_are_told_by_build() {
    let error = builder()
        .sealing_keys(SealingKeys::parse("not a key"))
        .build()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the state keys: key 1 is neither hexadecimal nor base64"
    );
}

#[tokio::test]
async fn a_state_is_good_for_its_own_principal_alone() {
    let server = server();
    let send = async |principal: Option<&str>, request: &Request| {
        let message = request.message();
        let response = match principal {
            Some(name) => server.handle_as(&Principal::new(name), &message).await,
            None => server.handle(&message).await,
        };
        response.unwrap()
    };
    let begun = introduce().with("inputResponses", name());
    let first = send(Some("ada"), &begun).await;
    let next = introduce().next(&first["result"], colour());
    for other in [Some("bob"), Some(""), None] {
        let response = send(other, &next).await;
        assert_eq!(response["error"]["code"], -32602, "{other:?}: {response}");
    }
    let done = send(Some("ada"), &next).await;
    assert!(text(&done["result"]).starts_with("Accepted"));
    let nobody = send(None, &begun).await;
    let next = introduce().next(&nobody["result"], colour());
    assert_eq!(send(Some("ada"), &next).await["error"]["code"], -32602);
}

/// A file of the test's own, which goes with it.
struct KeyFile(std::path::PathBuf);

impl KeyFile {
    fn new(name: &str, content: impl AsRef<[u8]>) -> Self {
        let name = format!("mcp-ask-keys-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, content).unwrap();
        Self(path)
    }

    fn built(&self) -> Result<Server, String> {
        let keys = SealingKeys::file(&self.0);
        let built = builder().sealing_keys(keys).build();
        built.map_err(|error| error.to_string())
    }
}

impl Drop for KeyFile {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).unwrap();
    }
}

#[test]
fn servers_take_their_keys_from_a_file() {
    let (old, new) = ("0b".repeat(32), "0c".repeat(32));
    let file = KeyFile::new("good", format!("{new}\n{old}\n"));
    let (one, two) = (file.built().unwrap(), file.built().unwrap());
    let round = begun(&one, &introduce());
    text(&introduce().next(&round, colour()).send(&two));
    // Both keys of the file are those of the text.
    let with = |keys: &str| {
        let keys = SealingKeys::parse(keys);
        builder().sealing_keys(keys).build().unwrap()
    };
    text(&introduce().next(&round, colour()).send(&with(&new)));
    assert_refused(&with(&old), &introduce().next(&round, colour()));
    let round = begun(&with(&old), &introduce());
    text(&introduce().next(&round, colour()).send(&one));
}

#[test]
fn a_file_without_keys_is_told_by_build() {
    for (name, content, expected) in [
        ("empty", &b"\n"[..], "the state keys: there is none"),
        (
            "short",
            b"0b0b",
            "the state keys: key 1 has 3 bytes instead of 32",
        ),
        (
            "odd",
            b"not a key",
            "the state keys: key 1 is neither hexadecimal nor base64",
        ),
    ] {
        let error = KeyFile::new(name, content).built().unwrap_err();
        assert_eq!(error, expected);
    }
    let unreadable = KeyFile::new("bytes", [0xff, 0xfe]);
    let error = unreadable.built().unwrap_err();
    let start = format!("the state keys in {}: ", unreadable.0.display());
    assert!(error.starts_with(&start), "{error}");
    let missing = unreadable.0.with_extension("missing");
    let built = builder().sealing_keys(SealingKeys::file(&missing)).build();
    let error = built.unwrap_err().to_string();
    let start = format!("the state keys in {}: ", missing.display());
    assert!(error.starts_with(&start), "{error}");
}
