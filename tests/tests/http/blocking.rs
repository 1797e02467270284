//! Plain functions that block the thread they run on: those of which nothing is known, and those that were quick so far
//! and run on the workers of the runtime.

use std::collections::HashSet;
use std::sync::mpsc as blocking;
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

use mcp_runtime::{Context, HttpOptions, ServerBuilder, ToolError};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::lifecycle::with_tool;
use super::peer::{Peer, Post, Running, events};

/// The threads that are workers of this runtime, which has two.
async fn workers() -> HashSet<String> {
    let barrier = Arc::new(Barrier::new(2));
    let tasks = [(); 2].map(|()| {
        let barrier = Arc::clone(&barrier);
        // Both wait for each other, so that no worker runs both.
        tokio::spawn(async move {
            barrier.wait();
            this_thread()
        })
    });
    let mut workers = HashSet::new();
    for task in tasks {
        workers.insert(task.await.unwrap());
    }
    workers
}

fn this_thread() -> String {
    format!("{:?}", std::thread::current().id())
}

/// Calls `hold` for quick answers until it is run on a worker.
async fn earn_trust(running: &Running) {
    let workers = workers().await;
    let quick = Post::call("hold", json!({"quick": true})).bytes(running.port);
    let mut peer = running.connect().await;
    for _ in 0..50_000 {
        peer.write(&quick).await;
        let thread = text(&peer.reply().await.json());
        if workers.contains(&thread) {
            return;
        }
    }
    panic!("a quick function never ran on a worker");
}

fn text(message: &Value) -> String {
    let text = &message["result"]["content"][0]["text"];
    text.as_str().unwrap().to_owned()
}

/// A server with a plain function that, unless it is asked to be quick, tells that it begins, and then says the numbers
/// from 1 and holds its thread after each until it is released; it ends when it is cancelled.
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
    let builder = with_tool("hold", move |arguments: Value, context: Context| {
        if arguments["quick"] == true {
            return Ok::<_, ToolError>(this_thread());
        }
        begun.send(()).unwrap();
        for step in 1..=steps {
            context.progress(f64::from(step));
            // Many of them may wait for one word.
            while held.lock().unwrap().try_recv() == Err(blocking::TryRecvError::Empty) {
                if context.is_cancelled() {
                    // The test may have ended.
                    let _ = ended.send(());
                    return Ok("nobody hears this".to_owned());
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        Ok("held".to_owned())
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
    /// Starts the server; the function is one of which nothing is known, or one that was quick so far.
    async fn start(&mut self, trusted: bool, options: HttpOptions) -> Running {
        let builder = std::mem::replace(&mut self.builder, mcp_runtime::server!());
        let running = Running::start_with(&builder.build().unwrap(), options).await;
        if trusted {
            earn_trust(&running).await;
        }
        running
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
    for trusted in [false, true] {
        let mut held = holding(1);
        let running = held.start(trusted, HttpOptions::new()).await;
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
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_functions_delay_nobody() {
    for trusted in [false, true] {
        let mut held = holding(1);
        let running = held.start(trusted, HttpOptions::new()).await;
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
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_that_takes_too_long_is_answered_while_it_runs() {
    for trusted in [false, true] {
        let mut held = holding(1);
        held.builder = held.builder.call_time(Duration::from_millis(30));
        let running = held.start(trusted, HttpOptions::new()).await;
        let mut peer = begin(&running, &hold()).await;
        let reply = peer.reply().await;
        assert_eq!(reply.code(), (200, -32603));
        assert_eq!(reply.json()["error"]["message"], "tool timed out");
        // The connection goes on beside it.
        peer.write(&add().bytes(running.port)).await;
        assert_eq!(peer.reply().await.code(), (200, 0));
        held.ends.recv().await.unwrap();
        peer.write(&add().bytes(running.port)).await;
        assert_eq!(peer.reply().await.code(), (200, 0));
        running.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_word_of_a_function_is_heard_while_it_runs() {
    for trusted in [false, true] {
        let mut held = holding(5);
        let running = held.start(trusted, HttpOptions::new()).await;
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
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_waits_for_no_thread() {
    for trusted in [false, true] {
        let mut held = holding(1);
        let options = HttpOptions::new().drain_time(Duration::from_millis(30));
        let running = held.start(trusted, options).await;
        let mut peer = begin(&running, &hold()).await;
        held.begins.recv().await.unwrap();
        running.stop().await;
        assert!(peer.is_closed().await);
        held.release.send(()).unwrap();
    }
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
async fn a_function_that_was_quick_before_fails_once_at_most() {
    let server = with_tool("hold", |arguments: Value| {
        Ok::<_, ToolError>(match arguments["quick"] == true {
            true => this_thread(),
            false => run_future(),
        })
    });
    let running = Running::start(&server.build().unwrap()).await;
    earn_trust(&running).await;
    let failed = running.send(&hold()).await.json();
    assert_eq!(failed["result"]["isError"], true);
    assert_eq!(text(&failed), "Error: the tool failed");
    let quick = Post::call("hold", json!({"quick": true})).bytes(running.port);
    let mut peer = running.connect().await;
    for _ in 0..200 {
        peer.write(&quick).await;
        peer.reply().await;
    }
    peer.write(&hold().bytes(running.port)).await;
    assert_eq!(text(&peer.reply().await.json()), "ran");
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
            .call_time(Duration::from_millis(30))
            .register_tool(
                "wait",
                "A tool.",
                json!({"type": "object"}),
                |_: Value| async { Ok::<_, ToolError>("waited") },
            );
        let running = held.start(false, HttpOptions::new()).await;
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
