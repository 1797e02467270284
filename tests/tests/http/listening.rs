//! Streams of `subscriptions/listen`: their beginning, what they tell, and their two kinds of end.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::Request;
use hyper::body::{Body, Bytes};
use mcp_runtime::{
    Context, ResourceError, Server, ServerBuilder, ToolError,
    http::{HttpBody, HttpOptions},
};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tower_service::Service;

use super::peer::{Peer, Post, Running, events, patiently};

fn builder() -> ServerBuilder {
    mcp_runtime::server!().register_resource("test://0", "zero", "A resource.", |_: String| {
        Ok::<_, ResourceError>("0")
    })
}

fn server() -> Server {
    builder().build().unwrap()
}

fn listen(filter: &Value) -> Post {
    Post::new("subscriptions/listen", json!({ "notifications": filter }))
}

fn tools() -> Value {
    json!({"toolsListChanged": true})
}

fn stream_of(message: &Value) -> &Value {
    &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"]
}

/// Opens a stream on a connection of its own; gives its first message.
async fn open(running: &Running, request: &Post) -> (Peer, Value) {
    let mut peer = running.connect().await;
    peer.write(&request.bytes(running.port)).await;
    let head = peer.head().await;
    assert_eq!(head.status, 200);
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    assert_eq!(head.header("x-accel-buffering"), Some("no"));
    let first = next(&mut peer).await;
    (peer, first)
}

