//! Requests in odd shapes, clients that go at any point of one, and streams of HTTP/2 that are opened and left.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::{Body, Bytes, Frame};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use mcp_runtime::{ToolError, http::HttpOptions};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use super::lifecycle::{Alarm, with_tool};
use super::peer::{Post, Running, patiently};

fn add() -> Post {
    Post::call("add", json!({"a": 2, "b": 3}))
}

/// Each byte in a chunk of its own, with an extension, and something behind the last.
fn in_chunks(post: &Post, extension: &str, trailers: &str) -> Post {
    let mut chunked = post.clone().header("Transfer-Encoding", "chunked");
    let chunks = post.body.iter().flat_map(|byte| {
        let start = format!("1{extension}\r\n").into_bytes();
        [&start[..], &[*byte], b"\r\n"].concat()
    });
    chunked.body = chunks.collect();
    chunked
        .body
        .extend(format!("0{extension}\r\n{trailers}\r\n").bytes());
    chunked
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn chunks_may_have_extensions_and_trailers_which_mean_nothing() {
    let running = Running::start(&mcp_runtime::server!().build().unwrap()).await;
    // None of these counts as a header: they come when the headers have been judged.
    let trailers = "Mcp-Method: tools/list\r\nMcp-Name: other\r\nHost: evil.example\r\n\
        Origin: http://evil.example\r\nContent-Length: 5\r\n";
    let mut peer = running.connect().await;
    for (extension, trailers) in [
        ("", ""),
        (";a", ""),
        ("; a=\"b;c\" ;d=e", ""),
        ("", trailers),
        (";a", trailers),
    ] {
        let post = in_chunks(&add(), extension, trailers);
        peer.write(&post.bytes(running.port)).await;
        let reply = patiently(peer.reply()).await;
        assert_eq!(reply.json()["result"]["content"][0]["text"], "5");
    }
    // Neither do they make up for a header that is missing.
    let nameless = in_chunks(&add().without("Mcp-Name"), "", "Mcp-Name: add\r\n");
    peer.write(&nameless.bytes(running.port)).await;
    assert_eq!(patiently(peer.reply()).await.code(), (400, -32020));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn extensions_trailers_and_headers_are_bounded() {
    let running = Running::start(&mcp_runtime::server!().build().unwrap()).await;
    let long = "x".repeat(40_000);
    let trailer = format!("X-Long: {long}\r\n");
    let many = "X-Many: 1\r\n".repeat(2000);
    for (post, status) in [
        (in_chunks(&add(), &format!(";a={long}"), ""), 400),
        (in_chunks(&add(), "", &trailer), 400),
        (in_chunks(&add(), "", &many), 400),
    ] {
        let reply = patiently(running.send(&post)).await;
        assert_eq!(reply.status, status);
        assert_eq!(reply.header("connection"), Some("close"));
    }
    let headers = (0..5000).fold(add(), |post, _| post.header("X-Many", "1"));
    assert_eq!(patiently(running.send(&headers)).await.status, 431);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_may_go_at_any_point_of_a_request() {
    let server = with_tool("wait", |_: Value| async {
        std::future::pending::<()>().await;
        Ok::<_, ToolError>("never")
    });
    let for_ever = Duration::MAX;
    // With room for one, nobody is served until the one before is forgotten.
    let options = HttpOptions::new()
        .max_connections(1)
        .header_timeout(for_ever)
        .body_timeout(for_ever)
        .idle_timeout(for_ever)
        .write_timeout(for_ever);
    let server = server.call_timeout(for_ever).build().unwrap();
    let running = Running::start_with(&server, options).await;
    let whole = add().bytes(running.port);
    let head = whole.len() - add().body.len();
    let chunked = in_chunks(&add(), "", "X-After: 1\r\n").bytes(running.port);
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let listen = Post::new("subscriptions/listen", filter).bytes(running.port);
    let wait = Post::call("wait", json!({})).bytes(running.port);
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    for sent in [
        &whole[..0],
        &whole[..3],
        &whole[..head - 1],
        &whole[..head],
        &whole[..head + 10],
        &whole,
        &whole.repeat(20),
        &whole.repeat(2)[..whole.len() + 10],
        &chunked[..chunked.len() - 3],
        &listen,
        &wait,
        &[&wait[..], &whole].concat(),
        &[&wait[..], &whole[..10]].concat(),
        &preface[..2],
        &preface[..10],
        preface,
    ] {
        let mut peer = running.connect().await;
        peer.write(sent).await;
        drop(peer);
        let reply = patiently(running.send(&add())).await;
        assert_eq!(reply.code(), (200, 0), "{}", sent.escape_ascii());
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_that_are_opened_and_left_hold_nothing() {
    let (begun, mut begins) = mpsc::unbounded_channel();
    let (dropped, mut drops) = mpsc::unbounded_channel();
    let server = with_tool("wait", move |_: Value| {
        begun.send(()).unwrap();
        let alarm = Alarm(dropped.clone());
        async move {
            std::future::pending::<()>().await;
            drop(alarm);
            Ok::<_, ToolError>("never")
        }
    });
    let options = HttpOptions::new().body_timeout(Duration::from_secs(1));
    let server = server.max_calls_in_flight(4).build().unwrap();
    let running = Running::start_with(&server, options).await;
    let stream = TcpStream::connect(("127.0.0.1", running.port)).await;
    let (mut client, connection) = http2::Builder::new(TokioExecutor::new())
        .handshake(TokioIo::new(stream.unwrap()))
        .await
        .unwrap();
    tokio::spawn(connection);
    let request = |post: &Post| {
        let mut request = Request::post(format!("http://127.0.0.1:{}/mcp", running.port));
        for (name, value) in &post.headers {
            request = request.header(name, value);
        }
        request
    };
    // Bodies that never come are answered, each on its own stream.
    let never = || Never.boxed();
    let calls: Vec<_> = (0..20)
        .map(|_| client.send_request(request(&add()).body(never()).unwrap()))
        .collect();
    for call in calls {
        let response = patiently(call).await.unwrap();
        assert_eq!(response.status(), 408);
        assert_eq!(response.headers().get("connection"), None);
    }
    // Calls whose streams are reset make room for others, however many there were.
    let wait = Post::call("wait", json!({}));
    for _ in 0..40 {
        let body = Full::new(Bytes::from(wait.body.clone())).boxed();
        let call = tokio::spawn(client.send_request(request(&wait).body(body).unwrap()));
        patiently(begins.recv()).await.unwrap();
        call.abort();
        patiently(drops.recv()).await.unwrap();
    }
    let body = Full::new(Bytes::from(add().body)).boxed();
    let response = patiently(client.send_request(request(&add()).body(body).unwrap())).await;
    assert_eq!(response.unwrap().status(), 200);
    drop(client);
    running.stop().await;
}

/// A body without a beginning and an end.
struct Never;

impl Body for Never {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }
}
