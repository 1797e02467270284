//! Streams without a transport: what is acknowledged, told, left out and freed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use serde_json::{Value, json};

use super::broadcaster::SubscriberGroup;
use super::{Listener, StreamState};
use crate::dispatch::{Answer, CallHandle, Opened};
use crate::server::{Server, ServerBuilder};

/// Counts how often it is woken.
#[derive(Default)]
struct Timer(AtomicUsize);

impl Wake for Timer {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn builder() -> ServerBuilder {
    ServerBuilder::new("tested", "1.0.0")
}

fn request(id: &str, params: Value) -> Vec<u8> {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"subscriptions/listen","params":{params}}}"#)
        .into_bytes()
}

/// What a request comes to: the text that was written, and the stream.
fn ask(
    server: &Server,
    subscriber_group: Option<&Arc<SubscriberGroup>>,
    message: &[u8],
) -> (String, Option<Listener>) {
    let mut readable = Vec::new();
    let Opened::Request(request) = server.core().open(message, &mut readable) else {
        panic!("no request");
    };
    let mut control = CallHandle::default();
    if let Some(subscriber_group) = subscriber_group {
        control = control.with_subscriber_group(Arc::clone(subscriber_group));
    }
    let mut out = Vec::new();
    let listener = match server.core().answer(&request, &Arc::new(control), &mut out) {
        Answer::Listening(listener) => Some(listener),
        Answer::Written => None,
        Answer::Pending(_) => panic!("a call"),
    };
    (String::from_utf8(out).unwrap(), listener)
}

/// Opens a stream; gives its acknowledgement.
#[allow(
    clippy::needless_pass_by_value,
    reason = "filters are written in place"
)]
fn listen(
    server: &Server,
    subscriber_group: &Arc<SubscriberGroup>,
    id: &str,
    filter: Value,
) -> (Value, Listener) {
    let message = request(id, json!({ "notifications": filter }));
    let (text, listener) = ask(server, Some(subscriber_group), &message);
    (serde_json::from_str(&text).unwrap(), listener.expect(&text))
}

/// The code of the error that a filter is answered with.
fn code(server: &Server, params: Value) -> i64 {
    let (text, listener) = ask(
        server,
        Some(&SubscriberGroup::together()),
        &request("1", params),
    );
    assert!(listener.is_none());
    let answer: Value = serde_json::from_str(&text).unwrap();
    answer["error"]["code"].as_i64().expect(&text)
}

fn told(listener: &Listener) -> Vec<Value> {
    let mut messages = Vec::new();
    listener.tell(|message| messages.push(serde_json::from_slice(message).unwrap()));
    messages
}

fn methods(messages: &[Value]) -> Vec<&str> {
    let methods = messages.iter().map(|message| message["method"].as_str());
    methods.map(Option::unwrap).collect()
}

fn is_ready(listener: &Listener) -> bool {
    let context = Context::from_waker(Waker::noop());
    listener.poll_changes(&context) == Poll::Ready(())
}

fn schema() -> Value {
    json!({"type": "object"})
}

fn with_resource() -> Server {
    builder()
        .register_resource("file:///a", "a", "A file.", |_: String| {
            Ok::<_, crate::ResourceError>("a")
        })
        .build()
        .unwrap()
}

#[test]
fn the_id_is_kept_byte_for_byte() {
    let server = builder().build().unwrap();
    let subscriber_group = SubscriberGroup::together();
    for id in [
        "1",
        "\"1\"",
        "\"\\u0061\"",
        "-9007199254740993",
        "0",
        "\"\"",
    ] {
        let message = request(id, json!({"notifications": {"toolsListChanged": true}}));
        let (text, listener) = ask(&server, Some(&subscriber_group), &message);
        let member = format!("\"io.modelcontextprotocol/subscriptionId\":{id}}}");
        assert!(text.contains(&member), "{text}");
        let listener = listener.unwrap();
        server.notify().tools_list_changed();
        let mut texts = Vec::new();
        listener.tell(|message| texts.push(String::from_utf8(message.to_vec()).unwrap()));
        assert_eq!(texts.len(), 1);
        assert!(texts[0].contains(&member), "{texts:?}");
    }
}

