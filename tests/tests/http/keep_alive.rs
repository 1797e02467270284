//! Whether a connection lives on after an answer: it does unless the answer says `Connection: close`.

use std::time::Duration;

use axum::Router;
use mcp_runtime::{Context, Server, ToolError, http::HttpOptions};
use serde_json::{Value, json};

use super::lifecycle::with_tool;
use super::peer::{Peer, Post, Running, patiently};

fn server() -> Server {
    mcp_runtime::server!()
        .max_message_size(1000)
        .build()
        .unwrap()
}

fn add() -> Post {
    Post::call("add", json!({"a": 2, "b": 3}))
}

/// The same request in chunks, with its end.
fn chunked(post: &Post) -> Post {
    let mut post = post.clone().header("Transfer-Encoding", "chunked");
    let length = format!("{:x}\r\n", post.body.len()).into_bytes();
    post.body = [&length, &post.body[..], b"\r\n0\r\n\r\n"].concat();
    post
}

/// The same request with more blanks than a message may have.
fn padded(post: &Post, length: usize) -> Post {
    let mut post = post.clone();
    post.body.resize(length, b' ');
    post
}

/// What is refused before its body is read, and how.
fn refused_by_head(path: &str) -> Vec<(Post, u16)> {
    let post = || add().start(&format!("POST {path} HTTP/1.1"));
    let method = |method: &str| add().start(&format!("{method} {path} HTTP/1.1"));
    vec![
        (post().header("Host", ""), 421),
        (post().header("Host", "evil.example"), 421),
        (post().header("Origin", "http://evil.example"), 403),
        (method("PUT"), 405),
        (method("GET"), 405),
        (method("DELETE"), 405),
        (method("OPTIONS"), 405),
        (post().with("Content-Type", "text/plain"), 415),
        (post().without("Content-Type"), 415),
        (post().header("Content-Encoding", "gzip"), 415),
        (post().with("Accept", "text/html"), 406),
        (padded(&post(), 1001), 413),
        (padded(&post(), 60_000), 413),
    ]
}

/// Waits until a server has read what was sent before: it answers others meanwhile.
async fn until_read(port: u16, path: &str) {
    for _ in 0..5 {
        let mut other = Peer::connect(port).await;
        let post = add().start(&format!("POST {path} HTTP/1.1"));
        other.write(&post.bytes(port)).await;
        assert_eq!(patiently(other.reply()).await.status, 200);
    }
}

