//! When streams of events begin and end.

use std::time::Duration;

use mcp_runtime::{Context, ToolError};
use serde_json::{Value, json};

use super::lifecycle::with_tool;
use super::peer::{Post, Running, events, patiently};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_stream_of_a_call_that_has_ended_is_closed() {
    let server = with_tool("hang", |_: Value, context: Context| async move {
        context.progress((1, 2));
        std::future::pending::<()>().await;
        Ok::<_, ToolError>("never")
    });
    let server = server
        .call_timeout(Duration::from_millis(50))
        .build()
        .unwrap();
    let running = Running::start(&server).await;
    let mut peer = running.connect().await;
    let post = Post::call("hang", json!({}))
        .body(|body| body["params"]["_meta"]["progressToken"] = json!("p"));
    peer.write(&post.bytes(running.port)).await;
    let reply = patiently(peer.reply()).await;
    let events = reply.events();
    assert_eq!(events.first().unwrap()["method"], "notifications/progress");
    assert_eq!(events.last().unwrap()["error"]["message"], "tool timed out");
    // The connection serves the next request.
    let add = Post::call("add", json!({"a": 2, "b": 3}));
    peer.write(&add.bytes(running.port)).await;
    assert_eq!(patiently(peer.reply()).await.status, 200);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_has_its_first_bytes_before_anything_changes() {
    let server = mcp_runtime::server!().build().unwrap();
    let running = Running::start(&server).await;
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let mut peer = running.connect().await;
    let listen = Post::new("subscriptions/listen", filter);
    peer.write(&listen.bytes(running.port)).await;
    assert_eq!(patiently(peer.head()).await.status, 200);
    let first = patiently(peer.chunk()).await.unwrap();
    assert_eq!(events(&first).len(), 1);
    running.stop().await;
}
