//! Clients that go, calls that last, connections that say nothing, and the end of the server.

use std::sync::mpsc as blocking;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_runtime::{Context, HttpOptions, Server, ServerBuilder, ToolError};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use super::peer::{Post, Running, events};

/// Rings when it is dropped.
#[derive(Debug)]
pub(crate) struct Alarm(pub(crate) mpsc::UnboundedSender<()>);

impl Drop for Alarm {
    fn drop(&mut self) {
        // Nobody may be left to hear it.
        let _ = self.0.send(());
    }
}

fn with_tool<F, Form>(name: &str, handler: F) -> ServerBuilder
where
    F: mcp_runtime::IntoHandler<Form>,
{
    mcp_runtime::server!().register_tool(name, "A tool.", json!({"type": "object"}), handler)
}

/// A tool that waits for ever, and tells when it begins and when it is dropped.
fn waiting() -> (
    ServerBuilder,
    mpsc::UnboundedReceiver<()>,
    mpsc::UnboundedReceiver<()>,
) {
    let (begun, begins) = mpsc::unbounded_channel();
    let (dropped, drops) = mpsc::unbounded_channel();
    let builder = with_tool("wait", move |_: Value| {
        let (begun, alarm) = (begun.clone(), Alarm(dropped.clone()));
        async move {
            begun.send(()).unwrap();
            std::future::pending::<()>().await;
            drop(alarm);
            Ok::<_, ToolError>("never")
        }
    });
    (builder, begins, drops)
}

