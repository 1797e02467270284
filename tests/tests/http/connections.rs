//! How many connections there are at one time, and that none is held by a client that does not read; and how much is read.

use std::time::Duration;

use mcp_runtime::prelude::*;
use mcp_runtime::{context::LoggingLevel, http::HttpOptions};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;

use super::lifecycle::{Alarm, with_tool};
use super::peer::{Peer, Post, Reply, Running, patiently};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_beyond_the_bound_waits_until_another_is_closed() {
    let (rung, mut rings) = mpsc::unbounded_channel();
    let server = mcp_runtime::server!()
        .register_tool(
            "ring",
            "Ring.",
            json!({"type": "object"}),
            move |_: Value| Ok::<_, ToolError>(rung.send(()).is_ok()),
        )
        .build()
        .unwrap();
    let options = HttpOptions::new().max_connections(2);
    let running = Running::start_with(&server, options).await;
    let post = Post::call("add", json!({"a": 2, "b": 3})).bytes(running.port);
    let ring = Post::call("ring", json!({})).bytes(running.port);
    let mut first = running.connect().await;
    let mut second = running.connect().await;
    for peer in [&mut first, &mut second] {
        peer.write(&post).await;
        assert_eq!(peer.reply().await.status, 200);
    }
    let mut third = running.connect().await;
    third.write(&ring).await;
    for _ in 0..50 {
        second.write(&post).await;
        assert_eq!(second.reply().await.status, 200);
        assert_eq!(rings.try_recv(), Err(mpsc::error::TryRecvError::Empty));
    }
    drop(first);
    assert_eq!(third.reply().await.status, 200);
    assert_eq!(rings.recv().await, Some(()));
    running.stop().await;
}

/// Room for one connection, which ends for no other reason than that its client does not read.
fn room_for_one() -> HttpOptions {
    let for_ever = Duration::from_secs(1_000_000);
    HttpOptions::new()
        .max_connections(1)
        .header_timeout(for_ever)
        .idle_timeout(for_ever)
        .keep_alive(Duration::from_millis(1))
        .write_timeout(Duration::from_millis(50))
}

