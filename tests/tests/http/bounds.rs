//! The bounds that all senders share: what counts, and what one sender leaves to the others.

use std::sync::mpsc as blocking;
use std::sync::{Arc, Mutex};

use mcp_runtime::http::HttpOptions;
use mcp_runtime::prelude::*;
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use super::lifecycle::with_tool;
use super::middleware::Mounted;
use super::peer::{Peer, Post, Running, patiently};

/// Count values of any type.
#[mcp_tool(group = "bounds")]
fn count(values: Vec<Value>) -> usize {
    values.len()
}

/// Count numbers.
#[mcp_tool(group = "bounds")]
fn count_numbers(values: Vec<i64>) -> usize {
    values.len()
}

fn of(name: &str, post: &Post) -> Post {
    post.clone()
        .header("Authorization", &format!("Bearer {name}"))
}

/// A call whose argument is text of JSON.
fn call(tool: &str, values: &str) -> Post {
    let mut post = Post::call(tool, json!({"values": "here"}));
    let body = String::from_utf8(post.body).unwrap();
    post.body = body.replace("\"here\"", values).into_bytes();
    post
}

/// As many copies of an element as make a text of this length.
fn array(element: &str, length: usize) -> String {
    format!(
        "[{}]",
        vec![element; length / (element.len() + 1)].join(",")
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_grows_beyond_the_bound_as_values_is_refused_before_they_are_built() {
    let server = mcp_runtime::server!().groups(["bounds"]).register_tool(
        "handler",
        "A handler.",
        json!({"type": "object"}),
        |it: Value| Ok::<_, ToolError>(it["values"].as_array().map_or(0, Vec::len)),
    );
    let running = Running::start(&server.build().unwrap()).await;
    for (tool, element) in [("count", "0"), ("handler", r#"{"":0}"#)] {
        let reply = running.send(&call(tool, &array(element, 4_000_000))).await;
        assert_eq!(reply.code(), (200, -32602), "{tool}");
        let message = &reply.json()["error"]["message"];
        let text = message.as_str().unwrap();
        assert!(text.contains("the limit is 268435456"), "{text}");
        let short = running.send(&call(tool, &array(element, 1_000))).await;
        assert_eq!(short.code(), (200, 0), "{tool}");
    }
    // Numbers that become numbers take no such room.
    let reply = running
        .send(&call("count_numbers", &array("0", 4_000_000)))
        .await;
    assert_eq!(reply.json()["result"]["content"][0]["text"], "2000000");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_metadata_of_a_request_counts_too() {
    let server = mcp_runtime::server!()
        .groups(["bounds"])
        .max_call_memory(8 << 20);
    let running = Running::start(&server.build().unwrap()).await;
    let post = |length: usize| {
        call("count_numbers", "[]").body(|body| {
            body["params"]["_meta"]["example.com/zeros"] = json!(vec![0; length]);
        })
    };
    assert_eq!(running.send(&post(1_000)).await.code(), (200, 0));
    assert_eq!(running.send(&post(100_000)).await.code(), (200, -32602));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_messages_of_running_calls_are_bounded_together_and_by_sender() {
    let go = Arc::new(Notify::new());
    let (begun, mut begins) = mpsc::unbounded_channel();
    let going = Arc::clone(&go);
    let server = with_tool("hold", move |_: Value| {
        let (going, begun) = (Arc::clone(&going), begun.clone());
        async move {
            let gone = going.notified();
            begun.send(()).unwrap();
            gone.await;
            Ok::<_, ToolError>("held")
        }
    });
    let server = server.max_message_size(100_000).max_call_memory(1 << 20);
    let mounted = Mounted::start(&server.build().unwrap(), HttpOptions::new()).await;
    let hold = call("hold", &json!("x".repeat(90_000)).to_string());
    let mut held = Vec::new();
    // Three quarters of the bound have room for eight such calls.
    for _ in 0..8 {
        held.push(send(&mounted, &of("ada", &hold)).await);
        patiently(begins.recv()).await.unwrap();
    }
    let refused = mounted.send(&of("ada", &hold)).await;
    assert_eq!(refused.code(), (503, -32603));
    assert!(refused.header("retry-after").is_some());
    let text = refused.json()["error"]["message"].to_string();
    assert!(text.contains("Too much memory"), "{text}");
    held.push(send(&mounted, &of("bob", &hold)).await);
    patiently(begins.recv()).await.unwrap();
    go.notify_waiters();
    for mut peer in held {
        assert_eq!(patiently(peer.reply()).await.status, 200);
    }
    let _again = send(&mounted, &of("ada", &hold)).await;
    patiently(begins.recv()).await.unwrap();
}

async fn send(mounted: &Mounted, post: &Post) -> Peer {
    let mut peer = Peer::connect(mounted.port).await;
    peer.write(&post.bytes(mounted.port)).await;
    peer
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn blocking_calls_of_a_client_that_is_gone_leave_room_for_others() {
    let (release, held) = blocking::channel::<()>();
    let held = Mutex::new(held);
    let (begun, mut begins) = mpsc::unbounded_channel();
    let server = with_tool("block", move |_: Value| {
        begun.send(()).unwrap();
        // The end of the channel ends all of them.
        let _ended = held.lock().unwrap().recv();
        Ok::<_, ToolError>("blocked")
    });
    let server = server.groups(["bounds"]).max_calls_in_flight(16).build();
    let mounted = Mounted::start(&server.unwrap(), HttpOptions::new()).await;
    for _ in 0..12 {
        let peer = send(&mounted, &of("ada", &Post::call("block", json!({})))).await;
        patiently(begins.recv()).await.unwrap();
        drop(peer);
    }
    let count = call("count", "[]");
    assert_eq!(mounted.send(&of("ada", &count)).await.code(), (503, -32603));
    for name in ["bob", "carol"] {
        assert_eq!(mounted.send(&of(name, &count)).await.code(), (200, 0));
    }
    drop(release);
}

fn events_alone(post: Post) -> Post {
    post.with("Accept", "text/event-stream")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_that_are_streams_of_events_are_bounded_and_leave_room_for_others() {
    let server = with_tool("long", |_: Value| {
        Ok::<_, ToolError>("x".repeat(20_000_000))
    });
    let server = server.max_answer_memory(120_000_000).build().unwrap();
    let mounted = Mounted::start(&server, HttpOptions::new()).await;
    let long = events_alone(Post::call("long", json!({})));
    let mut untaken = Vec::new();
    let refused = loop {
        // The system takes a part of each answer, and never all of it.
        assert!(untaken.len() < 5, "they are not counted");
        let mut peer = send(&mounted, &of("ada", &long)).await;
        let head = patiently(peer.head()).await;
        if head.status != 200 {
            break head.status;
        }
        untaken.push(peer);
    };
    assert_eq!(refused, 503);
    assert_eq!(untaken.len(), 4);
    let reply = patiently(mounted.send(&of("bob", &long))).await;
    assert_eq!(reply.events().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_without_room_is_an_error_with_the_id_of_its_request() {
    let server = with_tool("long", |_: Value| Ok::<_, ToolError>("x".repeat(10_000)));
    let running = Running::start(&server.max_answer_memory(9_000).build().unwrap()).await;
    let reply = running.send(&Post::call("long", json!({}))).await;
    assert_eq!(reply.code(), (503, -32603));
    assert_eq!(reply.json()["id"], 1);
    assert!(reply.header("retry-after").is_some());
    assert_eq!(running.send(&call("add", "0")).await.status, 200);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn listen_streams_of_one_sender_leave_room_for_others() {
    let server = mcp_runtime::server!()
        .groups(["bounds"])
        .max_listen_streams(16);
    let mounted = Mounted::start(&server.build().unwrap(), HttpOptions::new()).await;
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let listen = Post::new("subscriptions/listen", filter);
    let mut open = Vec::new();
    let mut statuses = Vec::new();
    for name in ["ada"; 13].into_iter().chain(["bob"; 3]) {
        let mut peer = send(&mounted, &of(name, &listen)).await;
        statuses.push(patiently(peer.head()).await.status);
        open.push(peer);
    }
    assert_eq!(statuses[..12], [200; 12]);
    assert_eq!(statuses[12..], [503, 200, 200, 503]);
}
