//! A server that stops: what is running is answered, and so is a request that is on its way.
//!
//! A client has half a second to send what is on its way. A busy machine may take longer, so a test tries again.

use std::sync::Arc;

use mcp_runtime::{Server, ToolError};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::lifecycle::with_tool;
use super::peer::{Peer, Post, Reply, Running, patiently};

fn add() -> Post {
    Post::call("add", json!({"a": 2, "b": 3}))
}

fn plain() -> Server {
    mcp_runtime::server!().build().unwrap()
}

/// Tells a server to stop, and waits until it takes no more connections.
async fn begin_to_stop(running: Running) -> JoinHandle<()> {
    let port = running.port;
    let stopped = tokio::spawn(running.stop());
    patiently(async { while TcpStream::connect(("127.0.0.1", port)).await.is_ok() {} }).await;
    stopped
}

/// The answer to a request on a connection that may be closed by now.
async fn answer(peer: &mut Peer, post: &Post, port: u16) -> Option<Reply> {
    peer.try_write(&post.bytes(port)).await?;
    patiently(peer.try_reply()).await
}

fn assert_last(reply: &Reply) {
    assert_eq!(reply.code(), (200, 0));
    assert_eq!(reply.header("connection"), Some("close"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_on_its_way_is_answered_on_an_idle_connection() {
    let attempt = async || {
        let running = Running::start(&plain()).await;
        let port = running.port;
        let mut served = running.connect().await;
        served.write(&add().bytes(port)).await;
        let reply = patiently(served.reply()).await;
        assert_eq!((reply.code(), reply.header("connection")), ((200, 0), None));
        // Behind the one above, so that the server has taken it.
        let mut new = running.connect().await;
        let mut half = running.connect().await;
        let bytes = add().bytes(port);
        half.write(&bytes[..20]).await;
        let mut other = running.connect().await;
        other.write(&bytes).await;
        patiently(other.reply()).await;
        let stopped = begin_to_stop(running).await;
        let of_served = answer(&mut served, &add(), port).await?;
        let of_new = answer(&mut new, &add(), port).await?;
        half.try_write(&bytes[20..]).await?;
        let of_half = patiently(half.try_reply()).await?;
        for (reply, mut peer) in [(of_served, served), (of_new, new), (of_half, half)] {
            assert_last(&reply);
            assert!(patiently(peer.is_closed()).await);
        }
        patiently(stopped).await.unwrap();
        Some(())
    };
    patiently(async { while attempt().await.is_none() {} }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_ends_leaves_its_connection_to_a_request_on_its_way() {
    let attempt = async || {
        let running = Running::start(&plain()).await;
        let port = running.port;
        let filter = json!({"notifications": {"toolsListChanged": true}});
        let mut peer = running.connect().await;
        peer.write(&Post::new("subscriptions/listen", filter).bytes(port))
            .await;
        let head = patiently(peer.head()).await;
        assert_eq!((head.status, head.header("connection")), (200, None));
        let stopped = tokio::spawn(running.stop());
        while patiently(peer.chunk()).await.is_some() {}
        let reply = answer(&mut peer, &add(), port).await?;
        assert_last(&reply);
        assert!(patiently(peer.is_closed()).await);
        patiently(stopped).await.unwrap();
        Some(())
    };
    patiently(async { while attempt().await.is_none() {} }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_answer_of_a_server_that_stops_says_that_its_connection_ends() {
    let go = Arc::new(Notify::new());
    let (begun, mut begins) = tokio::sync::mpsc::unbounded_channel();
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
    let wait = Post::call("wait", json!({}));
    let posts = [
        wait.clone(),
        wait.clone().with("Accept", "application/json"),
        wait.with("Accept", "text/event-stream"),
    ];
    let mut peers = Vec::new();
    for post in &posts {
        let mut peer = running.connect().await;
        peer.write(&post.bytes(port)).await;
        begins.recv().await.unwrap();
        peers.push(peer);
    }
    // The head of this one is there, and its body is not.
    let (head, body) = {
        let bytes = add().start("PUT /mcp HTTP/1.1").bytes(port);
        let (head, body) = bytes.split_at(bytes.len() - 1);
        (head.to_vec(), body.to_vec())
    };
    let mut refused = running.connect().await;
    refused.write(&head).await;
    let stopped = begin_to_stop(running).await;
    if refused.try_write(&body).await.is_some()
        && let Some(reply) = patiently(refused.try_reply()).await
    {
        assert_eq!(reply.status, 405);
        assert_eq!(reply.header("connection"), Some("close"));
    }
    for mut peer in peers {
        go.notify_one();
        let reply = patiently(peer.reply()).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.header("connection"), Some("close"));
        assert!(patiently(peer.is_closed()).await);
    }
    patiently(stopped).await.unwrap();
}
