//! What a function learns of its request, and tells its client before the result.

use mcp_runtime::Capability;
use mcp_runtime::prelude::*;
use serde_json::json;

use super::peer::{Post, Running};

/// Tell of progress as often as asked, and go on only with a client that has a model.
#[mcp_tool(group = "context")]
fn demand(told: u32, ctx: &Context) -> Result<&'static str, ToolError> {
    for number in 1..=told {
        ctx.progress(f64::from(number));
    }
    ctx.require(Capability::Sampling)?;
    Ok("served")
}

/// A prompt for clients with a model.
#[mcp_prompt(group = "context")]
fn demanding(ctx: &Context) -> Result<String, ToolError> {
    ctx.require(Capability::Sampling)?;
    Ok("served".into())
}

/// A resource for clients with a model.
#[mcp_resource("demanding://it", group = "context")]
fn demanding_resource(ctx: &Context) -> Result<String, ResourceError> {
    ctx.require(Capability::Sampling)?;
    Ok("served".into())
}

async fn running() -> Running {
    let server = mcp_runtime::server!().groups(["context"]).build().unwrap();
    Running::start(&server).await
}

/// A call whose client wants to hear of progress.
fn told(post: Post) -> Post {
    post.body(|body| body["params"]["_meta"]["progressToken"] = json!(0))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_capability_is_a_bad_request_while_nothing_has_been_sent() {
    let running = running().await;
    for post in [
        told(Post::call("demand", json!({"told": 0}))),
        Post::new("prompts/get", json!({"name": "demanding"})),
        Post::new("resources/read", json!({"uri": "demanding://it"}))
            .header("Mcp-Name", "demanding://it"),
    ] {
        let reply = running.send(&post).await;
        assert_eq!(reply.code(), (400, -32021), "{post:?}");
        assert_eq!(reply.header("content-type"), Some("application/json"));
        assert_eq!(
            reply.json()["error"]["data"],
            json!({"requiredCapabilities": {"sampling": {}}})
        );
        let able = post.body(|body| {
            body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
                json!({"sampling": {}});
        });
        assert_eq!(running.send(&able).await.code(), (200, 0));
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_capability_found_missing_later_ends_the_stream_with_the_error() {
    let running = running().await;
    let reply = running
        .send(&told(Post::call("demand", json!({"told": 2}))))
        .await;
    assert_eq!(reply.status, 200);
    let events = reply.events();
    assert_eq!(events.len(), 3, "{events:?}");
    assert_eq!(events[1]["params"]["progress"], 2.0);
    assert_eq!(events[2]["error"]["code"], -32021);
    running.stop().await;
}
