//! The bounds that all senders share: what counts, and what one sender leaves to the others.

use std::sync::mpsc as blocking;
use std::sync::{Arc, Mutex};

use mcp_runtime::HttpOptions;
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
    for tool in ["count", "handler"] {
        for element in [r#"{"":0}"#, "0"] {
            let reply = running.send(&call(tool, &array(element, 4_000_000))).await;
            assert_eq!(reply.code(), (200, -32602), "{tool} {element}");
            let message = &reply.json()["error"]["message"];
            let text = message.as_str().unwrap();
            assert!(text.contains("the limit is 268435456"), "{text}");
            let short = running.send(&call(tool, &array(element, 1_000))).await;
            assert_eq!(short.code(), (200, 0), "{tool} {element}");
        }
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
    let server = server.message_size(100_000).max_call_memory(1 << 20);
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
    let server = server.groups(["bounds"]).calls_in_flight(16).build();
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