/// Shows that the one place for a connection is free.
async fn serves(running: &Running) {
    let post = Post::call("add", json!({"a": 2, "b": 3}));
    assert_eq!(patiently(running.send(&post)).await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_nobody_takes_holds_no_connection() {
    let server = with_tool("much", |_: Value| Ok::<_, ToolError>("x".repeat(16 << 20)));
    let running = Running::start_with(&server.build().unwrap(), room_for_one()).await;
    let mut peer = running.connect().await;
    peer.write(&Post::call("much", json!({})).bytes(running.port))
        .await;
    serves(&running).await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_nobody_takes_ends_with_its_call() {
    let (dropped, mut drops) = mpsc::unbounded_channel();
    let server = with_tool("talk", move |_: Value, context: Context| {
        let alarm = Alarm(dropped.clone());
        async move {
            loop {
                context.log(LoggingLevel::Error, json!("x".repeat(1 << 16)));
                tokio::task::yield_now().await;
                if false {
                    drop(alarm);
                    return Ok::<_, ToolError>("never");
                }
            }
        }
    });
    let server = server.call_timeout(Duration::from_secs(1_000_000)).build();
    let running = Running::start_with(&server.unwrap(), room_for_one()).await;
    let mut peer = running.connect().await;
    let post = Post::call("talk", json!({})).body(|body| {
        body["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!("debug");
    });
    peer.write(&post.bytes(running.port)).await;
    patiently(drops.recv()).await.unwrap();
    serves(&running).await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_whose_comments_are_taken_stays_open() {
    let server = mcp_runtime::server!().build().unwrap();
    let options = room_for_one()
        .max_connections(2)
        .write_timeout(Duration::from_millis(1));
    let running = Running::start_with(&server, options).await;
    let mut peer = running.connect().await;
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let listen = Post::new("subscriptions/listen", filter);
    peer.write(&listen.bytes(running.port)).await;
    assert_eq!(peer.head().await.status, 200);
    for _ in 0..20 {
        patiently(peer.chunk()).await.expect("the stream goes on");
    }
    server.notify().tools_list_changed();
    while patiently(peer.chunk()).await.unwrap() == b":\n\n" {}
    drop(peer);
    running.stop().await;
}

/// Sends the head of a request, and waits until its body is waited for, or refused.
async fn announce(running: &Running, post: &Post) -> (Peer, Reply) {
    let mut peer = running.connect().await;
    let mut head = post.clone().header("Expect", "100-continue");
    head = head.header("Content-Length", &post.body.len().to_string());
    head.body.clear();
    peer.write(&head.bytes(running.port)).await;
    let reply = patiently(peer.reply()).await;
    (peer, reply)
}

/// The head of a request whose body is far too long.
fn too_much(method: &str) -> Post {
    let mut post = Post::call("add", json!({"a": 2, "b": 3}));
    post.body.clear();
    post.start(&format!("{method} /mcp HTTP/1.1"))
        .header("Content-Length", "99999999")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_is_refused_may_send_on_until_it_reads_that() {
    let server = mcp_runtime::server!().build().unwrap();
    let options = HttpOptions::new().header_timeout(Duration::MAX);
    let running = Running::start_with(&server, options).await;
    let rest = vec![b' '; 5_000_000];
    let mut peers = Vec::new();
    for (method, status) in [("POST", 413), ("PUT", 405)] {
        let mut peer = running.connect().await;
        peer.write(&too_much(method).bytes(running.port)).await;
        assert_eq!(patiently(peer.reply()).await.status, status);
        // Fails on a connection that is closed.
        patiently(peer.write(&rest)).await;
        assert!(patiently(peer.is_closed()).await);
        patiently(peer.write(&rest)).await;
        peers.push(peer);
    }
    // What is sent there means nothing any more, so nobody waits for it.
    patiently(running.stop()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_says_whether_the_connection_goes_on() {
    let running = Running::start(&mcp_runtime::server!().build().unwrap()).await;
    let small = Post::call("add", json!({"a": 2, "b": 3}));
    let mut large = small.clone();
    large.body.resize(200_000, b' ');
    let mut endless = small.clone().header("Transfer-Encoding", "chunked");
    endless.body = b"5\r\n     \r\n".to_vec();
    let refused = |post: &Post| {
        [
            (post.clone().start("PUT /mcp HTTP/1.1"), 405),
            (post.clone().start("POST /other HTTP/1.1"), 404),
            (post.clone().with("Content-Type", "text/plain"), 415),
            (post.clone().header("Origin", "http://evil.example"), 403),
        ]
    };
    for (post, status) in [refused(&large), refused(&endless)].concat() {
        let mut peer = running.connect().await;
        peer.write(&post.bytes(running.port)).await;
        let reply = patiently(peer.reply()).await;
        assert_eq!(reply.status, status);
        assert_eq!(reply.header("connection"), Some("close"));
        assert!(patiently(peer.is_closed()).await);
    }
    let mut peer = running.connect().await;
    for (post, status) in refused(&small) {
        peer.write(&post.bytes(running.port)).await;
        let reply = patiently(peer.reply()).await;
        assert_eq!(reply.status, status);
        assert_eq!(reply.header("connection"), None);
    }
    peer.write(&small.bytes(running.port)).await;
    assert_eq!(patiently(peer.reply()).await.status, 200);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_is_refused_may_not_send_on_for_ever() {
    let server = mcp_runtime::server!().build().unwrap();
    let options = HttpOptions::new()
        .header_timeout(Duration::from_millis(200))
        .idle_timeout(Duration::MAX);
    let running = Running::start_with(&server, options).await;
    let mut peer = running.connect().await;
    peer.write(&too_much("POST").bytes(running.port)).await;
    assert_eq!(patiently(peer.reply()).await.status, 413);
    let sending = async { while peer.0.write_all(b"much").await.is_ok() {} };
    patiently(sending).await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_came_later_is_no_head() {
    let options = HttpOptions::new()
        .header_timeout(Duration::from_millis(200))
        .idle_timeout(Duration::from_secs(1_000_000));
    let server = mcp_runtime::server!().build().unwrap();
    let running = Running::start_with(&server, options).await;
    let post = Post::call("add", json!({"a": 2, "b": 3}));
    let (mut peer, reply) = announce(&running, &post).await;
    assert_eq!(reply.status, 100);
    peer.write(&post.body).await;
    assert_eq!(patiently(peer.reply()).await.status, 200);
    // A head has less time than passes until this one is closed, which comes later.
    let mut silent = running.connect().await;
    assert!(patiently(silent.is_closed()).await);
    peer.write(&post.bytes(running.port)).await;
    assert_eq!(patiently(peer.reply()).await.status, 200);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_that_are_waited_for_are_bounded_together() {
    // A sender has three quarters, which is room for two messages that are waited for, and for a small one.
    let server = mcp_runtime::server!()
        .max_message_size(1000)
        .max_call_memory(16_250);
    let running = Running::start(&server.build().unwrap()).await;
    let post = Post::call("add", json!({"a": 2, "b": 3}));
    let mut slow = Vec::new();
    for _ in 0..2 {
        let (peer, reply) = announce(&running, &post).await;
        assert_eq!(reply.status, 100);
        slow.push(peer);
    }
    let (_, refused) = announce(&running, &post).await;
    assert_eq!(refused.code(), (503, -32603));
    assert_eq!(refused.json().get("id"), None);
    assert!(refused.header("retry-after").is_some());
    // What comes at once is not waited for.
    assert_eq!(running.send(&post).await.status, 200);
    for mut peer in slow {
        peer.write(&post.body).await;
        assert_eq!(peer.reply().await.status, 200);
    }
    let (_, reply) = announce(&running, &post).await;
    assert_eq!(reply.status, 100);
    running.stop().await;
}
