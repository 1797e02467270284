//! Where functions run within layers, and what happens without a runtime.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use mcp_runtime::prelude::*;
use serde_json::{Value, json};
use tower::ServiceBuilder;
use tower::timeout::TimeoutLayer;

use super::builder;

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Drives a future without any runtime.
fn drive<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return value;
        }
        thread::park();
    }
}

#[test]
fn a_layer_that_needs_a_runtime_says_so_where_there_is_none() {
    let layer = TimeoutLayer::new(Duration::from_secs(60));
    let server = builder().layer(layer).build().unwrap();
    let outcome = drive(server.call("add", json!({"a": 2, "b": 3})));
    assert!(
        outcome.text().contains("there is no async runtime"),
        "{}",
        outcome.text()
    );
}

#[test]
fn other_layers_need_no_runtime() {
    let server = builder().layer(ServiceBuilder::new()).build().unwrap();
    for tool in ["add", "add_plain", "add_structured"] {
        let outcome = drive(server.call(tool, json!({"a": 2, "b": 3})));
        assert!(outcome.text().contains('5'), "{}", outcome.text());
    }
}

#[tokio::test]
async fn functions_run_where_they_are_declared_to() {
    let schema = || json!({"type": "object", "properties": {}});
    let thread_of = |_: Value| Ok::<_, ToolError>(format!("{:?}", thread::current().id()));
    let server = builder()
        .register_tool("inline", "Run.", schema(), thread_of.inline())
        .register_tool("plain", "Run.", schema(), thread_of)
        .layer(ServiceBuilder::new())
        .build()
        .unwrap();
    let here = format!("{:?}", thread::current().id());
    assert_eq!(server.call("inline", json!({})).await.text(), here);
    assert_ne!(server.call("plain", json!({})).await.text(), here);
    // A plain function may run a runtime of its own.
    assert_eq!(server.call("own_runtime", json!({})).await.text(), "ran");
    assert_eq!(server.call_blocking("own_runtime", json!({})).text(), "ran");
}
