//! The service inside a router of somebody else.

use axum::Router;
use axum::routing::get;
use serde_json::json;

use super::peer::{Peer, Post};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_service_mounts_in_axum() {
    let server = mcp_runtime::server!().build().unwrap();
    let app = Router::new()
        .route_service("/tools/mcp", server.clone().into_service())
        .route("/health", get(|| async { "well" }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let mut peer = Peer::connect(port).await;
    let call = Post::call("add", json!({"a": 2, "b": 3})).start("POST /tools/mcp HTTP/1.1");
    peer.write(&call.bytes(port)).await;
    let reply = peer.reply().await;
    assert_eq!(reply.json()["result"]["content"][0]["text"], "5");
    peer.write(&call.clone().with("Host", "evil.example").bytes(port))
        .await;
    assert_eq!(peer.reply().await.status, 421);
    peer.write(format!("GET /health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").as_bytes())
        .await;
    assert_eq!(peer.reply().await.body, b"well");
    serving.abort();
}