/// Sends a request in two packets, and checks that the connection serves another one.
async fn lives_on(port: u16, path: &str, post: &Post, status: u16) {
    let mut peer = Peer::connect(port).await;
    let bytes = post.bytes(port);
    let (head, body) = bytes.split_at(bytes.len() - post.body.len());
    // With the head alone, and within the body.
    for early in [0, body.len() / 2] {
        peer.write(&[head, &body[..early]].concat()).await;
        until_read(port, path).await;
        peer.write(&body[early..]).await;
        let reply = patiently(peer.reply()).await;
        assert_eq!(reply.status, status, "{post:?}");
        assert_eq!(reply.header("connection"), None, "{post:?}");
    }
    let next = add().start(&format!("POST {path} HTTP/1.1"));
    peer.write(&next.bytes(port)).await;
    let reply = patiently(peer.reply()).await;
    assert_eq!(reply.code(), (200, 0), "{post:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_request_leaves_its_connection_to_the_next_one() {
    let running = Running::start(&server()).await;
    let mut refused = refused_by_head("/mcp");
    refused.push((add().start("POST /other HTTP/1.1"), 404));
    for (post, status) in refused {
        lives_on(running.port, "/mcp", &post, status).await;
        lives_on(running.port, "/mcp", &chunked(&post), status).await;
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_request_in_a_router_leaves_its_connection_to_the_next_one() {
    let app = Router::new().route_service("/tools", server().into_service());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    for (post, status) in refused_by_head("/tools") {
        lives_on(port, "/tools", &post, status).await;
    }
    let late = add().start("PUT /tools HTTP/1.1");
    says_close(port, &late.header("Content-Length", "70000"), 405).await;
    serving.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sender_of_too_many_requests_keeps_its_connection() {
    let options = HttpOptions::new().rate_limit(1, Duration::from_secs(3600));
    let running = Running::start_with(&server(), options).await;
    let mut peer = running.connect().await;
    peer.write(&add().bytes(running.port)).await;
    assert_eq!(patiently(peer.reply()).await.status, 200);
    for _ in 0..2 {
        let bytes = add().bytes(running.port);
        let (head, body) = bytes.split_at(bytes.len() - 10);
        peer.write(head).await;
        let mut other = running.connect().await;
        other.write(&bytes).await;
        assert_eq!(patiently(other.reply()).await.status, 429);
        peer.write(body).await;
        let reply = patiently(peer.reply()).await;
        assert_eq!((reply.status, reply.header("connection")), (429, None));
    }
    running.stop().await;
}

/// Checks that an answer says that the connection ends, and that it does then.
async fn says_close(port: u16, post: &Post, status: u16) {
    let mut peer = Peer::connect(port).await;
    peer.write(&post.bytes(port)).await;
    let reply = patiently(peer.reply()).await;
    assert_eq!(reply.status, status, "{post:?}");
    assert_eq!(reply.header("connection"), Some("close"), "{post:?}");
    assert!(patiently(peer.is_closed()).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_says_when_its_connection_ends() {
    let running = Running::start(&server()).await;
    let port = running.port;
    let put = || add().start("PUT /mcp HTTP/1.1");
    let endless = |post: Post| {
        let mut post = post.header("Transfer-Encoding", "chunked");
        post.body = b"5\r\n     \r\n".to_vec();
        post
    };
    let broken = |post: Post| {
        let mut post = post.header("Transfer-Encoding", "chunked");
        post.body = b"nonsense\r\n".to_vec();
        post
    };
    for (post, status) in [
        (add().header("Connection", "close"), 200),
        (add().header("Connection", "Keep-Alive, Close"), 200),
        (put().header("Connection", "close"), 405),
        // Too long, and too late.
        (padded(&put(), 70_000), 405),
        (chunked(&padded(&put(), 70_000)), 405),
        (padded(&add(), 70_000), 413),
        (endless(put()), 405),
        (put().header("Content-Length", "1000"), 405),
        // It is unknown where these end.
        (broken(put()), 405),
        (broken(add()), 400),
        // The client may send the body, or not.
        (
            add()
                .header("Expect", "100-continue")
                .with("Accept", "text/html"),
            406,
        ),
    ] {
        says_close(port, &post, status).await;
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_head_that_is_refused_is_answered_and_ends_its_connection() {
    let running = Running::start(&server()).await;
    let port = running.port;
    let many = (0..5000).fold(add(), |post, _| post.header("X-Many", "1"));
    for (post, status) in [
        (many, 431),
        (add().header("X-Long", &"x".repeat(200_000)), 431),
        (
            add().start(&format!("POST /{} HTTP/1.1", "x".repeat(70_000))),
            414,
        ),
        (add().start("POST /mcp HTTP/9.9"), 400),
        (add().start("nonsense"), 400),
        (add().header("Content-Length", "x"), 400),
        (add().header("a b", "c"), 400),
    ] {
        for _ in 0..3 {
            says_close(port, &post, status).await;
        }
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_without_a_body_leave_their_connection_to_the_next_one() {
    let running = Running::start(&server()).await;
    let port = running.port;
    let mut peer = running.connect().await;
    for method in ["GET", "DELETE", "OPTIONS", "BREW"] {
        let post = Post::bytes_of(Vec::new()).start(&format!("{method} /mcp HTTP/1.1"));
        for post in [post.clone(), post.header("Expect", "100-continue")] {
            peer.write(&post.bytes(port)).await;
            let reply = patiently(peer.reply()).await;
            assert_eq!((reply.status, reply.header("connection")), (405, None));
        }
    }
    let head = Post::bytes_of(Vec::new()).start("HEAD /mcp HTTP/1.1");
    peer.write(&head.bytes(port)).await;
    assert_eq!(patiently(peer.head()).await.status, 405);
    let upgrade = add()
        .header("Connection", "Upgrade")
        .header("Upgrade", "h2c");
    peer.write(&upgrade.bytes(port)).await;
    let reply = patiently(peer.reply()).await;
    assert_eq!((reply.status, reply.header("connection")), (200, None));
    peer.write(&add().bytes(port)).await;
    assert_eq!(patiently(peer.reply()).await.status, 200);
    // A tunnel is no method of ours, and no body follows.
    let connect = Post::bytes_of(Vec::new()).start("CONNECT 127.0.0.1:1 HTTP/1.1");
    peer.write(&connect.bytes(port)).await;
    let reply = patiently(peer.reply()).await;
    assert!(reply.status >= 400, "{reply:?}");
    if reply.header("connection").is_none() {
        peer.write(&add().bytes(port)).await;
        assert_eq!(patiently(peer.reply()).await.status, 200);
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_is_idle_after_a_long_answer_is_closed() {
    let server = with_tool("rest", |_: Value, context: Context| async move {
        context.progress((1, 2));
        tokio::time::sleep(Duration::from_millis(20)).await;
        Ok::<_, ToolError>("rested")
    });
    let options = HttpOptions::new()
        .header_timeout(Duration::MAX)
        .idle_timeout(Duration::from_millis(80));
    let running = Running::start_with(&server.build().unwrap(), options).await;
    let rest = Post::new(
        "tools/call",
        json!({"name": "rest", "arguments": {}, "_meta": {}}),
    );
    let progress = rest
        .clone()
        .body(|body| body["params"]["_meta"]["progressToken"] = json!("p"));
    for post in [rest, progress] {
        let mut peer = running.connect().await;
        peer.write(&post.bytes(running.port)).await;
        let reply = patiently(peer.reply()).await;
        assert_eq!((reply.status, reply.header("connection")), (200, None));
        assert!(patiently(peer.is_closed()).await);
    }
    running.stop().await;
}
