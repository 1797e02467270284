//! Web pages in Chromium that call a server on another port: of an origin that is allowed, and of a foreign one.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::response::Html;
use axum::routing::{get, post};
use mcp_runtime::prelude::*;
use mcp_runtime::{context::ErrorObject, http::HttpOptions};
use serde_json::Value;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// What a page may take on a busy machine; a test waits so long only if it fails.
const DEADLINE: Duration = Duration::from_secs(120);

static CALLS: AtomicUsize = AtomicUsize::new(0);

/// Add two integers in a region.
#[mcp_tool(read_only)]
fn add(
    a: i64,
    b: i64,
    #[arg(header = "Region")] region: String,
    ctx: &Context,
) -> Result<i64, String> {
    CALLS.fetch_add(1, Ordering::SeqCst);
    ctx.progress((1, 2));
    if region == "north" {
        Ok(a + b)
    } else {
        Err(region)
    }
}

/// Say that no more is possible.
#[mcp_tool]
fn full() -> Result<(), ToolError> {
    Err(ToolError::request(ErrorObject::new(-32603, "full")))
}

/// A directory for one browser, which is removed with it.
struct Profile(PathBuf);

impl Profile {
    fn new(name: &str) -> Self {
        let name = format!("mcp-browser-{name}-{}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir(&directory).unwrap();
        Self(directory)
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        // The browser may still write into it; what remains is in a directory for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Opens a page in a browser, which ends when this is dropped.
fn open(url: &str, profile: &Profile) -> Child {
    Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
        ])
        .args(["--no-first-run", "--disable-background-networking"])
        .args([
            "--disable-component-update",
            "--disable-sync",
            "--no-proxy-server",
        ])
        .arg(format!("--user-data-dir={}", profile.0.display()))
        .arg(url)
        .env("HOME", &profile.0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("Chromium is installed (Debian: apt-get install chromium)")
}

/// A web server with the page, and what the page tells it.
async fn page(listener: TcpListener, endpoint: &str) -> UnboundedReceiver<Value> {
    let html = include_str!("page.html").replace("ENDPOINT", endpoint);
    let (sender, results) = unbounded_channel();
    let results_of_page = move |body: String| {
        let sent = sender.send(serde_json::from_str(&body).unwrap());
        async move { sent.unwrap() }
    };
    let app = Router::new()
        .route("/", get(|| async { Html(html) }))
        .route("/results", post(results_of_page));
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    results
}

/// Shows the page in a browser, and waits for its results.
async fn run(name: &str, url: &str, mut results: UnboundedReceiver<Value>) -> Value {
    let profile = Profile::new(name);
    let mut browser = open(url, &profile);
    let mut log = browser.stderr.take().unwrap();
    let logged = tokio::spawn(async move {
        let mut text = String::new();
        // What is no text is not read.
        let _ = log.read_to_string(&mut text).await;
        text
    });
    let result = tokio::select! {
        result = results.recv() => Ok(result.unwrap()),
        ended = browser.wait() => Err(format!("the browser ended early: {}", ended.unwrap())),
        () = tokio::time::sleep(DEADLINE) => Err("the page took too long".to_owned()),
    };
    browser.kill().await.unwrap();
    match result {
        Ok(result) => result,
        Err(error) => panic!("{error}\n{}", logged.await.unwrap()),
    }
}

async fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    (listener, origin)
}

fn message(result: &Value) -> Value {
    serde_json::from_str(result["body"].as_str().unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_allowed_origins_call_and_foreign_pages_get_nothing() {
    let (mcp, endpoint) = listener().await;
    let endpoint = format!("{endpoint}/mcp");
    let (own, own_origin) = listener().await;
    let (foreign, foreign_origin) = listener().await;
    let server = mcp_runtime::server!().build().unwrap();
    let options = HttpOptions::new().allow_origin(&own_origin);
    tokio::spawn(async move {
        let never = std::future::pending::<()>();
        server.serve_http_on(mcp, options, never).await.unwrap();
    });

    let results = page(foreign, &endpoint).await;
    let results = run("foreign", &foreign_origin, results).await;
    for (name, result) in results.as_object().unwrap() {
        if name == "opaque" {
            // A request that a form could have sent: its answer is hidden from the page.
            assert_eq!(
                (&result["status"], &result["body"]),
                (&0.into(), &"".into())
            );
        } else {
            assert_eq!(result["error"], "TypeError", "{name}: {result}");
        }
    }
    assert_eq!(CALLS.load(Ordering::SeqCst), 0);

    let results = page(own, &endpoint).await;
    let results = run("own", &own_origin, results).await;
    for name in ["call", "token"] {
        let result = &results[name];
        assert_eq!(
            (&result["status"], &result["type"]),
            (&200.into(), &"cors".into())
        );
        assert_eq!(
            message(result)["result"]["content"][0]["text"],
            "5",
            "{result}"
        );
    }
    let stream = &results["stream"];
    assert_eq!(stream["contentType"], "text/event-stream", "{stream}");
    let events = stream["body"].as_str().unwrap();
    for part in ["notifications/progress", r#""text":"5""#] {
        assert!(events.contains(part), "{events}");
    }
    let listened = results["listen"]["body"].as_str().unwrap_or_default();
    assert!(listened.contains("notifications/"), "{}", results["listen"]);
    for (name, status, code) in [
        ("mismatch", 400, -32020),
        ("unknown", 404, -32601),
        ("elsewhere", 404, -32600),
        ("get", 405, -32600),
        ("plain", 415, -32600),
        ("busy", 200, -32603),
    ] {
        let result = &results[name];
        assert_eq!(result["status"], status, "{name}: {result}");
        assert_eq!(message(result)["error"]["code"], code, "{name}: {result}");
    }
    assert_eq!(results["get"]["allow"], "POST");
    assert_eq!(CALLS.load(Ordering::SeqCst), 3);
}
