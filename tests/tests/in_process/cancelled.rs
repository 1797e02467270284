//! A task that somebody else cancels while a client in the same process follows it.

use std::sync::{Arc, Mutex};

use mcp_runtime::prelude::*;
use mcp_tests::store::{RecordedRequest, ToldStore};
use serde_json::json;
use tokio::sync::Notify;

/// Tell that it has begun, and wait for ever.
#[mcp_tool(task = "required", group = "cancelled")]
async fn linger(begun: State<Arc<Notify>>, ctx: &Context) -> String {
    ctx.status("waiting");
    begun.notify_one();
    std::future::pending().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_somebody_cancels_is_an_outcome_that_failed() {
    let begun = Arc::<Notify>::default();
    let last = Arc::new(Mutex::new(None));
    let created = Arc::clone(&last);
    let store = ToldStore::new(move |asked| {
        if let RecordedRequest::Create(id, _) = asked {
            *created.lock().unwrap() = Some(id);
        }
    });
    let server = mcp_runtime::server!()
        .groups(["cancelled"])
        .state(Arc::clone(&begun))
        .task_store(Arc::new(store))
        .build()
        .unwrap();
    let client = server.client().tasks();
    let call = tokio::spawn(async move { client.call("linger", json!({})).await });
    begun.notified().await;
    let id = last.lock().unwrap().unwrap();
    let cancel = json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/cancel", "params": {
        "taskId": id.to_string(),
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {
                "extensions": {"io.modelcontextprotocol/tasks": {}},
            },
        },
    }});
    let cancelled = server.handle(&cancel).await.unwrap();
    assert!(cancelled.get("result").is_some(), "{cancelled}");
    let outcome = call.await.unwrap().unwrap();
    assert!(outcome.is_error());
    assert_eq!(outcome.text(), "the task was cancelled");
    assert_eq!(outcome.error(), None);
    assert_eq!(outcome.result().unwrap()["status"], "cancelled");
    assert!(outcome.content().is_empty());
}
