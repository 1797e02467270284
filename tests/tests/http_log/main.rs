//! What the log says of requests that are refused over HTTP. It is read in a process of its own, as a log belongs to one.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[allow(
    clippy::needless_pass_by_value,
    dead_code,
    unreachable_pub,
    reason = "the tests of HTTP use the rest of it"
)]
#[path = "../http/peer.rs"]
mod peer;

use std::fmt::{self, Write as _};
use std::sync::Mutex;
use std::time::Duration;

use mcp_runtime::{Server, ServerBuilder, ToolError, http::HttpOptions};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use self::peer::{Post, Running, patiently};

/// Sends the warnings as lines.
struct Warnings(Mutex<UnboundedSender<String>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, "{field}={value:?} ").unwrap();
    }
}

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= Level::WARN
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        // The test may have ended.
        let _ = self.0.lock().unwrap().send(line.0);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// The lines of the log.
struct Log(UnboundedReceiver<String>);

impl Log {
    fn new() -> Self {
        let (sender, lines) = unbounded_channel();
        tracing::subscriber::set_global_default(Warnings(Mutex::new(sender))).unwrap();
        Self(lines)
    }

    /// Waits for the next line, which has all of these words.
    async fn next(&mut self, words: &[&str]) {
        let line = patiently(self.0.recv()).await.unwrap();
        for word in words {
            assert!(line.contains(word), "no `{word}`: {line}");
        }
    }

    fn assert_empty(&mut self) {
        assert_eq!(self.0.try_recv().ok(), None);
    }
}

fn builder() -> ServerBuilder {
    mcp_runtime::server!().register_tool(
        "wait",
        "Wait.",
        json!({"type": "object"}),
        |_: Value| async {
            std::future::pending::<()>().await;
            Ok::<_, ToolError>("never")
        },
    )
}

fn server() -> Server {
    builder().build().unwrap()
}

fn list() -> Post {
    Post::new("tools/list", json!({}))
}

fn wait() -> Post {
    Post::call("wait", json!({}))
}

const SHORT: Duration = Duration::from_millis(30);

/// One test, since all of them would read one log.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_kind_of_refusal_is_logged_once_with_the_option_that_changes_it() {
    let mut log = Log::new();
    hosts_and_origins(&mut log).await;
    messages(&mut log).await;
    times(&mut log).await;
    connections(&mut log).await;
    addresses(&mut log).await;
    log.assert_empty();
}

async fn hosts_and_origins(log: &mut Log) {
    let running = Running::start(&server()).await;
    for name in ["a.example", "b.example", "c.example"] {
        let post = list().header("Host", name);
        assert_eq!(running.send(&post).await.status, 421);
    }
    log.next(&[
        "421",
        "`a.example`",
        "allow_host",
        "--allow-host",
        "count=1",
    ])
    .await;
    for name in ["null", "http://b.example"] {
        let post = list().header("Origin", name);
        assert_eq!(running.send(&post).await.status, 403);
    }
    log.next(&["403", "`null`", "allow_origin", "--allow-origin", "count=1"])
        .await;
    // What no line has counted is logged at the end.
    running.stop().await;
    let mut rest = [
        patiently(log.0.recv()).await.unwrap(),
        patiently(log.0.recv()).await.unwrap(),
    ];
    rest.sort();
    assert!(
        rest[0].contains("403") && rest[0].contains("count=1"),
        "{rest:?}"
    );
    assert!(
        rest[1].contains("421") && rest[1].contains("count=2"),
        "{rest:?}"
    );
    // A client cannot write lines of its own.
    let running = Running::start(&server()).await;
    let post = list().header("Host", "evil\u{85}.example\tx");
    assert_eq!(running.send(&post).await.status, 421);
    log.next(&["421", "\\t"]).await;
    running.stop().await;
}

async fn messages(log: &mut Log) {
    let options = HttpOptions::new().rate_limit(1, Duration::from_secs(3600));
    let running = Running::start_with(&server(), options).await;
    assert_eq!(running.send(&list()).await.status, 200);
    assert_eq!(running.send(&list()).await.status, 429);
    log.next(&["too many", "rate_limit"]).await;
    running.stop().await;

    let server = builder()
        .max_message_size(10)
        .max_calls_in_flight(0)
        .build();
    let running = Running::start(&server.unwrap()).await;
    assert_eq!(running.send(&list()).await.status, 413);
    log.next(&["too long", "max_message_size"]).await;
    running.stop().await;

    let server = builder().max_calls_in_flight(0).build().unwrap();
    let running = Running::start(&server).await;
    assert_eq!(running.send(&wait()).await.status, 503);
    log.next(&["too many calls", "max_calls_in_flight"]).await;
    running.stop().await;

    let server = builder().max_answer_memory(0).build().unwrap();
    let running = Running::start(&server).await;
    assert_eq!(running.send(&wait()).await.status, 503);
    log.next(&["too many bytes", "max_answer_memory"]).await;
    running.stop().await;
}

async fn times(log: &mut Log) {
    let server = builder().call_timeout(SHORT).build().unwrap();
    let running = Running::start(&server).await;
    assert_eq!(running.send(&wait()).await.code(), (200, -32603));
    log.next(&["timed out", "call_timeout"]).await;
    running.stop().await;

    let options = HttpOptions::new().body_timeout(SHORT);
    let running = Running::start_with(&server, options).await;
    let slow = list().header("Content-Length", "5000");
    assert_eq!(running.send(&slow).await.status, 408);
    log.next(&["408", "body_timeout"]).await;
    running.stop().await;

    let options = HttpOptions::new().header_timeout(SHORT);
    let server = mcp_runtime::server!().build().unwrap();
    let running = Running::start_with(&server, options).await;
    // A connection that says nothing is no request.
    let mut silent = running.connect().await;
    assert!(patiently(silent.is_closed()).await);
    let mut half = running.connect().await;
    half.write(b"POST /mcp HTTP/1.1\r\n").await;
    assert!(patiently(half.is_closed()).await);
    log.next(&["head", "header_timeout"]).await;
    running.stop().await;
}

async fn connections(log: &mut Log) {
    let flood = |_: Value| Ok::<_, ToolError>("x".repeat(50_000_000));
    let server = mcp_runtime::server!()
        .register_tool("flood", "Flood.", json!({"type": "object"}), flood)
        .build()
        .unwrap();
    let options = HttpOptions::new().write_timeout(SHORT).max_connections(1);
    let running = Running::start_with(&server, options).await;
    let mut peer = running.connect().await;
    let flood = Post::call("flood", json!({}));
    peer.write(&flood.bytes(running.port)).await;
    log.next(&["max_connections"]).await;
    log.next(&["did not take", "write_timeout"]).await;
    running.stop().await;
}

async fn addresses(log: &mut Log) {
    for (address, options, is_named) in [
        ("0.0.0.0:0", HttpOptions::new(), false),
        ("[::]:0", HttpOptions::new(), false),
        (
            "0.0.0.0:0",
            HttpOptions::new().allow_host("localhost"),
            false,
        ),
        (
            "0.0.0.0:0",
            HttpOptions::new().allow_host("mcp.example"),
            true,
        ),
        ("127.0.0.1:0", HttpOptions::new(), true),
    ] {
        let listener = tokio::net::TcpListener::bind(address).await.unwrap();
        let server = server();
        let served = server.serve_http_on(listener, options, std::future::ready(()));
        patiently(served).await.unwrap();
        if !is_named {
            log.next(&["all addresses", "421", "allow_host", "--allow-host"])
                .await;
        }
    }
}
