//! Plain functions that block the thread they run on, be it one for what blocks or a worker of the runtime.

use std::sync::mpsc as blocking;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_runtime::{Context, ServerBuilder, ToolError, http::HttpOptions};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::lifecycle::with_tool;
use super::peer::{PATIENCE, Peer, Post, Running, events, patiently};

fn text(message: &Value) -> String {
    let text = &message["result"]["content"][0]["text"];
    text.as_str().unwrap().to_owned()
}

/// A server with a plain function that tells that it begins, and then says the numbers from 1 and holds its thread after
/// each until it is released; it ends when it is cancelled.
struct Held {
    builder: ServerBuilder,
    release: blocking::Sender<()>,
    begins: mpsc::UnboundedReceiver<()>,
    ends: mpsc::UnboundedReceiver<()>,
}

fn holding(steps: u32) -> Held {
    let (release, held) = blocking::channel::<()>();
    let held = Arc::new(Mutex::new(held));
    let (begun, begins) = mpsc::unbounded_channel();
    let (ended, ends) = mpsc::unbounded_channel();
    let builder = with_tool("hold", move |_: Value, context: Context| {
        begun.send(()).unwrap();
        for step in 1..=steps {
            context.progress(f64::from(step));
            // Many of them may wait for one word.
            while held.lock().unwrap().try_recv() == Err(blocking::TryRecvError::Empty) {
                if context.is_cancelled() {
                    // The test may have ended.
                    let _ = ended.send(());
                    return Ok::<_, ToolError>("nobody hears this");
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        Ok("held")
    });
    Held {
        builder,
        release,
        begins,
        ends,
    }
}

fn hold() -> Post {
    Post::call("hold", json!({}))
}

fn add() -> Post {
    Post::call("add", json!({"a": 1, "b": 1}))
}

impl Held {
    /// Starts the server.
    async fn start(&mut self, options: HttpOptions) -> Running {
        let builder = std::mem::replace(&mut self.builder, mcp_runtime::server!());
        Running::start_with(&builder.build().unwrap(), options).await
    }
}

/// Sends a request on a new connection.
async fn begin(running: &Running, request: &Post) -> Peer {
    let mut peer = running.connect().await;
    peer.write(&request.bytes(running.port)).await;
    peer
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_sees_that_its_client_has_gone() {
    let mut held = holding(1);
    let running = held.start(HttpOptions::new()).await;
    // More of them than workers.
    let mut peers = Vec::new();
    for _ in 0..4 {
        peers.push(begin(&running, &hold()).await);
        held.begins.recv().await.unwrap();
    }
    drop(peers);
    for _ in 0..4 {
        held.ends.recv().await.unwrap();
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_functions_delay_nobody() {
    let mut held = holding(1);
    let running = held.start(HttpOptions::new()).await;
    let mut peers = Vec::new();
    for _ in 0..8 {
        peers.push(begin(&running, &hold()).await);
    }
    for _ in 0..8 {
        held.begins.recv().await.unwrap();
    }
    // All of them hold; a quick call on an old connection and one on a new connection pass them by.
    let mut quick = running.connect().await;
    for _ in 0..10 {
        quick.write(&add().bytes(running.port)).await;
        assert_eq!(quick.reply().await.code(), (200, 0));
        let list = Post::new("tools/list", json!({}));
        assert_eq!(running.send(&list).await.status, 200);
    }
    for _ in 0..8 {
        held.release.send(()).unwrap();
    }
    for mut peer in peers {
        assert_eq!(text(&peer.reply().await.json()), "held");
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_that_takes_too_long_is_answered_while_it_runs() {
    let mut held = holding(1);
    held.builder = held.builder.call_timeout(Duration::from_millis(30));
    let running = held.start(HttpOptions::new()).await;
    let mut peer = begin(&running, &hold()).await;
    let reply = peer.reply().await;
    assert_eq!(reply.code(), (200, -32603));
    assert_eq!(reply.json()["error"]["message"], "tool timed out");
    // The connection goes on beside it, with what has no limit of time.
    let list = Post::new("tools/list", json!({}));
    peer.write(&list.bytes(running.port)).await;
    assert_eq!(peer.reply().await.code(), (200, 0));
    held.ends.recv().await.unwrap();
    peer.write(&list.bytes(running.port)).await;
    assert_eq!(peer.reply().await.code(), (200, 0));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_word_of_a_function_is_heard_while_it_runs() {
    let mut held = holding(5);
    let running = held.start(HttpOptions::new()).await;
    let told = hold().body(|body| body["params"]["_meta"]["progressToken"] = json!(1));
    let mut peer = begin(&running, &told).await;
    let head = peer.head().await;
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    for step in 1..=5 {
        let told = events(&peer.chunk().await.unwrap());
        assert_eq!(told[0]["params"]["progress"], f64::from(step));
        held.release.send(()).unwrap();
    }
    let last = events(&peer.chunk().await.unwrap());
    assert_eq!(text(&last[0]), "held");
    assert_eq!(peer.chunk().await, None);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_waits_for_no_thread() {
    let (release, held) = blocking::channel::<()>();
    let held = Mutex::new(held);
    let (begun, mut begins) = mpsc::unbounded_channel();
    let builder = with_tool("hold", move |_: Value| {
        begun.send(()).unwrap();
        // Nothing but the end of the test releases it.
        let _released = held.lock().unwrap().recv();
        Ok::<_, ToolError>("held")
    });
    let options = HttpOptions::new().drain_timeout(Duration::from_millis(30));
    let running = Running::start_with(&builder.build().unwrap(), options).await;
    let mut peer = begin(&running, &hold()).await;
    begins.recv().await.unwrap();
    running.stop().await;
    assert!(peer.is_closed().await);
    release.send(()).unwrap();
}

/// Waits as `reqwest::blocking` does, by a runtime of its own.
fn run_future() -> String {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime.unwrap().block_on(async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        "ran".to_owned()
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_may_run_futures_of_its_own() {
    let server = with_tool("own", |_: Value| Ok::<_, ToolError>(run_future()))
        .register_prompt("own", "A prompt.", [], |_| Ok::<_, ToolError>(run_future()))
        .register_resource("own://it", "own", "A resource.", |_: String| {
            Ok::<_, mcp_runtime::ResourceError>(run_future())
        })
        .build()
        .unwrap();
    let running = Running::start(&server).await;
    let mut peer = running.connect().await;
    for _ in 0..100 {
        peer.write(&Post::call("own", json!({})).bytes(running.port))
            .await;
        assert_eq!(text(&peer.reply().await.json()), "ran");
    }
    let prompt = Post::new("prompts/get", json!({"name": "own"})).with("Mcp-Name", "own");
    let reply = running.send(&prompt).await.json();
    assert_eq!(reply["result"]["messages"][0]["content"]["text"], "ran");
    let read = Post::new("resources/read", json!({"uri": "own://it"})).with("Mcp-Name", "own://it");
    let reply = running.send(&read).await.json();
    assert_eq!(reply["result"]["contents"][0]["text"], "ran");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_that_seldom_runs_futures_may_do_so_at_any_call() {
    let cache = Mutex::new(0_u32);
    let tool = move |_: Value| {
        let mut calls = cache.lock().unwrap();
        *calls += 1;
        let is_miss = calls.is_multiple_of(150);
        Ok::<_, ToolError>(if is_miss {
            run_future()
        } else {
            "cached".into()
        })
    };
    let running = Running::start(&with_tool("cached", tool).build().unwrap()).await;
    let mut peer = running.connect().await;
    let call = Post::call("cached", json!({})).bytes(running.port);
    for number in 1..=1_200 {
        peer.write(&call).await;
        let expected = if number % 150 == 0 { "ran" } else { "cached" };
        assert_eq!(text(&peer.reply().await.json()), expected, "call {number}");
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_function_may_wait_for_a_task_of_the_runtime_that_serves() {
    let (ask, mut asked) = mpsc::unbounded_channel::<blocking::Sender<&str>>();
    tokio::spawn(async move {
        while let Some(asker) = asked.recv().await {
            asker.send("answered").unwrap();
        }
    });
    let server = with_tool("ask", move |_: Value| {
        let (asker, answer) = blocking::channel();
        ask.send(asker).unwrap();
        // So that a failure keeps no worker for ever.
        answer.recv_timeout(PATIENCE)
    });
    let running = Running::start(&server.build().unwrap()).await;
    let mut peer = running.connect().await;
    let ask = Post::call("ask", json!({})).bytes(running.port);
    for _ in 0..200 {
        peer.write(&ask).await;
        assert_eq!(text(&patiently(peer.reply()).await.json()), "answered");
    }
    running.stop().await;
}

#[test]
fn what_waits_for_a_thread_is_answered_in_time_and_does_not_begin_later() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(1)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut held = holding(1);
        held.builder = held
            .builder
            .call_timeout(Duration::from_millis(30))
            .register_tool(
                "wait",
                "A tool.",
                json!({"type": "object"}),
                |_: Value| async { Ok::<_, ToolError>("waited") },
            );
        let running = held.start(HttpOptions::new()).await;
        let (free, taken) = blocking::channel::<()>();
        let other = tokio::task::spawn_blocking(move || taken.recv().unwrap());
        let mut peer = begin(&running, &hold()).await;
        assert_eq!(peer.reply().await.code(), (200, -32603));
        // What is async needs no such thread.
        let reply = running.send(&Post::call("wait", json!({}))).await.json();
        assert_eq!(text(&reply), "waited");
        free.send(()).unwrap();
        other.await.unwrap();
        // The one thread does one after the other.
        tokio::task::spawn_blocking(|| ()).await.unwrap();
        assert!(held.begins.try_recv().is_err());
        running.stop().await;
    });
}

#[tokio::test]
async fn a_server_that_blocks_its_caller_may_be_called_within_a_runtime() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let server = mcp_runtime::server!().build().unwrap();
    let address = taken.local_addr().unwrap();
    let refused = server.serve_http_blocking(address, HttpOptions::new());
    let told = refused.unwrap_err().to_string();
    assert!(told.contains("listen"), "{told}");
}
