//! Streams of `subscriptions/listen`, which share one pipe with all answers.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::client::{Client, add, call, cancel, meta, request};

/// A request for a stream.
fn listen(id: impl Into<Value>, filter: &Value) -> String {
    let params = json!({"_meta": meta(), "notifications": filter});
    let id = id.into();
    json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params})
        .to_string()
}

fn announce(what: &str) -> String {
    call("announce", "announce", &json!({"what": what}))
}

fn tools() -> Value {
    json!({"toolsListChanged": true})
}

/// The method of a notification, and the stream that it belongs to.
fn of_stream(message: &Value) -> (&str, &Value) {
    let method = message["method"]
        .as_str()
        .unwrap_or_else(|| panic!("{message}"));
    let stream = &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    (method, stream)
}

/// Opens a stream; gives what is acknowledged.
fn open(client: &mut Client, id: impl Into<Value>, filter: &Value) -> Value {
    let id = id.into();
    client.send(listen(id.clone(), filter));
    let message = client.message();
    assert_eq!(
        of_stream(&message),
        ("notifications/subscriptions/acknowledged", &id)
    );
    message["params"]["notifications"].clone()
}

/// Reads the answer of an announcement and the notifications of so many streams, in whatever order they come.
fn announced(client: &mut Client, what: &str, count: usize) -> Vec<Value> {
    client.send(announce(what));
    let mut messages: Vec<_> = (0..=count).map(|_| client.message()).collect();
    let answer = messages
        .iter()
        .position(|message| message["id"] == "announce");
    messages.remove(answer.unwrap_or_else(|| panic!("no answer in {messages:?}")));
    messages
}

#[test]
fn each_stream_hears_what_it_asked_for_under_its_own_id() {
    let mut client = Client::start(&["--resource"]);
    assert_eq!(open(&mut client, 1, &tools()), tools());
    let watched = json!({"resourceSubscriptions": ["test://0"], "promptsListChanged": true});
    // There are no prompts.
    let honoured = json!({"resourceSubscriptions": ["test://0"]});
    assert_eq!(open(&mut client, "1", &watched), honoured);
    let heard = announced(&mut client, "tools", 1);
    assert_eq!(
        of_stream(&heard[0]),
        ("notifications/tools/list_changed", &json!(1))
    );
    let heard = announced(&mut client, "test://0", 1);
    assert_eq!(
        of_stream(&heard[0]),
        ("notifications/resources/updated", &json!("1"))
    );
    assert_eq!(heard[0]["params"]["uri"], "test://0");
    for nobody_asked in ["prompts", "resources", "test://1"] {
        announced(&mut client, nobody_asked, 0);
    }
    client.serves();
}