/// The next message, which comes alone.
async fn next(peer: &mut Peer) -> Value {
    let chunk = peer.chunk().await.expect("the stream goes on");
    let mut messages = events(&chunk);
    assert_eq!(messages.len(), 1, "{messages:?}");
    messages.remove(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_stream_hears_what_it_asked_for_under_its_own_id() {
    let server = server();
    let running = Running::start(&server).await;
    let (mut first, acknowledged) = open(&running, &listen(&tools())).await;
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    assert_eq!(stream_of(&acknowledged), 1);
    assert_eq!(acknowledged["params"]["notifications"], tools());
    let watch = json!({
        "resourceSubscriptions": ["test://0"], "resourcesListChanged": true, "promptsListChanged": true,
    });
    let watch = listen(&watch).body(|body| body["id"] = json!("1"));
    let (mut second, acknowledged) = open(&running, &watch).await;
    assert_eq!(stream_of(&acknowledged), "1");
    assert_eq!(
        acknowledged["params"]["notifications"],
        json!({"resourceSubscriptions": ["test://0"], "resourcesListChanged": true})
    );
    let notifier = server.notify();
    // Nobody asked for these.
    notifier.prompts_list_changed();
    notifier.resource_updated("test://1");
    notifier.tools_list_changed();
    let heard = next(&mut first).await;
    assert_eq!(heard["method"], "notifications/tools/list_changed");
    assert_eq!(stream_of(&heard), 1);
    notifier.resource_updated("test://0");
    let heard = next(&mut second).await;
    assert_eq!(heard["method"], "notifications/resources/updated");
    assert_eq!(heard["params"]["uri"], "test://0");
    assert_eq!(stream_of(&heard), "1");
    server.remove_resource("test://0");
    let heard = next(&mut second).await;
    assert_eq!(heard["method"], "notifications/resources/list_changed");
    drop((first, second));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_acknowledged_is_what_discover_declares_at_the_time() {
    let server = server();
    let running = Running::start(&server).await;
    let filter = json!({"promptsListChanged": true, "resourcesListChanged": true});
    let declared = async || {
        let reply = running.send(&Post::new("server/discover", json!({}))).await;
        reply.json()["result"]["capabilities"]["prompts"].clone()
    };
    assert_eq!(declared().await, Value::Null);
    let (mut early, first) = open(&running, &listen(&filter)).await;
    let honoured = json!({"resourcesListChanged": true});
    assert_eq!(first["params"]["notifications"], honoured);
    let prompt = |_| Ok::<_, ToolError>("A text.");
    server
        .register_prompt("first", "A prompt.", [], prompt)
        .unwrap();
    assert_eq!(declared().await, json!({"listChanged": true}));
    let (mut late, first) = open(&running, &listen(&filter)).await;
    assert_eq!(first["params"]["notifications"], filter);
    assert!(server.remove_prompt("first"));
    let told = next(&mut late).await;
    assert_eq!(told["method"], "notifications/prompts/list_changed");
    // Nothing is told on a stream that was said not to tell it.
    server.notify().resources_list_changed();
    let told = next(&mut early).await;
    assert_eq!(told["method"], "notifications/resources/list_changed");
    drop((early, late));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_ends_its_streams_with_their_results() {
    let options = HttpOptions::new().drain_timeout(Duration::from_secs(100_000));
    let server = server();
    let running = Running::start_with(&server, options.clone()).await;
    let other = Running::start_with(&server, options).await;
    let (mut elsewhere, _) = open(&other, &listen(&tools())).await;
    let mut peers = Vec::new();
    for _ in 0..3 {
        peers.push(open(&running, &listen(&tools())).await.0);
    }
    // The bound is not a measure: if the streams were waited for, it would take a day.
    let stopped = tokio::time::timeout(Duration::from_secs(60), running.stop());
    stopped.await.expect("nobody waits for streams");
    for mut peer in peers {
        let end = next(&mut peer).await;
        assert_eq!(end["id"], 1);
        let result = &end["result"];
        assert_eq!(result["resultType"], "complete");
        let meta = &result["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/subscriptionId"], 1);
        assert!(meta["io.modelcontextprotocol/serverInfo"].is_object());
        assert_eq!(peer.chunk().await, None);
    }
    // Another transport of the same server goes on.
    server.notify().tools_list_changed();
    let heard = next(&mut elsewhere).await;
    assert_eq!(heard["method"], "notifications/tools/list_changed");
    other.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_many_streams_are_turned_away_until_a_client_goes() {
    let server = builder()
        .max_listen_streams(1)
        .max_calls_in_flight(1)
        .build();
    let running = Running::start(&server.unwrap()).await;
    let (peer, _) = open(&running, &listen(&tools())).await;
    let refused = running.send(&listen(&tools())).await;
    assert_eq!(refused.code(), (503, -32603));
    assert_eq!(refused.json()["id"], 1);
    assert!(refused.header("retry-after").is_some());
    // A stream is no call.
    let add = Post::call("add", json!({"a": 1, "b": 1}));
    assert_eq!(running.send(&add).await.code(), (200, 0));
    drop(peer);
    // The place is free a moment after the client has gone.
    loop {
        let mut peer = running.connect().await;
        peer.write(&listen(&tools()).bytes(running.port)).await;
        match peer.head().await.status {
            200 => break,
            status => assert_eq!(status, 503),
        }
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_stream_is_kept_alive_by_comments() {
    let options = HttpOptions::new().keep_alive(Duration::from_millis(10));
    let running = Running::start_with(&server(), options).await;
    let (mut peer, _) = open(&running, &listen(&json!({}))).await;
    for _ in 0..3 {
        assert_eq!(peer.chunk().await.unwrap(), b":\n\n");
    }
    drop(peer);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_answered_by_a_stream_is_refused() {
    let running = Running::start(&server()).await;
    let json_only = listen(&tools()).with("Accept", "application/json");
    // The head alone: where a stream is begun all the same, its body has no end.
    let mut peer = running.connect().await;
    peer.write(&json_only.bytes(running.port)).await;
    assert_eq!(peer.head().await.status, 406);
    let wrong = listen(&json!({"toolsListChanged": 1}));
    let mut peer = running.connect().await;
    peer.write(&wrong.bytes(running.port)).await;
    let head = peer.head().await;
    assert_eq!(head.header("content-type"), Some("application/json"));
    assert_eq!(running.send(&wrong).await.code(), (200, -32602));
    let discover = Post::new("server/discover", json!({}));
    let capabilities = running.send(&discover).await.json()["result"]["capabilities"].clone();
    assert_eq!(capabilities["tools"], json!({"listChanged": true}));
    assert_eq!(
        capabilities["resources"],
        json!({"listChanged": true, "subscribe": true})
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fixed_lists_are_not_declared_to_change_and_do_not() {
    let prompt = |_| Ok::<_, ToolError>("A text.");
    let server = builder()
        .fixed_lists()
        .register_prompt("first", "A prompt.", [], prompt);
    let server = server.build().unwrap();
    let running = Running::start(&server).await;
    let discover = Post::new("server/discover", json!({}));
    let capabilities = running.send(&discover).await.json()["result"]["capabilities"].clone();
    assert_eq!(capabilities["tools"], json!({}));
    assert_eq!(capabilities["prompts"], json!({}));
    assert_eq!(capabilities["resources"], json!({"subscribe": true}));
    let filter = json!({
        "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
        "resourceSubscriptions": ["test://0"],
    });
    let (mut peer, first) = open(&running, &listen(&filter)).await;
    let honoured = json!({"resourceSubscriptions": ["test://0"]});
    assert_eq!(first["params"]["notifications"], honoured);
    let refused = server
        .register_prompt("second", "A prompt.", [], prompt)
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`second` cannot be added to a server with `.fixed_lists()`; register it on the builder"
    );
    let any = json!({"type": "object"});
    let tool = |it: Value| Ok::<_, ToolError>(it);
    assert!(server.register_tool("late", "A tool.", any, tool).is_err());
    let text = |_: String| Ok::<_, ResourceError>("1");
    assert!(
        server
            .register_resource("test://1", "one", "A resource.", text)
            .is_err()
    );
    let text = |_: BTreeMap<String, String>| Ok::<_, ResourceError>("1");
    let template = server.register_resource_template("more://{x}", "more", "A template.", text);
    assert!(template.is_err());
    assert!(!server.remove_prompt("first"));
    assert!(!server.remove_resource("test://0"));
    assert_eq!(
        running.send(&discover).await.json()["result"]["capabilities"],
        capabilities
    );
    // What a resource holds may change all the same.
    server.notify().tools_list_changed();
    server.notify().resource_updated("test://0");
    let told = next(&mut peer).await;
    assert_eq!(told["method"], "notifications/resources/updated");
    drop(peer);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_burst_of_registrations_is_told_at_once() {
    let server = server();
    let running = Running::start(&server).await;
    let (mut peer, _) = open(&running, &listen(&tools())).await;
    for number in 0..1000 {
        let answer = |_: Value| Ok::<_, ToolError>("registered");
        let name = format!("registered_{number}");
        server
            .register_tool(name, "A tool.", json!({"type": "object"}), answer)
            .unwrap();
    }
    running.stop().await;
    let mut told = Vec::new();
    while let Some(chunk) = peer.chunk().await {
        told.extend(events(&chunk));
    }
    let end = told.pop().unwrap();
    assert_eq!(end["result"]["resultType"], "complete");
    // It is one unless the thread that registers is held up; without any waiting it would be hundreds.
    assert!(
        (1..20).contains(&told.len()),
        "{} notifications",
        told.len()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_acknowledgement_comes_first_however_much_changes_meanwhile() {
    let server = server();
    let running = Running::start(&server).await;
    let stop = Arc::new(AtomicBool::new(false));
    let (stopped, notifier) = (Arc::clone(&stop), server.clone());
    let changing = std::thread::spawn(move || {
        while !stopped.load(Ordering::Relaxed) {
            notifier.notify().tools_list_changed();
            notifier.notify().resource_updated("test://0");
        }
    });
    let filter = json!({"toolsListChanged": true, "resourceSubscriptions": ["test://0"]});
    for _ in 0..20 {
        let mut peer = running.connect().await;
        peer.write(&listen(&filter).bytes(running.port)).await;
        assert_eq!(peer.head().await.status, 200);
        let mut heard = Vec::new();
        while heard.len() < 3 {
            let chunk = patiently(peer.chunk()).await.expect("the stream goes on");
            heard.extend(events(&chunk));
        }
        let acknowledged = "notifications/subscriptions/acknowledged";
        for (place, message) in heard.iter().enumerate() {
            let is_first = message["method"] == acknowledged;
            assert_eq!(is_first, place == 0, "{heard:?}");
        }
    }
    stop.store(true, Ordering::Relaxed);
    changing.join().unwrap();
    running.stop().await;
}

/// The messages of the next chunk of a body.
async fn told(body: &mut HttpBody) -> Vec<Value> {
    let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await;
    events(&frame.unwrap().unwrap().into_data().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_does_not_read_is_told_of_each_resource_once() {
    let server = server();
    let mut service = server.clone().into_service();
    let uris: Vec<_> = (0..200).map(|number| format!("test://{number}")).collect();
    let post = listen(&json!({"resourceSubscriptions": uris, "toolsListChanged": true}));
    let mut request = Request::post("/").header("Host", "localhost");
    for (name, value) in &post.headers {
        request = request.header(name, value);
    }
    let body = http_body_util::Full::new(Bytes::from(post.body));
    let request = request.body(body).unwrap();
    let mut body = service.call(request).await.unwrap().into_body();
    assert_eq!(told(&mut body).await.len(), 1);
    for number in 0..10_000 {
        server.notify().resource_updated(&uris[number % 200]);
        server.notify().tools_list_changed();
    }
    let messages = told(&mut body).await;
    let mut times = BTreeMap::new();
    for message in &messages {
        let uri = message["params"]["uri"].as_str().unwrap_or("tools");
        *times.entry(uri.to_owned()).or_insert(0) += 1;
    }
    assert_eq!(times.len(), 201);
    assert!(times.values().all(|times| *times == 1), "{times:?}");
    // A program that embeds the service ends the streams itself.
    service.end_streams();
    let end = told(&mut body).await;
    assert_eq!(end.len(), 1);
    assert_eq!(end[0]["result"]["resultType"], "complete");
    assert!(body.is_end_stream());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_is_removed_ends_its_calls_in_peace() {
    let (begun, mut begins) = mpsc::unbounded_channel();
    let go = Arc::new(tokio::sync::Notify::new());
    let going = Arc::clone(&go);
    let server = server();
    let wait = move |_: Value| {
        let (begun, going) = (begun.clone(), Arc::clone(&going));
        async move {
            begun.send(()).unwrap();
            going.notified().await;
            Ok::<_, ToolError>("done")
        }
    };
    let running = Running::start(&server).await;
    let (mut listener, _) = open(&running, &listen(&tools())).await;
    server
        .register_tool("wait", "Wait.", json!({"type": "object"}), wait)
        .unwrap();
    assert_eq!(
        next(&mut listener).await["method"],
        "notifications/tools/list_changed"
    );
    let call = Post::call("wait", json!({}));
    let mut caller = running.connect().await;
    caller.write(&call.bytes(running.port)).await;
    begins.recv().await.unwrap();
    assert!(server.remove_tool("wait"));
    assert_eq!(
        next(&mut listener).await["method"],
        "notifications/tools/list_changed"
    );
    assert_eq!(running.send(&call).await.code(), (200, -32602));
    go.notify_one();
    assert_eq!(
        caller.reply().await.json()["result"]["content"][0]["text"],
        "done"
    );
    drop(listener);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_is_told_while_the_function_that_tells_of_it_runs() {
    let (release, held) = std::sync::mpsc::channel::<()>();
    let held = std::sync::Mutex::new(held);
    let server = builder().register_tool(
        "change",
        "Change something.",
        json!({"type": "object"}),
        move |_: Value, context: Context| {
            context.notify().tools_list_changed();
            // The test may have failed.
            let _released = held.lock().unwrap().recv();
            Ok::<_, ToolError>("changed")
        },
    );
    let running = Running::start(&server.build().unwrap()).await;
    let (mut listener, _) = open(&running, &listen(&tools())).await;
    let mut peer = running.connect().await;
    for _ in 0..5 {
        peer.write(&Post::call("change", json!({})).bytes(running.port))
            .await;
        let heard = patiently(next(&mut listener)).await;
        assert_eq!(heard["method"], "notifications/tools/list_changed");
        release.send(()).unwrap();
        assert_eq!(patiently(peer.reply()).await.code(), (200, 0));
    }
    drop((listener, peer));
    running.stop().await;
}
