//! A task that somebody else cancels while a client in the same process follows it.

use std::sync::{Arc, Mutex};

use mcp_runtime::prelude::*;
use mcp_runtime::{
    LeaseOwner, MemoryTaskStore, StoreFuture, StoredTask, TaskId, TaskLease, TaskQuota, TaskStore,
};
use serde_json::json;
use tokio::sync::Notify;

/// A store that tells the id of the last task.
#[derive(Debug, Default)]
struct Telling {
    tasks: MemoryTaskStore,
    last: Mutex<Option<TaskId>>,
}

impl TaskStore for Telling {
    fn create(&self, task: StoredTask, quota: TaskQuota, now: u64) -> StoreFuture<'_, ()> {
        *self.last.lock().unwrap() = Some(task.id);
        self.tasks.create(task, quota, now)
    }

    fn load(&self, id: TaskId) -> StoreFuture<'_, Option<StoredTask>> {
        self.tasks.load(id)
    }

    fn replace(&self, task: StoredTask) -> StoreFuture<'_, bool> {
        self.tasks.replace(task)
    }

    fn claim(
        &self,
        lease: TaskLease,
        now: u64,
        most: usize,
        except: &[TaskId],
    ) -> StoreFuture<'_, Vec<StoredTask>> {
        self.tasks.claim(lease, now, most, except)
    }

    fn renew(&self, lease: TaskLease) -> StoreFuture<'_, Vec<(TaskId, u64)>> {
        self.tasks.renew(lease)
    }

    fn release(&self, owner: LeaseOwner, only: Option<TaskId>) -> StoreFuture<'_, ()> {
        self.tasks.release(owner, only)
    }

    fn purge(&self, now: u64) -> StoreFuture<'_, usize> {
        self.tasks.purge(now)
    }
}

/// Tell that it has begun, and wait for ever.
#[mcp_tool(task = "required", group = "cancelled")]
async fn linger(begun: State<Arc<Notify>>, ctx: &Context) -> String {
    ctx.status("waiting");
    begun.notify_one();
    std::future::pending().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_somebody_cancels_is_an_outcome_that_failed() {
    let (store, begun) = (Arc::<Telling>::default(), Arc::<Notify>::default());
    let server = mcp_runtime::server!()
        .groups(["cancelled"])
        .state(Arc::clone(&begun))
        .task_store(Arc::clone(&store))
        .build()
        .unwrap();
    let client = server.client().tasks();
    let call = tokio::spawn(async move { client.call_async("linger", json!({})).await });
    begun.notified().await;
    let id = store.last.lock().unwrap().unwrap();
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
