//! Web pages of allowed origins: the preflight of a browser, and the headers that let a page read its answers.

use std::time::Duration;

use axum::Router;
use mcp_runtime::{Server, http::HttpOptions};
use serde_json::json;

use super::peer::{Peer, Post, Reply, Running, patiently};

const PAGE: &str = "https://app.example.com";
const HEADERS: &str =
    "authorization,content-type,mcp-method,mcp-name,mcp-param-region,mcp-protocol-version";

fn server() -> Server {
    mcp_runtime::server!().build().unwrap()
}

fn options() -> HttpOptions {
    HttpOptions::new().allow_origin(PAGE)
}

/// What a browser sends before the page's own request.
fn preflight(path: &str, origin: &str) -> Post {
    let mut preflight = Post::bytes_of(Vec::new()).start(&format!("OPTIONS {path} HTTP/1.1"));
    preflight.headers.clear();
    preflight
        .header("Origin", origin)
        .header("Access-Control-Request-Method", "POST")
        .header("Access-Control-Request-Headers", HEADERS)
}

fn add() -> Post {
    Post::call("add", json!({"a": 2, "b": 3}))
}

/// The names in a header that is a list.
fn names(reply: &Reply, header: &str) -> Vec<String> {
    let names = reply.header(header).unwrap_or_default().split(',');
    names.map(|name| name.trim().to_ascii_lowercase()).collect()
}

fn assert_readable(reply: &Reply, origin: &str) {
    let allowed = reply.header("access-control-allow-origin");
    assert_eq!(allowed, Some(origin), "{reply:?}");
    assert!(names(reply, "vary").contains(&"origin".into()), "{reply:?}");
    // Pages may read other headers of ours anyway (Fetch, "CORS-safelisted response-header name").
    let exposed = names(reply, "access-control-expose-headers");
    for name in ["retry-after", "allow", "accept-encoding"] {
        let is_readable = reply.header(name).is_none() || exposed.contains(&name.into());
        assert!(is_readable, "{reply:?}");
    }
}

fn assert_closed_to_pages(reply: &Reply) {
    for name in [
        "access-control-allow-origin",
        "access-control-allow-methods",
        "access-control-allow-headers",
        "access-control-allow-credentials",
        "access-control-expose-headers",
    ] {
        assert_eq!(reply.header(name), None, "{reply:?}");
    }
}

