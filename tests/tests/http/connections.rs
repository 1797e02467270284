//! How many connections there are at one time.

use mcp_runtime::HttpOptions;
use mcp_runtime::prelude::*;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::peer::{Post, Running};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_beyond_the_bound_waits_until_another_is_closed() {
    let (rung, mut rings) = mpsc::unbounded_channel();
    let server = mcp_runtime::server!()
        .register_tool(
            "ring",
            "Ring.",
            json!({"type": "object"}),
            move |_: Value| Ok::<_, ToolError>(rung.send(()).is_ok()),
        )
        .build()
        .unwrap();
    let options = HttpOptions::new().max_connections(2);
    let running = Running::start_with(&server, options).await;
    let post = Post::call("add", json!({"a": 2, "b": 3})).bytes(running.port);
    let ring = Post::call("ring", json!({})).bytes(running.port);
    let mut first = running.connect().await;
    let mut second = running.connect().await;
    for peer in [&mut first, &mut second] {
        peer.write(&post).await;
        assert_eq!(peer.reply().await.status, 200);
    }
    let mut third = running.connect().await;
    third.write(&ring).await;
    for _ in 0..50 {
        second.write(&post).await;
        assert_eq!(second.reply().await.status, 200);
        assert_eq!(rings.try_recv(), Err(mpsc::error::TryRecvError::Empty));
    }
    drop(first);
    assert_eq!(third.reply().await.status, 200);
    assert_eq!(rings.recv().await, Some(()));
    running.stop().await;
}