#[test]
fn only_what_is_wanted_and_there_is_acknowledged_and_told() {
    let server = with_resource();
    let subscriber_group = SubscriberGroup::together();
    let all = json!({
        "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": false,
        "resourceSubscriptions": ["file:///a", "file:///b", "file:///a"], "unknown": [1],
    });
    let (acknowledged, listener) = listen(&server, &subscriber_group, "7", all);
    assert_eq!(
        acknowledged,
        json!({
            "jsonrpc": "2.0",
            "method": "notifications/subscriptions/acknowledged",
            "params": {
                "_meta": {"io.modelcontextprotocol/subscriptionId": 7},
                "notifications": {
                    "toolsListChanged": true,
                    "resourceSubscriptions": ["file:///a", "file:///b"],
                },
            },
        })
    );
    let notifier = server.notify();
    notifier.prompts_list_changed();
    notifier.resources_list_changed();
    notifier.resource_updated("file:///c");
    assert!(!is_ready(&listener));
    assert_eq!(told(&listener), Vec::<Value>::new());
    notifier.resource_updated("file:///b");
    notifier.tools_list_changed();
    assert!(is_ready(&listener));
    assert_eq!(
        told(&listener),
        [
            json!({
                "jsonrpc": "2.0",
                "method": "notifications/resources/updated",
                "params": {
                    "_meta": {"io.modelcontextprotocol/subscriptionId": 7}, "uri": "file:///b",
                },
            }),
            json!({
                "jsonrpc": "2.0",
                "method": "notifications/tools/list_changed",
                "params": {"_meta": {"io.modelcontextprotocol/subscriptionId": 7}},
            }),
        ]
    );
    assert!(!is_ready(&listener));
}

#[test]
fn an_empty_filter_is_a_stream_that_tells_nothing() {
    let server = builder().build().unwrap();
    let (acknowledged, listener) = listen(&server, &SubscriberGroup::together(), "1", json!({}));
    assert_eq!(acknowledged["params"]["notifications"], json!({}));
    server.notify().tools_list_changed();
    assert!(!is_ready(&listener));
}

#[test]
fn wrong_filters_are_refused() {
    let server = with_resource();
    for params in [
        json!({}),
        json!({"notifications": null}),
        json!({"notifications": [true]}),
        json!({"notifications": {"toolsListChanged": 1}}),
        json!({"notifications": {"promptsListChanged": "true"}}),
        json!({"notifications": {"resourcesListChanged": null}}),
        json!({"notifications": {"resourceSubscriptions": "file:///a"}}),
        json!({"notifications": {"resourceSubscriptions": {"file:///a": true}}}),
        json!({"notifications": {"resourceSubscriptions": ["file:///a", 1]}}),
        json!({"notifications": {"resourceSubscriptions": [null]}}),
        json!({"notifications": {"resourceSubscriptions": ["x".repeat(8 * 1024 + 1)]}}),
    ] {
        assert_eq!(code(&server, params.clone()), -32602, "{params}");
    }
    let twice = br#"{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"notifications":{"toolsListChanged":true,"toolsListChanged":false}}}"#;
    let (text, _) = ask(&server, Some(&SubscriberGroup::together()), twice);
    assert!(text.contains("-32602"), "{text}");
}

#[test]
fn the_number_and_the_length_of_uris_are_bounded() {
    let server = with_resource();
    let uris = |count: usize, length: usize| {
        let uris: Vec<_> = (0..count).map(|n| format!("{n:0length$}")).collect();
        json!({"notifications": {"resourceSubscriptions": uris}})
    };
    assert_eq!(code(&server, uris(257, 10)), -32602);
    assert_eq!(code(&server, uris(9, 8 * 1024)), -32602);
    let filter = |params: Value| params["notifications"].clone();
    let subscriber_group = SubscriberGroup::together();
    listen(&server, &subscriber_group, "1", filter(uris(256, 256)));
    listen(&server, &subscriber_group, "1", filter(uris(8, 8 * 1024)));
}

