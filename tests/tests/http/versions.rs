//! HTTP/2 without TLS, and HTTP/1.0.

use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http2;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use mcp_runtime::{ToolError, http::HttpOptions};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use super::lifecycle::Alarm;
use super::peer::{Post, Running, patiently};

fn request(post: &Post, authority: &str) -> Request<Full<Bytes>> {
    let mut request = Request::post(format!("http://{authority}/mcp"));
    for (name, value) in &post.headers {
        request = request.header(name, value);
    }
    request.body(Full::new(post.body.clone().into())).unwrap()
}

async fn client(port: u16) -> http2::SendRequest<Full<Bytes>> {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let (client, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
        .await
        .unwrap();
    tokio::spawn(connection);
    client
}

async fn json(response: Response<hyper::body::Incoming>) -> Value {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&bytes).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn http2_is_spoken_with_prior_knowledge() {
    let server = mcp_runtime::server!().build().unwrap();
    let running = Running::start(&server).await;
    let mut client = client(running.port).await;
    let local = format!("127.0.0.1:{}", running.port);
    let list = Post::new("tools/list", json!({}));
    let calls: Vec<_> = (0..10)
        .map(|_| client.send_request(request(&list, &local)))
        .collect();
    for call in calls {
        let response = call.await.unwrap();
        assert_eq!(response.status(), 200);
        assert!(json(response).await["result"]["tools"].is_array());
    }
    let evil = client
        .send_request(request(&list, "evil.example"))
        .await
        .unwrap();
    assert_eq!(evil.status(), 421);
    let echo = Post::call("echo", json!({"text": "x".repeat(300_000)}));
    let response = client.send_request(request(&echo, &local)).await.unwrap();
    let text = &json(response).await["result"]["content"][0]["text"];
    assert_eq!(text.as_str().unwrap().len(), 300_000);
    drop(client);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_bytes_may_come_one_by_one() {
    let running = Running::start(&mcp_runtime::server!().build().unwrap()).await;
    let local = format!("127.0.0.1:{}", running.port);
    let add = Post::call("add", json!({"a": 2, "b": 3}));
    for first in [1, 2, 3, 4, 5, 20] {
        // Passes on what the client sends, its first bytes one by one.
        let between = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = between.local_addr().unwrap();
        let port = running.port;
        let passing = tokio::spawn(async move {
            let mut client = between.accept().await.unwrap().0;
            let mut server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            server.set_nodelay(true).unwrap();
            for _ in 0..first {
                let byte = client.read_u8().await.unwrap();
                server.write_u8(byte).await.unwrap();
                // Gives the server time to see it alone; it must serve whatever it sees.
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            let (mut from_client, mut to_client) = client.split();
            let (mut from_server, mut to_server) = server.split();
            tokio::select! {
                _ = copy(&mut from_client, &mut to_server) => {}
                _ = copy(&mut from_server, &mut to_client) => {}
            }
        });
        let mut client = client(address.port()).await;
        let response = patiently(client.send_request(request(&add, &local)));
        let sum = json(response.await.unwrap()).await;
        assert_eq!(sum["result"]["content"][0]["text"], "5");
        drop(client);
        passing.await.unwrap();
        let mut peer = running.connect().await;
        let bytes = add.bytes(running.port);
        for byte in &bytes[..first] {
            peer.write(&[*byte]).await;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        peer.write(&bytes[first..]).await;
        assert_eq!(patiently(peer.reply()).await.code(), (200, 0));
    }
    // Whatever does not go on like HTTP/2 is HTTP/1.1.
    for (first, then) in [
        ("PR", "OPFIND /mcp HTTP/1.1\r\n"),
        ("PRI", "NT / HTTP/1.1\r\n"),
    ] {
        let mut peer = running.connect().await;
        peer.write(first.as_bytes()).await;
        tokio::time::sleep(Duration::from_millis(10)).await;
        peer.write(format!("{then}Host: {local}\r\n\r\n").as_bytes())
            .await;
        assert!([404, 405].contains(&patiently(peer.reply()).await.status));
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_is_reset_cancels_its_call_alone() {
    let (begun, mut begins) = mpsc::unbounded_channel();
    let (dropped, mut drops) = mpsc::unbounded_channel();
    let server = mcp_runtime::server!()
        .register_tool(
            "wait",
            "Wait.",
            json!({"type": "object"}),
            move |_: Value| {
                begun.send(()).unwrap();
                let alarm = Alarm(dropped.clone());
                async move {
                    std::future::pending::<()>().await;
                    drop(alarm);
                    Ok::<_, ToolError>("never")
                }
            },
        )
        .build()
        .unwrap();
    let running = Running::start(&server).await;
    let mut client = client(running.port).await;
    let local = format!("127.0.0.1:{}", running.port);
    let call = client.send_request(request(&Post::call("wait", json!({})), &local));
    let call = tokio::spawn(call);
    begins.recv().await.unwrap();
    call.abort();
    drops.recv().await.unwrap();
    let list = request(&Post::new("tools/list", json!({})), &local);
    assert_eq!(client.send_request(list).await.unwrap().status(), 200);
    drop(client);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_lets_nothing_flow_is_let_go() {
    let for_ever = Duration::from_secs(1_000_000);
    let options = HttpOptions::new()
        .max_connections(1)
        .header_timeout(for_ever)
        .idle_timeout(for_ever)
        .keep_alive(Duration::from_millis(1))
        .write_timeout(Duration::from_millis(50));
    let server = mcp_runtime::server!().build().unwrap();
    let running = Running::start_with(&server, options).await;
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let listen = Post::new("subscriptions/listen", filter);
    let add = Post::call("add", json!({"a": 2, "b": 3}));
    // What cannot begin to flow, and what stops after a while.
    for (post, window) in [(&add, 0), (&listen, 0), (&listen, 500)] {
        let stream = TcpStream::connect(("127.0.0.1", running.port))
            .await
            .unwrap();
        let (mut client, connection) = http2::Builder::new(TokioExecutor::new())
            .initial_stream_window_size(window)
            .handshake(TokioIo::new(stream))
            .await
            .unwrap();
        let connection = tokio::spawn(connection);
        let local = format!("127.0.0.1:{}", running.port);
        let response = client.send_request(request(post, &local)).await.unwrap();
        assert_eq!(response.status(), 200);
        // How it ends is not told by the server.
        let _ended = patiently(connection).await.unwrap();
    }
    assert_eq!(patiently(running.send(&add)).await.status, 200);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_reads_may_be_silent_for_long() {
    let options = HttpOptions::new()
        .keep_alive(Duration::from_millis(300))
        .write_timeout(Duration::from_millis(200));
    let server = mcp_runtime::server!().build().unwrap();
    let running = Running::start_with(&server, options).await;
    let mut client = client(running.port).await;
    let local = format!("127.0.0.1:{}", running.port);
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let listen = Post::new("subscriptions/listen", filter);
    let response = client.send_request(request(&listen, &local)).await.unwrap();
    let mut body = response.into_body();
    let list = Post::new("tools/list", json!({}));
    for _ in 0..4 {
        assert!(patiently(body.frame()).await.unwrap().is_ok());
        let response = client.send_request(request(&list, &local)).await.unwrap();
        assert_eq!(response.status(), 200);
    }
    drop((client, body));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn http_1_0_is_answered_and_closed() {
    let server = mcp_runtime::server!().build().unwrap();
    let running = Running::start(&server).await;
    let mut peer = running.connect().await;
    let list = Post::new("tools/list", json!({})).start("POST /mcp HTTP/1.0");
    peer.write(&list.bytes(running.port)).await;
    assert_eq!(peer.reply().await.code(), (200, 0));
    assert!(peer.is_closed().await);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_that_nobody_takes_are_bounded_together() {
    // One sender has three quarters, which is room for two of these answers.
    let server = mcp_runtime::server!()
        .max_answer_memory(140_000)
        .register_tool(
            "long",
            "Says much.",
            json!({"type": "object"}),
            |_: Value| Ok::<_, ToolError>("x".repeat(50_000)),
        )
        .build()
        .unwrap();
    let running = Running::start(&server).await;
    let stream = TcpStream::connect(("127.0.0.1", running.port))
        .await
        .unwrap();
    let (mut client, connection) = http2::Builder::new(TokioExecutor::new())
        .initial_stream_window_size(0)
        .handshake(TokioIo::new(stream))
        .await
        .unwrap();
    let connection = tokio::spawn(connection);
    let local = format!("127.0.0.1:{}", running.port);
    let mut untaken = Vec::new();
    let mut statuses = Vec::new();
    for _ in 0..4 {
        let long = request(&Post::call("long", json!({})), &local);
        let response = patiently(client.send_request(long)).await.unwrap();
        statuses.push(response.status().as_u16());
        untaken.push(response);
    }
    assert_eq!(statuses, [200, 200, 503, 503]);
    // Whoever goes takes what was kept along.
    drop((untaken, client));
    connection.abort();
    loop {
        let reply = running
            .send(&Post::call("add", json!({"a": 1, "b": 1})))
            .await;
        match reply.status {
            503 => tokio::task::yield_now().await,
            status => break assert_eq!(status, 200),
        }
    }
    running.stop().await;
}
