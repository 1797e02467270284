//! Clients that go, calls that last, connections that say nothing, and the end of the server.

use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::{Server, ServerBuilder, ToolError, http::HttpOptions};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::sync::{Notify, mpsc};

use super::peer::{Post, Running, patiently};

/// Rings when it is dropped.
#[derive(Debug)]
pub(crate) struct Alarm(pub(crate) mpsc::UnboundedSender<()>);

impl Drop for Alarm {
    fn drop(&mut self) {
        // Nobody may be left to hear it.
        let _ = self.0.send(());
    }
}

pub(crate) fn with_tool<F, Form>(name: &str, handler: F) -> ServerBuilder
where
    F: mcp_runtime::tool::IntoHandler<Form>,
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

/// Bytes that come behind a request: nearly nothing, another request, and more than hyper reads ahead.
fn behind(port: u16) -> [Vec<u8>; 3] {
    let next = Post::call("add", json!({"a": 1, "b": 1})).bytes(port);
    [b"\r\n".to_vec(), next.clone(), next.repeat(100)]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_goes_is_missed_whatever_it_has_sent_behind_its_request() {
    let (builder, mut begins, mut drops) = waiting();
    let running = Running::start(&builder.build().unwrap()).await;
    let request = wait().bytes(running.port);
    for behind in behind(running.port) {
        // With the request, while its call runs, and both.
        for (with, after) in [(&behind[..], &b""[..]), (b"", &behind), (&behind, &behind)] {
            let mut peer = running.connect().await;
            peer.write(&[&request, with].concat()).await;
            begins.recv().await.unwrap();
            peer.write(after).await;
            assert!(drops.try_recv().is_err());
            drop(peer);
            patiently(drops.recv()).await.unwrap();
        }
    }
    running.stop().await;
}

/// On one thread, so that the server finds all that a client did at once.
#[tokio::test]
async fn a_client_that_goes_as_its_call_is_about_to_begin_leaves_nothing() {
    const MOST: usize = 4;
    let server = mcp_runtime::server!().max_calls_in_flight(MOST);
    let running = Running::start(&server.build().unwrap()).await;
    let add = Post::call("add", json!({"a": 1, "b": 1}));
    let mut head = add.clone().header("Expect", "100-continue");
    let length = head.body.len().to_string();
    let body = std::mem::take(&mut head.body);
    let head = head.header("Content-Length", &length).bytes(running.port);
    for behind in behind(running.port) {
        for _ in 0..MOST {
            let mut peer = running.connect().await;
            peer.write(&head).await;
            // The server waits for the body.
            assert_eq!(patiently(peer.head()).await.status, 100);
            peer.write(&[&body, &behind[..]].concat()).await;
            drop(peer);
        }
    }
    // The last of them may be on its way.
    patiently(async { while running.send(&add).await.status != 200 {} }).await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_closes_its_own_direction_counts_as_gone() {
    let (builder, mut begins, mut drops) = waiting();
    let running = Running::start(&builder.build().unwrap()).await;
    let mut peer = running.connect().await;
    peer.write(&wait().bytes(running.port)).await;
    begins.recv().await.unwrap();
    peer.0.shutdown().await.unwrap();
    patiently(drops.recv()).await.unwrap();
    assert!(patiently(peer.is_closed()).await);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_behind_a_call_that_takes_long_are_answered_after_it() {
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
    let mut peer = running.connect().await;
    let [_, next, many] = behind(running.port);
    peer.write(&[wait().bytes(running.port), next].concat())
        .await;
    begins.recv().await.unwrap();
    peer.write(&many).await;
    go.notify_one();
    let reply = peer.reply().await;
    assert_eq!(reply.json()["result"]["content"][0]["text"], "done");
    for _ in 0..101 {
        let reply = patiently(peer.reply()).await;
        assert_eq!(reply.json()["result"]["content"][0]["text"], "2");
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_takes_too_long_is_answered_and_dropped() {
    let (builder, _begins, mut drops) = waiting();
    let server = builder
        .call_timeout(Duration::from_millis(30))
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
async fn times_may_be_without_end() {
    let for_ever = Duration::MAX;
    let options = HttpOptions::new()
        .header_timeout(for_ever)
        .body_timeout(for_ever)
        .idle_timeout(for_ever)
        .write_timeout(for_ever)
        .drain_timeout(for_ever)
        .keep_alive(for_ever);
    let server = with_tool("rest", |_: Value| async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        Ok::<_, ToolError>("rested")
    });
    let server = server.call_timeout(for_ever).build().unwrap();
    let running = Running::start_with(&server, options).await;
    let rest = Post::call("rest", json!({})).bytes(running.port);
    let mut peer = running.connect().await;
    for _ in 0..2 {
        peer.write(&rest[..rest.len() - 1]).await;
        tokio::time::sleep(Duration::from_millis(5)).await;
        peer.write(&rest[rest.len() - 1..]).await;
        let reply = patiently(peer.reply()).await;
        assert_eq!(reply.json()["result"]["content"][0]["text"], "rested");
    }
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let listen = Post::new("subscriptions/listen", filter);
    let mut listening = running.connect().await;
    listening.write(&listen.bytes(running.port)).await;
    assert_eq!(patiently(listening.head()).await.status, 200);
    assert!(patiently(listening.chunk()).await.is_some());
    server.notify().tools_list_changed();
    assert!(patiently(listening.chunk()).await.is_some());
    patiently(running.stop()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_calls_than_may_run_are_turned_away() {
    let (builder, mut begins, mut drops) = waiting();
    let server = builder.max_calls_in_flight(2).build().unwrap();
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
        .header_timeout(Duration::from_millis(80))
        .idle_timeout(Duration::from_millis(80))
}

fn plain() -> Server {
    mcp_runtime::server!().build().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_says_nothing_is_closed() {
    let options = impatient().idle_timeout(Duration::from_secs(600));
    let running = Running::start_with(&plain(), options).await;
    assert!(running.connect().await.is_closed().await);
    for first in ["P", "PRI", "PRI * HT"] {
        let mut half = running.connect().await;
        half.write(first.as_bytes()).await;
        // The server of HTTP/2 speaks first, and then waits no longer.
        patiently(half.until_closed()).await;
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_head_that_does_not_end_is_kept_up_to_a_bound() {
    let options = HttpOptions::new().header_timeout(Duration::from_secs(1_000_000));
    let running = Running::start_with(&plain(), options).await;
    let mut peer = running.connect().await;
    let head = format!("POST /mcp HTTP/1.1\r\nX-Long: {}", "x".repeat(100_000));
    peer.write(head.as_bytes()).await;
    patiently(peer.until_closed()).await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_head_that_trickles_is_not_waited_for() {
    // Long enough for a whole head of a client that is held up.
    let options = HttpOptions::new()
        .header_timeout(Duration::from_millis(500))
        .idle_timeout(Duration::from_secs(600));
    let running = Running::start_with(&plain(), options).await;
    let list = Post::new("tools/list", json!({})).bytes(running.port);
    let add = Post::call("add", json!({"a": 1, "b": 1})).bytes(running.port);
    // On a new connection, and on one that has been served.
    for served in [None, Some(&list), Some(&add)] {
        let mut peer = running.connect().await;
        if let Some(request) = served {
            peer.write(request).await;
            assert_eq!(peer.reply().await.status, 200);
            // The next request comes when the server waits for it.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        peer.write(b"POST /mcp HTTP/1.1\r\nX-Slow: ").await;
        assert!(patiently(peer.is_closed()).await);
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_connection_is_closed_but_one_with_a_call_is_not() {
    let (builder, mut begins, mut drops) = waiting();
    let options = impatient().header_timeout(Duration::from_secs(600));
    let running = Running::start_with(&builder.build().unwrap(), options).await;
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
async fn a_server_that_stops_does_not_wait_for_a_head() {
    let for_ever = Duration::from_secs(1_000_000);
    let options = HttpOptions::new().drain_timeout(for_ever);
    let options = options.header_timeout(for_ever).idle_timeout(for_ever);
    let running = Running::start_with(&plain(), options).await;
    let add = Post::call("add", json!({"a": 1, "b": 1})).bytes(running.port);
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let no_settings = b"\0\0\0\x04\0\0\0\0\0";
    // A head of 100 bytes, of which there is one.
    let half_head = b"\0\0\x64\x01\x04\0\0\0\x01\x83";
    let half = [
        b"P".to_vec(),
        add[..20].to_vec(),
        add[..add.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 3].to_vec(),
        preface[..10].to_vec(),
        preface.to_vec(),
        [&preface[..], no_settings].concat(),
        [&preface[..], no_settings, half_head].concat(),
    ];
    let mut peers = Vec::new();
    for half in half {
        let mut peer = running.connect().await;
        peer.write(&half).await;
        peers.push(peer);
    }
    // On a connection that has been served.
    let mut peer = running.connect().await;
    peer.write(&add).await;
    assert_eq!(peer.reply().await.status, 200);
    peer.write(&add[..20]).await;
    peers.push(peer);
    // The server has seen what came before these.
    for _ in 0..20 {
        let mut peer = running.connect().await;
        peer.write(&add).await;
        assert_eq!(peer.reply().await.status, 200);
    }
    patiently(running.stop()).await;
    for mut peer in peers {
        peer.until_closed().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_waits_no_longer_than_it_may() {
    let (builder, mut begins, mut drops) = waiting();
    let options = HttpOptions::new().drain_timeout(Duration::from_millis(30));
    let running = Running::start_with(&builder.build().unwrap(), options).await;
    let mut peer = running.connect().await;
    peer.write(&wait().bytes(running.port)).await;
    begins.recv().await.unwrap();
    running.stop().await;
    drops.recv().await.unwrap();
    assert!(peer.is_closed().await);
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