#[test]
fn what_is_added_to_a_running_server_is_told_to_who_listens() {
    let mut client = Client::start(&["--more"]);
    let all = json!({
        "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
    });
    assert_eq!(open(&mut client, "all", &all), all);
    for (what, method, list) in [
        ("tool", "notifications/tools/list_changed", "tools/list"),
        (
            "prompt",
            "notifications/prompts/list_changed",
            "prompts/list",
        ),
        (
            "resource",
            "notifications/resources/list_changed",
            "resources/list",
        ),
        (
            "template",
            "notifications/resources/list_changed",
            "resources/templates/list",
        ),
    ] {
        client.send(call("register", "register", &json!({ "what": what })));
        let (first, second) = (client.message(), client.message());
        let (answer, told) = if first.get("id").is_some() {
            (first, second)
        } else {
            (second, first)
        };
        assert_eq!(answer["result"]["content"], json!([]), "{answer}");
        assert_eq!(of_stream(&told), (method, &json!("all")));
        let listed = client.ask(request("list", list, json!({})));
        let listed = listed["result"].to_string();
        assert!(listed.contains(r#""name":"registered""#), "{listed}");
    }
    client.serves();
}

#[test]
fn discover_declares_what_the_pipe_delivers() {
    let mut client = Client::start(&["--resource"]);
    let params = json!({"_meta": meta()});
    let discover =
        json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": params});
    assert_eq!(
        client.ask(discover.to_string())["result"]["capabilities"],
        json!({
            "tools": {"listChanged": true},
            "resources": {"listChanged": true, "subscribe": true},
            "logging": {},
        })
    );
}

#[test]
fn a_cancelled_stream_is_silent_and_its_id_is_free() {
    let mut client = Client::start(&["--streams=1"]);
    open(&mut client, 7, &tools());
    client.send(listen(7, &tools()));
    let (id, message) = client.refusal(-32600);
    assert_eq!(id, Value::Null);
    assert!(message.contains("id 7 is still running"), "{message}");
    client.send(listen("7", &tools()));
    let (id, message) = client.refusal(-32603);
    assert_eq!(id, "7");
    assert!(
        message.starts_with("Too many streams: 1 are open"),
        "{message}"
    );
    client.send(cancel("7"));
    announced(&mut client, "tools", 1);
    client.send(cancel(7));
    announced(&mut client, "tools", 0);
    client.serves();
    open(&mut client, 7, &tools());
    announced(&mut client, "tools", 1);
}

#[test]
fn streams_are_no_calls_and_have_no_limit_of_time() {
    let mut client = Client::start(&["--limit=1", "--call-time=20"]);
    for id in 0..3 {
        open(&mut client, id, &tools());
    }
    client.send(call("slow", "wait_for_ever", &json!({})));
    // When it has taken too long, so would the streams have.
    assert_eq!(client.refusal(-32603).0, "slow");
    let heard = announced(&mut client, "tools", 3);
    let streams: BTreeSet<_> = heard
        .iter()
        .map(|message| of_stream(message).1.as_u64())
        .collect();
    assert_eq!(streams, BTreeSet::from([Some(0), Some(1), Some(2)]));
}

#[test]
fn wrong_filters_are_refused_with_the_id() {
    let mut client = Client::start(&[]);
    for filter in [json!(null), json!([]), json!({"toolsListChanged": "yes"})] {
        client.send(listen("wrong", &filter));
        assert_eq!(client.refusal(-32602).0, "wrong", "{filter}");
    }
}

#[test]
fn what_is_no_uri_is_not_watched() {
    let mut client = Client::start(&["--resource"]);
    for (uri, character) in [
        ("test://a b", "' '"),
        ("test://a\n", "'\\n'"),
        ("test://{x}", "'{'"),
    ] {
        let filter = json!({"resourceSubscriptions": ["test://0", uri]});
        let answer = client.ask(listen("wrong", &filter));
        let error = &answer["error"];
        assert_eq!(error["code"], -32602, "{answer}");
        assert_eq!(error["data"], json!({ "uri": uri }));
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(character), "{message}");
    }
    // What is compared as given need not have a scheme.
    let relative = json!({"resourceSubscriptions": ["users/me"]});
    assert_eq!(open(&mut client, "relative", &relative), relative);
}

#[test]
fn a_burst_of_registrations_is_told_at_once() {
    let mut client = Client::start(&[]);
    open(&mut client, 1, &tools());
    client.send(call("burst", "register_tools", &json!({"count": 1000})));
    let (mut told, mut answered) = (0, false);
    while told == 0 || !answered {
        let message = client.message();
        match message["id"].as_str() {
            Some("burst") => answered = true,
            _ => told += 1,
        }
    }
    // It is one unless the thread that registers is held up; without any waiting it would be hundreds.
    assert!(told < 20, "{told} notifications");
    client.send(cancel(1));
    client.serves();
}

#[test]
fn a_client_that_does_not_read_is_told_of_each_resource_once() {
    let mut client = Client::start(&["--resource"]);
    let uris: Vec<_> = (0..200).map(|number| format!("test://{number}")).collect();
    let output = client.output();
    client.send(listen(1, &json!({ "resourceSubscriptions": uris })));
    let acknowledged = output.message();
    assert_eq!(
        acknowledged["params"]["notifications"]["resourceSubscriptions"],
        json!(uris)
    );
    // More than any pipe holds, so that everything else waits behind it.
    client.send(call(
        "long",
        "echo",
        &json!({ "text": "x".repeat(3 << 20) }),
    ));
    output.begins();
    let update = json!({"resources": 200, "times": 10_000});
    client.send(call("update", "update_resources", &update));
    client.wait_for_error("update_resources ended");
    let (mut seen, mut answered) = (BTreeSet::new(), 0);
    while seen.len() < 200 || answered < 2 {
        let message = output.message();
        match message["params"]["uri"].as_str() {
            Some(uri) => assert!(seen.insert(uri.to_owned()), "{uri} came twice"),
            None => answered += 1,
        }
    }
    client.send(add("alive", 1));
    assert_eq!(output.message()["id"], "alive");
}

#[test]
fn the_acknowledgement_comes_first_however_much_changes_meanwhile() {
    let mut client = Client::start(&["--resource"]);
    // As long as the test lasts.
    let update = json!({"resources": 1, "times": u32::MAX});
    client.send(call("update", "update_resources", &update));
    let filter = json!({"resourceSubscriptions": ["test://0"]});
    open(&mut client, 0, &filter);
    let mut acknowledged = BTreeSet::from([0]);
    for id in 1..=100 {
        client.send(listen(id, &filter));
        // Until the stream is there, others are told of changes.
        while !acknowledged.contains(&id) {
            let message = client.message();
            let (method, stream) = of_stream(&message);
            let stream = stream.as_u64().unwrap();
            match method {
                "notifications/subscriptions/acknowledged" => {
                    assert!(acknowledged.insert(stream), "{message}");
                }
                _ => assert!(acknowledged.contains(&stream), "{message}"),
            }
        }
    }
}

/// Reads to the end, which every stream announces and then answers.
fn ended(client: Client, ids: &[Value]) {
    let (status, messages) = client.end();
    assert!(status.success());
    assert_eq!(messages.len(), ids.len() * 2, "{messages:?}");
    for id in ids {
        let of_this =
            |message: &&Value| message["id"] == *id || message["params"]["requestId"] == *id;
        let ends: Vec<_> = messages.iter().filter(of_this).collect();
        assert_eq!(of_stream(ends[0]), ("notifications/cancelled", id));
        let result = &ends[1]["result"];
        assert_eq!(result["resultType"], "complete");
        assert_eq!(
            result["_meta"]["io.modelcontextprotocol/subscriptionId"],
            *id
        );
    }
}

/// A server that would wait for calls for hours, with three streams.
fn with_three_streams() -> (Client, [Value; 3]) {
    let mut client = Client::start(&["--grace=50000000"]);
    let ids = [json!(1), json!("1"), json!(3)];
    for id in &ids {
        open(&mut client, id.clone(), &tools());
    }
    (client, ids)
}

#[test]
fn the_end_of_input_ends_the_streams_in_order_and_at_once() {
    let (mut client, ids) = with_three_streams();
    client.close_input();
    ended(client, &ids);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_streams_in_order_and_at_once() {
    let (client, ids) = with_three_streams();
    let killed = std::process::Command::new("kill")
        .args(["-TERM", &client.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    ended(client, &ids);
}
