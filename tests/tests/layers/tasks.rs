//! Layers around tasks: the request that creates one, and each run.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;

use mcp_runtime::layer::{BoxError, CallRequest};
use mcp_runtime::prelude::*;
use serde_json::json;
use tokio::sync::Semaphore;
use tower::ServiceBuilder;
use tower::util::MapRequestLayer;

use super::{Tenant, builder};

/// Name the tenant, as a task.
#[mcp_tool(task = "required", group = "tasks")]
async fn task(tenant: Extension<Tenant>) -> String {
    tokio::task::yield_now().await;
    tenant.0.0.to_owned()
}

/// Ask before it answers, as a task.
#[mcp_tool(task = "required", group = "tasks")]
async fn task_that_asks(ctx: &Context) -> Result<String, ToolError> {
    let confirm: ElicitOutcome<super::Confirm> = ctx.elicit("confirm", "Really?").await?;
    Ok(match confirm {
        ElicitOutcome::Accepted(super::Confirm { yes: true }) => "confirmed".to_owned(),
        _ => "refused".to_owned(),
    })
}

static BEGUN: Semaphore = Semaphore::const_new(0);
static GATE: Semaphore = Semaphore::const_new(0);
static STEPS: AtomicUsize = AtomicUsize::new(0);

/// Run a step that waits, as a task.
#[mcp_tool(task = "required", group = "tasks")]
async fn task_with_step(ctx: &Context) -> Result<String, ToolError> {
    let step = async {
        STEPS.fetch_add(1, Ordering::Relaxed);
        BEGUN.add_permits(1);
        GATE.acquire().await?.forget();
        Ok::<_, ToolError>("done".to_owned())
    };
    ctx.once("step", step).await
}

#[tokio::test]
async fn a_step_within_layers_is_committed_before_the_tasks_are_drained() {
    let builder = builder().groups(["tasks"]).layer(ServiceBuilder::new());
    let server = builder.build().unwrap();
    let client = server.client().tasks();
    let called = tokio::spawn(async move { client.call("task_with_step", json!({})).await });
    BEGUN.acquire().await.unwrap().forget();
    {
        let mut drained = pin!(server.drain_tasks());
        let is_draining = poll_fn(|task| Poll::Ready(drained.as_mut().poll(task).is_pending()));
        assert!(is_draining.await, "the step still runs");
        // One more than the step needs, for the case that it runs again.
        GATE.add_permits(2);
        drained.await;
    }
    server.stop_tasks().await;
    server.resume_tasks();
    assert_eq!(called.await.unwrap().unwrap().text(), "done");
    assert_eq!(STEPS.load(Ordering::Relaxed), 1);
}

#[test]
fn the_creation_and_each_run_of_a_task_pass_the_layers() {
    let runs = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&runs);
    let layer = MapRequestLayer::new(move |mut call: CallRequest| {
        log.lock()
            .unwrap()
            .push((call.name().to_owned(), call.is_task_run()));
        call.extensions_mut().insert(Tenant("otters"));
        call
    });
    let server = builder().groups(["tasks"]).layer(layer).build().unwrap();
    let client = server
        .client()
        .tasks()
        .answer("confirm", json!({"yes": true}));
    assert_eq!(
        client.call_blocking("task", json!({})).unwrap().text(),
        "otters"
    );
    assert_eq!(
        client
            .call_blocking("task_that_asks", json!({}))
            .unwrap()
            .text(),
        "confirmed"
    );
    let runs = runs.lock().unwrap();
    let of = |name: &str| -> Vec<bool> {
        let of_name = runs.iter().filter(|(other, _)| other == name);
        of_name.map(|(_, is_run)| *is_run).collect()
    };
    assert_eq!(of("task"), [false, true]);
    assert_eq!(of("task_that_asks"), [false, true]);
}

#[test]
fn a_layer_that_refuses_a_run_fails_the_task() {
    let layer = ServiceBuilder::new().filter(|call: CallRequest| {
        if call.is_task_run() {
            Err(BoxError::from("no runs today"))
        } else {
            Ok(call)
        }
    });
    let server = builder().groups(["tasks"]).layer(layer).build().unwrap();
    let outcome = server
        .client()
        .tasks()
        .call_blocking("task", json!({}))
        .unwrap();
    assert!(outcome.is_error());
    assert!(
        outcome.text().contains("no runs today"),
        "{}",
        outcome.text()
    );
}
