//! Async functions that wait for timers and tasks of a runtime, whatever thread calls them.

use std::time::Duration;

use mcp_runtime::Principal;
use mcp_runtime::prelude::*;
use serde_json::{Value, json};

/// Wait for a timer, and for a task.
#[mcp_tool(group = "waiting", timeout = "20s")]
async fn nap(ctx: &Context) -> Result<String, ToolError> {
    rest().await?;
    let name = ctx.principal().map_or("somebody", Principal::id);
    Ok(format!("{name} is rested"))
}

/// Sing for one who waits for a timer.
#[mcp_prompt(group = "waiting")]
async fn lullaby() -> Result<String, ToolError> {
    rest().await?;
    Ok("Hush.".to_owned())
}

/// A bed that has to be made first.
#[mcp_resource("bed://{id}", group = "waiting")]
async fn bed(id: u32) -> Result<String, ResourceError> {
    rest().await?;
    Ok(format!("bed {id}"))
}

async fn rest() -> Result<(), tokio::task::JoinError> {
    let moment = Duration::from_millis(1);
    tokio::time::sleep(moment).await;
    tokio::spawn(tokio::time::sleep(moment)).await
}

/// Receive more than tokio lets one poll of a task receive.
#[mcp_tool(group = "waiting", timeout = "20s")]
async fn receive() -> usize {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    for number in 0..1000 {
        let _ = sender.send(number);
    }
    drop(sender);
    let mut received = 0;
    while receiver.recv().await.is_some() {
        received += 1;
    }
    received
}

/// Wait for nothing.
#[mcp_tool(group = "waiting", timeout = "20ms")]
async fn forever() {
    std::future::pending().await
}

/// Run a runtime, as blocking clients of HTTP do inside.
#[mcp_tool(group = "waiting")]
fn runtime() -> Result<&'static str, std::io::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    Ok(runtime.block_on(async { "it ran" }))
}

fn server() -> Server {
    mcp_runtime::server!().groups(["waiting"]).build().unwrap()
}

fn request(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

/// Everything that waits on the calling thread.
fn all_wait() {
    let server = server();
    assert_eq!(
        server.call_blocking("nap", json!({})).text(),
        "somebody is rested"
    );
    let ada = Principal::new("ada");
    let outcome = server.call_as_blocking(&ada, "nap", json!({}));
    assert_eq!(outcome.text(), "ada is rested");
    let prompt = server.get_prompt_blocking("lullaby", json!({}));
    assert_eq!(prompt["messages"][0]["content"]["text"], "Hush.");
    assert_eq!(
        server.read_resource_blocking("bed://7")["contents"][0]["text"],
        "bed 7"
    );
    assert_eq!(server.call_blocking("receive", json!({})).text(), "1000");
    assert_eq!(
        server.call_blocking("forever", json!({})).text(),
        "tool timed out"
    );
    assert_eq!(server.call_blocking("runtime", json!({})).text(), "it ran");

    let message = request("tools/call", json!({"name": "nap"}));
    let response = server.handle_request(&message).unwrap();
    assert_eq!(
        response["result"]["content"][0]["text"],
        "somebody is rested"
    );
    let mut out = Vec::new();
    server.handle_message_blocking(message.to_string().as_bytes(), &mut out);
    assert_eq!(serde_json::from_slice::<Value>(&out).unwrap(), response);
}

#[test]
fn functions_wait_on_a_thread_without_a_runtime() {
    all_wait();
}

#[tokio::test]
async fn functions_wait_on_the_thread_of_a_runtime() {
    all_wait();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn functions_wait_on_a_worker_of_a_runtime() {
    tokio::spawn(async { all_wait() }).await.unwrap();
}
