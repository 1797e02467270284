//! Layers around tasks: the request that creates one, and each run.

use std::sync::{Arc, Mutex};

use mcp_runtime::prelude::*;
use mcp_runtime::{BoxError, CallRequest};
use serde_json::json;
use tower::ServiceBuilder;
use tower::util::MapRequestLayer;

use super::{Tenant, builder};

/// Name the tenant, as a task.
#[mcp_tool(task = "required", group = "tasks")]
async fn task(tenant: mcp_runtime::Extension<Tenant>) -> String {
    tokio::task::yield_now().await;
    tenant.0.0.to_owned()
}

/// Ask before it answers, as a task.
#[mcp_tool(task = "required", group = "tasks")]
async fn task_that_asks(ctx: &Context) -> Result<String, ToolError> {
    let confirm: Elicited<super::Confirm> = ctx.elicit("confirm", "Really?").await?;
    Ok(match confirm {
        Elicited::Accepted(super::Confirm { yes: true }) => "confirmed".to_owned(),
        _ => "refused".to_owned(),
    })
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
    assert_eq!(client.call("task", json!({})).unwrap().text(), "otters");
    assert_eq!(
        client.call("task_that_asks", json!({})).unwrap().text(),
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
    let outcome = server.client().tasks().call("task", json!({})).unwrap();
    assert!(outcome.is_error());
    assert!(
        outcome.text().contains("no runs today"),
        "{}",
        outcome.text()
    );
}