fn wait() -> Post {
    Post::call("wait", json!({}))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_goes_drops_its_handler() {
    let (builder, mut begins, mut drops) = waiting();
    let running = Running::start(&builder.build().unwrap()).await;
    let mut peer = running.connect().await;
    peer.write(&wait().bytes(running.port)).await;
    begins.recv().await.unwrap();
    drop(peer);
    drops.recv().await.unwrap();
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plain_function_sees_that_its_client_has_gone() {
    let (begun, mut begins) = mpsc::unbounded_channel();
    let (ended, mut ends) = mpsc::unbounded_channel();
    let server = with_tool("spin", move |_: Value, context: Context| {
        begun.send(()).unwrap();
        while !context.is_cancelled() {
            std::thread::sleep(Duration::from_millis(1));
        }
        ended.send(()).unwrap();
        Ok::<_, ToolError>("nobody hears this")
    });
    let running = Running::start(&server.build().unwrap()).await;
    // More of them than workers, so that some run on workers and some on other threads.
    let mut peers = Vec::new();
    for _ in 0..4 {
        let mut peer = running.connect().await;
        peer.write(&Post::call("spin", json!({})).bytes(running.port))
            .await;
        begins.recv().await.unwrap();
        peers.push(peer);
    }
    drop(peers);
    for _ in 0..4 {
        ends.recv().await.unwrap();
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_plain_functions_delay_nobody() {
    let (release, held) = blocking::channel::<()>();
    let held = Arc::new(Mutex::new(held));
    let (begun, mut begins) = mpsc::unbounded_channel();
    let server = with_tool("hold", move |_: Value| {
        begun.send(()).unwrap();
        held.lock().unwrap().recv().unwrap();
        Ok::<_, ToolError>("held")
    });
    let running = Running::start(&server.build().unwrap()).await;
    let mut peers = Vec::new();
    for _ in 0..8 {
        let mut peer = running.connect().await;
        peer.write(&Post::call("hold", json!({})).bytes(running.port))
            .await;
        peers.push(peer);
    }
    for _ in 0..8 {
        begins.recv().await.unwrap();
    }
    // All of them hold; a quick call on an old connection and one on a new connection pass them by.
    let mut quick = running.connect().await;
    for _ in 0..10 {
        quick
            .write(&Post::call("add", json!({"a": 1, "b": 1})).bytes(running.port))
            .await;
        assert_eq!(quick.reply().await.code(), (200, 0));
        assert_eq!(
            running
                .send(&Post::new("tools/list", json!({})))
                .await
                .status,
            200
        );
    }
    for _ in 0..8 {
        release.send(()).unwrap();
    }
    for mut peer in peers {
        assert_eq!(
            peer.reply().await.json()["result"]["content"][0]["text"],
            "held"
        );
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_takes_too_long_is_answered_and_dropped() {
    let (builder, _begins, mut drops) = waiting();
    let server = builder
        .call_time(Duration::from_millis(30))
        .build()
        .unwrap();
    let running = Running::start(&server).await;
    let reply = running.send(&wait()).await;
    assert_eq!(reply.code(), (200, -32603));
    assert_eq!(reply.json()["error"]["message"], "tool timed out");
    assert_eq!(reply.json()["id"], 1);
    drops.recv().await.unwrap();
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plain_function_that_takes_too_long_is_answered_while_it_runs() {
    let (release, held) = blocking::channel::<()>();
    let held = Mutex::new(held);
    let server = with_tool("hold", move |_: Value, context: Context| {
        held.lock().unwrap().recv().unwrap();
        assert!(context.is_cancelled());
        Ok::<_, ToolError>("too late")
    });
    let server = server.call_time(Duration::from_millis(30)).build().unwrap();
    let running = Running::start(&server).await;
    let reply = running.send(&Post::call("hold", json!({}))).await;
    assert_eq!(reply.code(), (200, -32603));
    release.send(()).unwrap();
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_calls_than_may_run_are_turned_away() {
    let (builder, mut begins, mut drops) = waiting();
    let server = builder.calls_in_flight(2).build().unwrap();
    let running = Running::start(&server).await;
    let mut peers = Vec::new();
    for _ in 0..2 {
        let mut peer = running.connect().await;
        peer.write(&wait().bytes(running.port)).await;
        begins.recv().await.unwrap();
        peers.push(peer);
    }
    let reply = running.send(&wait()).await;
    assert_eq!(reply.code(), (503, -32603));
    assert_eq!(reply.json()["id"], 1);
    assert!(reply.header("retry-after").is_some());
    // What is ready-made is answered all the same.
    assert_eq!(
        running
            .send(&Post::new("tools/list", json!({})))
            .await
            .status,
        200
    );
    drop(peers.pop());
    drops.recv().await.unwrap();
    // The place is free a moment after the handler has been dropped.
    let mut peer = running.connect().await;
    loop {
        peer.write(&wait().bytes(running.port)).await;
        tokio::select! {
            reply = peer.reply() => assert_eq!(reply.status, 503),
            begun = begins.recv() => break begun.unwrap(),
        }
    }
    drop((peer, peers));
    running.stop().await;
}

fn impatient() -> HttpOptions {
    HttpOptions::new()
        .header_time(Duration::from_millis(80))
        .idle_time(Duration::from_millis(80))
}

fn plain() -> Server {
    mcp_runtime::server!().build().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_says_nothing_is_closed() {
    let options = impatient().idle_time(Duration::from_secs(600));
    let running = Running::start_with(&plain(), options).await;
    assert!(running.connect().await.is_closed().await);
    let mut half = running.connect().await;
    half.write(b"PRI * HT").await;
    assert!(half.is_closed().await);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_head_that_trickles_is_not_waited_for() {
    let options = impatient().idle_time(Duration::from_secs(600));
    let running = Running::start_with(&plain(), options).await;
    let list = Post::new("tools/list", json!({})).bytes(running.port);
    // On a new connection, and on one that has been served.
    for served in [false, true] {
        let mut peer = running.connect().await;
        if served {
            peer.write(&list).await;
            assert_eq!(peer.reply().await.status, 200);
        }
        peer.write(b"POST /mcp HTTP/1.1\r\nX-Slow: ").await;
        assert!(peer.is_closed().await, "served before: {served}");
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_connection_is_closed_but_one_with_a_call_is_not() {
    let (builder, mut begins, mut drops) = waiting();
    let running = Running::start_with(&builder.build().unwrap(), impatient()).await;
    let mut busy = running.connect().await;
    busy.write(&wait().bytes(running.port)).await;
    begins.recv().await.unwrap();
    let mut idle = running.connect().await;
    idle.write(&Post::new("tools/list", json!({})).bytes(running.port))
        .await;
    assert_eq!(idle.reply().await.status, 200);
    assert!(idle.is_closed().await);
    assert!(drops.try_recv().is_err());
    drop(busy);
    drops.recv().await.unwrap();
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_answers_what_runs() {
    let go = Arc::new(Notify::new());
    let (begun, mut begins) = mpsc::unbounded_channel();
    let going = Arc::clone(&go);
    let server = with_tool("wait", move |_: Value| {
        let (going, begun) = (Arc::clone(&going), begun.clone());
        async move {
            begun.send(()).unwrap();
            going.notified().await;
            Ok::<_, ToolError>("done")
        }
    });
    let running = Running::start(&server.build().unwrap()).await;
    let port = running.port;
    let mut idle = running.connect().await;
    let mut peer = running.connect().await;
    peer.write(&wait().bytes(port)).await;
    begins.recv().await.unwrap();
    let stopped = tokio::spawn(running.stop());
    // The idle connection is closed at once; then the call is let go.
    assert!(idle.is_closed().await);
    assert!(!stopped.is_finished());
    go.notify_one();
    let reply = peer.reply().await;
    assert_eq!(reply.json()["result"]["content"][0]["text"], "done");
    stopped.await.unwrap();
    assert!(
        tokio::net::TcpStream::connect(("127.0.0.1", port))
            .await
            .is_err()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_waits_no_longer_than_it_may() {
    let (builder, mut begins, mut drops) = waiting();
    let options = HttpOptions::new().drain_time(Duration::from_millis(30));
    let running = Running::start_with(&builder.build().unwrap(), options).await;
    let mut peer = running.connect().await;
    peer.write(&wait().bytes(running.port)).await;
    begins.recv().await.unwrap();
    running.stop().await;
    drops.recv().await.unwrap();
    assert!(peer.is_closed().await);
}

/// A plain function that holds its thread until it is released; it tells when it begins.
fn holding() -> (
    ServerBuilder,
    blocking::Sender<()>,
    mpsc::UnboundedReceiver<()>,
) {
    let (release, held) = blocking::channel::<()>();
    let held = Mutex::new(held);
    let (begun, begins) = mpsc::unbounded_channel();
    let builder = with_tool("hold", move |_: Value, context: Context| {
        context.progress(1.0);
        begun.send(()).unwrap();
        // The test may have ended.
        let _released = held.lock().unwrap().recv();
        Ok::<_, ToolError>("held")
    });
    (builder, release, begins)
}

fn hold() -> Post {
    Post::call("hold", json!({}))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plain_function_is_heard_while_it_runs() {
    let (builder, release, _begins) = holding();
    let running = Running::start(&builder.build().unwrap()).await;
    let mut peer = running.connect().await;
    let told = hold().body(|body| body["params"]["_meta"]["progressToken"] = json!(1));
    peer.write(&told.bytes(running.port)).await;
    assert_eq!(
        peer.head().await.header("content-type"),
        Some("text/event-stream")
    );
    let first = events(&peer.chunk().await.unwrap());
    assert_eq!(first[0]["params"]["progress"], 1.0);
    release.send(()).unwrap();
    let last = events(&peer.chunk().await.unwrap());
    assert_eq!(last[0]["result"]["content"][0]["text"], "held");
    assert_eq!(peer.chunk().await, None);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_word_of_a_plain_function_is_heard_at_once() {
    let (release, held) = blocking::channel::<()>();
    let held = Mutex::new(held);
    let server = with_tool("talk", move |_: Value, context: Context| {
        for step in 1..=5 {
            context.progress(f64::from(step));
            // The test may have ended.
            let _released = held.lock().unwrap().recv();
        }
        Ok::<_, ToolError>("said")
    });
    let running = Running::start(&server.build().unwrap()).await;
    let mut peer = running.connect().await;
    let talk = Post::call("talk", json!({}))
        .body(|body| body["params"]["_meta"]["progressToken"] = json!(1));
    peer.write(&talk.bytes(running.port)).await;
    peer.head().await;
    for step in 1..=5 {
        let told = events(&peer.chunk().await.unwrap());
        assert_eq!(told[0]["params"]["progress"], f64::from(step));
        release.send(()).unwrap();
    }
    let last = events(&peer.chunk().await.unwrap());
    assert_eq!(last[0]["result"]["content"][0]["text"], "said");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plain_function_may_run_futures_of_its_own() {
    let server = with_tool("own", |_: Value| {
        tokio::task::block_in_place(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().build()?;
            Ok::<_, std::io::Error>(runtime.block_on(async { "ran" }))
        })
    });
    let running = Running::start(&server.build().unwrap()).await;
    let mut peer = running.connect().await;
    for _ in 0..3 {
        peer.write(&Post::call("own", json!({})).bytes(running.port))
            .await;
        let reply = peer.reply().await.json();
        assert_eq!(reply["result"]["content"][0]["text"], "ran");
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_goes_on_beside_a_function_whose_time_is_up() {
    let (builder, release, _begins) = holding();
    let server = builder
        .call_time(Duration::from_millis(30))
        .build()
        .unwrap();
    let running = Running::start(&server).await;
    let mut peer = running.connect().await;
    let add = Post::call("add", json!({"a": 1, "b": 1}));
    peer.write(&hold().bytes(running.port)).await;
    assert_eq!(peer.reply().await.code(), (200, -32603));
    // The function still holds its thread.
    for _ in 0..3 {
        peer.write(&add.bytes(running.port)).await;
        assert_eq!(peer.reply().await.code(), (200, 0));
    }
    release.send(()).unwrap();
    peer.write(&add.bytes(running.port)).await;
    assert_eq!(peer.reply().await.code(), (200, 0));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_waits_for_no_thread() {
    let (builder, release, mut begins) = holding();
    let options = HttpOptions::new().drain_time(Duration::from_millis(30));
    let running = Running::start_with(&builder.build().unwrap(), options).await;
    let mut peer = running.connect().await;
    peer.write(&hold().bytes(running.port)).await;
    begins.recv().await.unwrap();
    running.stop().await;
    assert!(peer.is_closed().await);
    release.send(()).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_dropped_drops_its_connections() {
    let (builder, mut begins, mut drops) = waiting();
    let running = Running::start(&builder.build().unwrap()).await;
    let mut peer = running.connect().await;
    peer.write(&wait().bytes(running.port)).await;
    begins.recv().await.unwrap();
    running.drop_server();
    drops.recv().await.unwrap();
    assert!(peer.is_closed().await);
}