#[test]
fn repetitions_become_one_and_nothing_else_is_lost() {
    let server = builder()
        .register_resource("a:0", "a", "A.", |_: String| {
            Ok::<_, crate::ResourceError>("a")
        })
        .build()
        .unwrap();
    let uris: Vec<_> = (0..200).map(|n| format!("a:{n}")).collect();
    let filter = json!({"resourceSubscriptions": uris, "toolsListChanged": true});
    let (_, listener) = listen(&server, &SubscriberGroup::together(), "1", filter);
    let bell = Arc::new(Timer::default());
    let waker = Waker::from(Arc::clone(&bell));
    assert_eq!(
        listener.poll_changes(&Context::from_waker(&waker)),
        Poll::Pending
    );
    let notifier = server.notify();
    for round in 0..10_000 {
        notifier.resource_updated(&uris[round * 7 % 200]);
        notifier.tools_list_changed();
    }
    assert_eq!(bell.0.load(Ordering::Relaxed), 1);
    let messages = told(&listener);
    assert_eq!(messages.len(), 201);
    let mut seen: Vec<_> = messages
        .iter()
        .filter_map(|message| message["params"]["uri"].as_str())
        .collect();
    // In the order of the changes.
    assert_eq!(seen[..3], ["a:0", "a:7", "a:14"]);
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 200);
    assert_eq!(told(&listener), Vec::<Value>::new());
    // What changes again is told again.
    notifier.resource_updated("a:3");
    assert_eq!(told(&listener).len(), 1);
}

#[test]
fn a_burst_of_registrations_is_told_once() {
    let server = builder().build().unwrap();
    let (_, listener) = listen(
        &server,
        &SubscriberGroup::together(),
        "1",
        json!({"toolsListChanged": true}),
    );
    for n in 0..1000 {
        server
            .register_tool(format!("tool-{n}"), "A tool.", schema(), |_: Value| {
                Ok::<_, crate::ToolError>(1)
            })
            .unwrap();
    }
    assert_eq!(
        methods(&told(&listener)),
        ["notifications/tools/list_changed"]
    );
    assert!(server.remove_tool("tool-3"));
    assert_eq!(
        methods(&told(&listener)),
        ["notifications/tools/list_changed"]
    );
    // What changes nothing is not told.
    assert!(!server.remove_tool("tool-3"));
    server
        .register_tool("tool-4", "A tool.", schema(), |_: Value| {
            Ok::<_, crate::ToolError>(1)
        })
        .unwrap_err();
    assert!(!is_ready(&listener));
}

#[test]
fn changes_settle_once_nothing_follows() {
    let server = builder().build().unwrap();
    let (_, listener) = listen(
        &server,
        &SubscriberGroup::together(),
        "1",
        json!({"toolsListChanged": true}),
    );
    let notifier = server.notify();
    notifier.tools_list_changed();
    assert!(!listener.is_quiet());
    notifier.tools_list_changed();
    assert!(!listener.is_quiet());
    assert!(listener.is_quiet());
    assert_eq!(told(&listener).len(), 1);
}

