//! Layers of tower, unchanged.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_runtime::layer::{BoxError, CallRequest, CallResponse};
use mcp_runtime::prelude::*;
use serde_json::json;
use tokio::sync::{Notify, Semaphore};
use tower::limit::ConcurrencyLimitLayer;
use tower::load_shed::LoadShedLayer;
use tower::retry::{Policy, RetryLayer};
use tower::timeout::TimeoutLayer;
use tower::{ServiceBuilder, ServiceExt as _};

use super::builder;

#[test]
fn a_timeout_ends_a_call_and_says_so() {
    let layer = TimeoutLayer::new(Duration::from_millis(1));
    let server = builder().layer(layer).build().unwrap();
    let outcome = server.call_blocking("wait", json!({}));
    assert!(outcome.is_error());
    assert_eq!(outcome.text(), "Error: request timed out");
}

#[tokio::test]
async fn a_timeout_ends_a_call_within_a_runtime() {
    let layer = TimeoutLayer::new(Duration::from_millis(1));
    let server = builder().layer(layer).build().unwrap();
    let outcome = server.call("wait", json!({})).await;
    assert_eq!(outcome.text(), "Error: request timed out");
}

#[test]
fn errors_of_layers_are_masked_like_those_of_functions() {
    let layer = TimeoutLayer::new(Duration::from_millis(1));
    let server = builder().mask_errors().layer(layer).build().unwrap();
    let outcome = server.call_blocking("wait", json!({}));
    assert_eq!(outcome.text(), "Error: the tool failed");
}

/// Tries a call once more if it has failed, so that its second response counts.
#[derive(Clone)]
struct Again(Option<()>);

impl Policy<CallRequest, CallResponse, BoxError> for Again {
    type Future = std::future::Ready<()>;

    fn retry(
        &mut self,
        _: &mut CallRequest,
        outcome: &mut Result<CallResponse, BoxError>,
    ) -> Option<Self::Future> {
        let has_failed = outcome.as_ref().map_or(true, CallResponse::is_error);
        self.0.take_if(|()| has_failed).map(std::future::ready)
    }

    fn clone_request(&mut self, call: &CallRequest) -> Option<CallRequest> {
        Some(call.clone())
    }
}

#[test]
fn a_failed_call_is_retried() {
    let calls = Arc::new(AtomicUsize::new(0));
    let flaky = {
        let calls = Arc::clone(&calls);
        move |_: serde_json::Value| match calls.fetch_add(1, Ordering::Relaxed) {
            0 => Err(ToolError::new("not yet")),
            count => Ok(count),
        }
    };
    let schema = json!({"type": "object", "properties": {}});
    let server = builder()
        .register_tool("flaky", "Fail at first.", schema, flaky)
        .layer(RetryLayer::new(Again(Some(()))))
        .build()
        .unwrap();
    assert_eq!(server.call_blocking("flaky", json!({})).text(), "1");
    assert_eq!(calls.load(Ordering::Relaxed), 2);
}

/// Two tools that tell when they are entered, and end with permits.
fn gated(entered: &Arc<Semaphore>, gate: &Arc<Semaphore>) -> ServerBuilder {
    let schema = || json!({"type": "object", "properties": {}});
    let handler = || {
        let (entered, gate) = (Arc::clone(entered), Arc::clone(gate));
        move |_: serde_json::Value| {
            let (entered, gate) = (Arc::clone(&entered), Arc::clone(&gate));
            async move {
                entered.add_permits(1);
                gate.acquire().await?.forget();
                Ok::<_, ToolError>("done")
            }
        }
    };
    builder()
        .register_tool("render", "Render.", schema(), handler())
        .register_tool("other", "Do something else.", schema(), handler())
}

async fn text(server: &Server, tool: &str) -> String {
    server.call(tool, json!({})).await.text()
}

#[tokio::test]
async fn a_concurrency_limit_for_one_tool_leaves_the_others_alone() {
    let (entered, gate) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let limit = ServiceBuilder::new()
        .layer(LoadShedLayer::new())
        .layer(ConcurrencyLimitLayer::new(2));
    let server = gated(&entered, &gate)
        .layer_for(|call: &CallRequest| call.name() == "render", limit)
        .build()
        .unwrap();
    let start = |tool: &'static str| {
        let server = server.clone();
        tokio::spawn(async move { text(&server, tool).await })
    };
    let (first, second) = (start("render"), start("render"));
    entered.acquire_many(2).await.unwrap().forget();
    assert_eq!(text(&server, "render").await, "Error: service overloaded");
    let other = start("other");
    entered.acquire().await.unwrap().forget();
    gate.add_permits(3);
    for call in [first, second, other] {
        assert_eq!(call.await.unwrap(), "done");
    }
    gate.add_permits(1);
    assert_eq!(text(&server, "render").await, "done", "there is room again");
}

#[tokio::test]
async fn a_concurrency_limit_holds_for_calls_that_were_dropped() {
    let (entered, gate) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let server = gated(&entered, &gate)
        .layer(ConcurrencyLimitLayer::new(1))
        .build()
        .unwrap();
    let waiting = tokio::spawn({
        let server = server.clone();
        async move { text(&server, "render").await }
    });
    entered.acquire().await.unwrap().forget();
    waiting.abort();
    assert!(waiting.await.unwrap_err().is_cancelled());
    gate.add_permits(1);
    assert_eq!(text(&server, "render").await, "done");
}

#[tokio::test]
async fn a_call_over_the_limit_waits_for_its_turn() {
    let (entered, gate) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let server = gated(&entered, &gate)
        .layer(ConcurrencyLimitLayer::new(1))
        .build()
        .unwrap();
    let begun = Arc::new(Notify::new());
    let calls = [(), ()].map(|()| {
        let (server, begun) = (server.clone(), Arc::clone(&begun));
        tokio::spawn(async move {
            begun.notify_one();
            text(&server, "render").await
        })
    });
    entered.acquire().await.unwrap().forget();
    assert_eq!(entered.available_permits(), 0);
    gate.add_permits(2);
    for call in calls {
        assert_eq!(call.await.unwrap(), "done");
    }
}

#[test]
fn a_service_of_a_user_is_built_from_functions() {
    let layer = tower::layer::layer_fn(|inner: mcp_runtime::layer::CallService| {
        tower::service_fn(move |call: CallRequest| {
            let inner = inner.clone();
            async move {
                let response: CallResponse = inner.oneshot(call).await?;
                Ok::<_, BoxError>(response)
            }
        })
    });
    let server = builder().layer(layer).build().unwrap();
    assert_eq!(
        server
            .call_blocking("add_async", json!({"a": 2, "b": 3}))
            .text(),
        "5"
    );
}
