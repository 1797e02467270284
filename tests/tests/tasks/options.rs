//! What the builder says of tasks, as clients see it.

use std::time::Duration;

use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use crate::block::ask;

/// Say hello.
#[mcp_tool(task = "required", group = "options")]
async fn hello() -> String {
    "hello".to_owned()
}

fn created(build: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Value {
    let builder = mcp_runtime::server!().groups(["options"]);
    let server = build(builder).build().unwrap();
    ask(&server, "tools/call", json!({"name": "hello"}))
}

#[test]
fn clients_are_told_how_long_a_task_is_kept_and_how_often_to_poll() {
    let task = created(|builder| {
        builder
            .task_ttl(Duration::from_secs(90))
            .task_poll_interval(Duration::from_millis(250))
    });
    assert_eq!(
        (&task["ttlMs"], &task["pollIntervalMs"]),
        (&json!(90_000), &json!(250))
    );
    let task = created(|builder| builder.task_poll_interval(Duration::ZERO));
    assert_eq!(
        (&task["ttlMs"], &task["pollIntervalMs"]),
        (&json!(86_400_000), &json!(1))
    );
}

#[test]
fn a_task_that_is_kept_for_ever_says_so() {
    let task = created(|builder| builder.task_ttl(None));
    assert_eq!(task["ttlMs"], Value::Null);
    assert!(
        task.as_object().unwrap().contains_key("ttlMs"),
        "it has to be there"
    );
}