fn assert_preflight(reply: &Reply, origin: &str) {
    assert_eq!(reply.status, 204);
    assert_eq!(reply.body, b"");
    assert_eq!(reply.header("content-length"), None);
    assert_readable(reply, origin);
    assert!(names(reply, "access-control-allow-methods").contains(&"post".into()));
    let allowed = names(reply, "access-control-allow-headers");
    for name in HEADERS.split(',') {
        assert!(allowed.contains(&name.into()), "{name}");
    }
    assert!(reply.header("access-control-max-age").is_some());
    let varies = names(reply, "vary");
    assert!(varies.contains(&"access-control-request-headers".into()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_preflight_of_an_allowed_origin_is_answered() {
    let running = Running::start_with(&server(), options()).await;
    let own = format!("http://localhost:{}", running.port);
    let mut peer = running.connect().await;
    for origin in [PAGE, &own, "HTTPS://app.example.com:443"] {
        // On one connection, which then serves the call.
        peer.write(&preflight("/mcp", origin).bytes(running.port))
            .await;
        assert_preflight(&patiently(peer.reply()).await, origin);
        peer.write(&add().header("Origin", origin).bytes(running.port))
            .await;
        let reply = patiently(peer.reply()).await;
        assert_eq!(reply.code(), (200, 0));
        assert_readable(&reply, origin);
    }
    // A page that names no headers of its own.
    let bare = preflight("/mcp", PAGE).without("Access-Control-Request-Headers");
    let reply = running.send(&bare).await;
    assert_eq!(reply.status, 204);
    assert_eq!(reply.header("access-control-allow-headers"), None);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_foreign_origin_gets_no_preflight_and_no_headers() {
    let running = Running::start_with(&server(), options()).await;
    for origin in [
        "http://evil.example",
        "http://app.example.com",
        "https://app.example.com.evil.example",
        "https://app.example.com:8443",
        "http://localhost:1",
        "null",
        "",
        "*",
    ] {
        for post in [preflight("/mcp", origin), add().header("Origin", origin)] {
            let reply = running.send(&post).await;
            assert_eq!(reply.status, 403, "{origin}");
            assert_closed_to_pages(&reply);
        }
        let elsewhere = preflight("/other", origin);
        assert_closed_to_pages(&running.send(&elsewhere).await);
    }
    let twice = preflight("/mcp", PAGE).header("Origin", PAGE);
    let reply = running.send(&twice).await;
    assert_eq!(reply.status, 403);
    assert_closed_to_pages(&reply);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_preflight_is_a_method_that_is_not_served() {
    let running = Running::start_with(&server(), options()).await;
    let plain = Post::bytes_of(Vec::new()).start("OPTIONS /mcp HTTP/1.1");
    let reply = running.send(&plain).await;
    assert_eq!(reply.status, 405);
    assert_closed_to_pages(&reply);
    let of_page = plain.header("Origin", PAGE);
    let reply = running.send(&of_page).await;
    assert_eq!((reply.status, reply.header("allow")), (405, Some("POST")));
    assert_readable(&reply, PAGE);
    // A page that does not say where it is from gets no answer that it could read.
    let nowhere = preflight("/mcp", PAGE).without("Origin");
    assert_eq!(running.send(&nowhere).await.status, 405);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_can_read_every_refusal() {
    let options = options().rate_limit(20, Duration::from_secs(3600));
    let server = mcp_runtime::server!()
        .max_message_size(1000)
        .max_calls_in_flight(0);
    let running = Running::start_with(&server.build().unwrap(), options).await;
    let add = add().header("Origin", PAGE);
    let mut large = add.clone();
    large.body.resize(1001, b' ');
    let mut broken = add.clone();
    broken.body = b"{".to_vec();
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let listen = Post::new("subscriptions/listen", filter).header("Origin", PAGE);
    for (post, status) in [
        (add.clone(), 503),
        (add.clone().start("POST /other HTTP/1.1"), 404),
        (add.clone().start("GET /mcp HTTP/1.1"), 405),
        (add.clone().with("Content-Type", "text/plain"), 415),
        (add.clone().with("Accept", "text/html"), 406),
        (add.clone().with("Host", "evil.example"), 421),
        (
            add.clone().header("Transfer-Encoding", "gzip, chunked"),
            501,
        ),
        (add.clone().without("Mcp-Method"), 503),
        (Post::new("no/such", json!({})).header("Origin", PAGE), 404),
        (listen.with("Accept", "application/json"), 406),
        (large, 413),
        (broken, 400),
    ] {
        let reply = running.send(&post).await;
        assert_eq!(reply.status, status, "{post:?}");
        assert_readable(&reply, PAGE);
    }
    let limited = async {
        loop {
            let reply = running.send(&add).await;
            assert_readable(&reply, PAGE);
            if reply.status == 429 {
                break;
            }
        }
    };
    patiently(limited).await;
    // A page that has used up its requests still learns so.
    let reply = running.send(&preflight("/mcp", PAGE)).await;
    assert_preflight(&reply, PAGE);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_can_read_streams_and_acceptances() {
    let running = Running::start_with(&server(), options()).await;
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let listen = Post::new("subscriptions/listen", filter);
    let streams = [listen, add().with("Accept", "text/event-stream")];
    for post in streams {
        let mut peer = running.connect().await;
        let post = post.header("Origin", PAGE);
        peer.write(&post.bytes(running.port)).await;
        let head = patiently(peer.head()).await;
        assert_eq!(head.header("content-type"), Some("text/event-stream"));
        assert_readable(&head, PAGE);
    }
    let notification =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    let reply = running
        .send(&Post::raw(&notification).header("Origin", PAGE))
        .await;
    assert_eq!(reply.status, 202);
    assert_readable(&reply, PAGE);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_page_gets_no_headers_for_pages() {
    let running = Running::start_with(&server(), options()).await;
    assert_closed_to_pages(&running.send(&add()).await);
    assert_closed_to_pages(
        &running
            .send(&add().with("Content-Type", "text/plain"))
            .await,
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mounted_service_answers_preflights() {
    let service = server().into_service_with(options()).unwrap();
    let app = Router::new().route_service("/tools", service);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let mut peer = Peer::connect(port).await;
    peer.write(&preflight("/tools", PAGE).bytes(port)).await;
    assert_preflight(&patiently(peer.reply()).await, PAGE);
    let call = add().start("POST /tools HTTP/1.1").header("Origin", PAGE);
    peer.write(&call.bytes(port)).await;
    assert_readable(&patiently(peer.reply()).await, PAGE);
    serving.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_with_default_options_serves_no_other_host_and_no_foreign_page() {
    let running = Running::start(&server()).await;
    for (name, value, status) in [
        ("Origin", "http://evil.example", 403),
        ("Origin", "null", 403),
        ("Origin", PAGE, 403),
        ("Host", "evil.example", 421),
        ("Host", "localhost.evil.example", 421),
    ] {
        let reply = running.send(&add().header(name, value)).await;
        assert_eq!(reply.status, status, "{value}");
        assert_closed_to_pages(&reply);
    }
    assert_eq!(running.send(&add()).await.code(), (200, 0));
    running.stop().await;
}