#[test]
fn the_end_of_an_audience_ends_its_streams_and_no_others() {
    let server = with_resource();
    let (apart, together) = (SubscriberGroup::default(), SubscriberGroup::together());
    let apart = Arc::new(apart);
    let filter = json!({"resourceSubscriptions": ["file:///a"]});
    let (_, alone) = listen(&server, &apart, "\"x\"", filter.clone());
    let (_, one_of_many) = listen(&server, &together, "5", filter.clone());
    server.notify().resource_updated("file:///a");
    server.core().broadcaster.end(&apart);
    assert!(!one_of_many.has_ended());
    let mut messages = Vec::new();
    let end =
        alone.tell(|message| messages.push(serde_json::from_slice::<Value>(message).unwrap()));
    assert_eq!(end, StreamState::Ended);
    // What was to be told comes first.
    assert_eq!(messages[0]["method"], "notifications/resources/updated");
    let response = json!({
        "jsonrpc": "2.0",
        "id": "x",
        "result": {
            "resultType": "complete",
            "_meta": {
                "io.modelcontextprotocol/serverInfo": {"name": "tested", "version": "1.0.0"},
                "io.modelcontextprotocol/subscriptionId": "x",
            },
        },
    });
    assert_eq!(messages[1..], [response]);
    server.core().broadcaster.end(&together);
    let messages = told(&one_of_many);
    let cancelled = json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {
            "_meta": {"io.modelcontextprotocol/subscriptionId": 5},
            "requestId": 5,
            "reason": "the server ends",
        },
    });
    assert_eq!(messages[1], cancelled);
    assert_eq!(messages[2]["id"], 5);
    assert_eq!(messages.len(), 3);
    // A stream that comes too late is acknowledged and ended.
    let (_, late) = listen(&server, &apart, "6", filter);
    assert!(is_ready(&late));
    assert_eq!(told(&late).len(), 1);
}

#[test]
fn the_end_wakes_a_stream_that_has_nothing_to_tell() {
    let server = builder().build().unwrap();
    let subscriber_group = SubscriberGroup::together();
    let (_, listener) = listen(&server, &subscriber_group, "1", json!({}));
    let bell = Arc::new(Timer::default());
    let waker = Waker::from(Arc::clone(&bell));
    assert_eq!(
        listener.poll_changes(&Context::from_waker(&waker)),
        Poll::Pending
    );
    server.core().broadcaster.end(&subscriber_group);
    assert_eq!(bell.0.load(Ordering::Relaxed), 1);
}

#[test]
fn streams_are_bounded_and_a_dropped_one_is_free_again() {
    let server = builder().max_listen_streams(2).build().unwrap();
    let subscriber_group = SubscriberGroup::together();
    let filter = json!({"toolsListChanged": true});
    let (_, first) = listen(&server, &subscriber_group, "1", filter.clone());
    let (_, second) = listen(&server, &subscriber_group, "\"1\"", filter.clone());
    let message = request("3", json!({ "notifications": filter }));
    let (text, refused) = ask(&server, Some(&subscriber_group), &message);
    assert!(refused.is_none());
    let error: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(error["error"]["code"], -32603);
    assert_eq!(
        error["error"]["message"],
        "Too many streams: 2 are open, close one or try again later"
    );
    drop(first);
    let (_, third) = listen(&server, &subscriber_group, "3", filter);
    server.notify().tools_list_changed();
    assert_eq!(told(&second).len(), 1);
    assert_eq!(told(&third).len(), 1);
    drop((second, third));
    assert!(server.core().broadcaster.is_silent());
    assert!(server.core().broadcaster.has_no_subscribers());
}

#[test]
fn who_cannot_deliver_has_no_such_method_and_does_not_say_so() {
    let server = with_resource();
    let message = request("1", json!({"notifications": {}}));
    let (text, _) = ask(&server, None, &message);
    assert!(text.contains("-32601"), "{text}");
    let discover = String::from_utf8(message)
        .unwrap()
        .replace("subscriptions/listen", "server/discover");
    let capabilities = |subscriber_group: Option<&Arc<SubscriberGroup>>| {
        let (text, _) = ask(&server, subscriber_group, discover.as_bytes());
        serde_json::from_str::<Value>(&text).unwrap()["result"]["capabilities"].clone()
    };
    assert_eq!(capabilities(None), json!({"tools": {}, "resources": {}}));
    assert_eq!(
        capabilities(Some(&SubscriberGroup::together())),
        json!({
            "tools": {"listChanged": true},
            "resources": {"listChanged": true, "subscribe": true},
        })
    );
}
