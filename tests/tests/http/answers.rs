//! What is answered when all is well, and when the request itself is at fault.

use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use super::peer::{Post, Running};

/// Add two integers.
#[mcp_tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Add two integers, a little later.
#[mcp_tool]
async fn add_later(a: i64, b: i64) -> i64 {
    tokio::task::yield_now().await;
    a + b
}

/// Give a text back.
#[mcp_tool]
fn echo(text: String) -> String {
    text
}

/// Fail badly.
#[mcp_tool]
fn panic() -> String {
    panic!("the cause, which is for the log")
}

async fn running() -> Running {
    Running::start(&mcp_runtime::server!().build().unwrap()).await
}

fn text(reply: &Value) -> &str {
    reply["result"]["content"][0]["text"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_is_answered_with_one_json_object() {
    let running = running().await;
    for tool in ["add", "add_later"] {
        let reply = running
            .send(&Post::call(tool, json!({"a": 2, "b": 3})))
            .await;
        assert_eq!(reply.code(), (200, 0));
        assert_eq!(reply.header("content-type"), Some("application/json"));
        assert_eq!(
            reply.header("content-length"),
            Some(&*reply.body.len().to_string())
        );
        assert_eq!(text(&reply.json()), "5");
    }
    running.stop().await;
}

#[tokio::test]
async fn a_runtime_of_one_thread_serves_too() {
    let running = running().await;
    let reply = running
        .send(&Post::call("add", json!({"a": 2, "b": 3})))
        .await;
    assert_eq!(text(&reply.json()), "5");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_and_discovery_are_answered() {
    let running = running().await;
    let reply = running.send(&Post::new("tools/list", json!({}))).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.json()["result"]["tools"][0]["name"], "add");
    let reply = running.send(&Post::new("server/discover", json!({}))).await;
    assert_eq!(reply.status, 200);
    assert_eq!(
        reply.json()["result"]["supportedVersions"],
        json!(["2026-07-28"])
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn errors_from_the_parameters_on_are_answers_like_any_other() {
    let running = running().await;
    let unknown = Post::call("nowhere", json!({}));
    assert_eq!(running.send(&unknown).await.code(), (200, -32602));
    let no_name = Post::call("add", json!({})).body(|body| {
        body["params"].as_object_mut().unwrap().remove("name");
    });
    assert_eq!(running.send(&no_name).await.code(), (200, -32602));
    let cursor = Post::new("tools/list", json!({"cursor": "made up"}));
    assert_eq!(running.send(&cursor).await.code(), (200, -32602));
    let missing = running.send(&Post::call("add", json!({"a": 1}))).await;
    assert_eq!(missing.code(), (200, 0));
    assert_eq!(missing.json()["result"]["isError"], true);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panic_is_one_failed_call() {
    let running = running().await;
    let mut peer = running.connect().await;
    peer.write(&Post::call("panic", json!({})).bytes(running.port))
        .await;
    let reply = peer.reply().await;
    assert_eq!(reply.code(), (200, 0));
    assert_eq!(text(&reply.json()), "Error: the tool failed");
    peer.write(&Post::call("add", json!({"a": 1, "b": 1})).bytes(running.port))
        .await;
    assert_eq!(text(&peer.reply().await.json()), "2");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notifications_are_accepted_without_a_body() {
    let running = running().await;
    let mut body =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    let reply = running.send(&Post::raw(&body)).await;
    assert_eq!((reply.status, reply.body.len()), (202, 0));
    body["jsonrpc"] = json!("1.0");
    assert_eq!(running.send(&Post::raw(&body)).await.code(), (400, -32600));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_takes_only_streams_gets_one() {
    let running = running().await;
    let call = Post::call("add", json!({"a": 2, "b": 3})).with("Accept", "text/event-stream");
    let reply = running.send(&call).await;
    assert_eq!(reply.status, 200);
    let events = reply.events();
    assert_eq!(events.len(), 1);
    assert_eq!(text(&events[0]), "5");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_come_back_whole_however_they_are_cut() {
    let running = running().await;
    for size in [0, 1, 100, 8 * 1024, 100_000, 1024 * 1024, 3 * 1024 * 1024] {
        let sent = "é".repeat(size / 2);
        let post = Post::call("echo", json!({"text": sent}));
        let reply = running.send(&post).await;
        assert_eq!(reply.code(), (200, 0));
        assert!(text(&reply.json()) == sent, "{size} bytes");
        // The same in chunks of odd sizes.
        let mut body = Vec::new();
        for chunk in post.body.chunks(7919) {
            body.extend(format!("{:x}\r\n", chunk.len()).bytes());
            body.extend_from_slice(chunk);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(b"0\r\n\r\n");
        let mut chunked = post.header("Transfer-Encoding", "chunked");
        chunked.body = body;
        let reply = running.send(&chunked).await;
        assert!(text(&reply.json()) == sent, "{size} bytes in chunks");
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_id_comes_back_as_it_was() {
    let running = running().await;
    for id in [
        json!(0),
        json!(""),
        json!("1"),
        json!(9_007_199_254_740_993_u64),
        json!(1_764_461_384_123_u64),
    ] {
        let call = Post::call("add", json!({"a": 1, "b": 1})).body(|body| body["id"] = id.clone());
        assert_eq!(running.send(&call).await.json()["id"], id);
        let unknown = Post::new("no/such", json!({})).body(|body| body["id"] = id.clone());
        assert_eq!(running.send(&unknown).await.json()["id"], id);
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_in_a_row_are_answered_in_order() {
    let running = running().await;
    let mut peer = running.connect().await;
    let mut bytes = Vec::new();
    for a in 0..20 {
        bytes.extend(Post::call("add", json!({"a": a, "b": 0})).bytes(running.port));
    }
    peer.write(&bytes).await;
    for a in 0..20 {
        assert_eq!(text(&peer.reply().await.json()), a.to_string());
    }
    running.stop().await;
}
