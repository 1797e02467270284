//! The client with and without an async runtime: these tests hold for every choice of features.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::server::{Server, ServerBuilder};
use crate::{ToolError, client::Client};

fn schema() -> Value {
    json!({"type": "object", "properties": {}})
}

/// Waits for another thread.
async fn hand_over(_: Value) -> Result<&'static str, ToolError> {
    let (sender, receiver) = oneshot::channel();
    thread::spawn(move || sender.send("handed over"));
    receiver
        .await
        .map_err(|error| ToolError::new(error.to_string()))
}

fn server() -> Server {
    let wait = |_: Value| async {
        std::future::pending::<()>().await;
        Ok::<_, ToolError>("never")
    };
    ServerBuilder::new("client", "0.0.0")
        .call_timeout(Duration::from_millis(20))
        .register_tool("plain", "Return.", schema(), |_: Value| {
            Ok::<_, ToolError>("plain")
        })
        .register_tool("wait", "Wait for nothing.", schema(), wait)
        .build()
        .unwrap()
}

fn call(client: &Client, tool: &str) -> String {
    client.call_blocking(tool, json!({})).unwrap().text()
}

#[test]
fn functions_run_to_their_end_or_to_their_limit_of_time() {
    let client = server().client();
    assert_eq!(call(&client, "plain"), "plain");
    assert_eq!(call(&client, "wait"), "tool timed out");
    let long = ServerBuilder::new("client", "0.0.0")
        .register_tool("hand_over", "Wait for a thread.", schema(), hand_over)
        .build()
        .unwrap();
    assert_eq!(call(&long.client(), "hand_over"), "handed over");
}

#[test]
fn lists_and_changes_come_on_the_calling_thread() {
    let server = server();
    let client = server.client();
    assert_eq!(client.list_tools_blocking().unwrap().len(), 2);
    let filter = json!({"toolsListChanged": true});
    let mut changes = client.listen_blocking(filter).unwrap();
    server
        .register_tool("new", "New.", schema(), |_: Value| {
            Ok::<_, ToolError>("new")
        })
        .unwrap();
    let changed = changes.next_blocking().unwrap();
    assert_eq!(changed["method"], "notifications/tools/list_changed");
}
