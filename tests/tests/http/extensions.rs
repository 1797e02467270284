//! Extensions and headers of an HTTP request, as functions read them.

use axum::http::HeaderMap;
use mcp_runtime::prelude::*;
use mcp_runtime::{Extension, Server, context::Extensions, http::HttpOptions};
use serde_json::{Value, json};

use super::middleware::{Mounted, Tenant};
use super::peer::{Post, Running};

fn traced(extensions: &Extensions) -> Option<&str> {
    let headers = extensions.get::<HeaderMap>()?;
    headers.get("x-trace")?.to_str().ok()
}

/// Name the tenant where the request was read.
#[mcp_tool(group = "extensions", inline)]
fn tenant_inline(tenant: Extension<Tenant>) -> String {
    tenant.0.0
}

/// Name the tenant on a thread that may block.
#[mcp_tool(group = "extensions")]
fn tenant_plain(tenant: Extension<Tenant>, ctx: &Context) -> String {
    format!("{} {:?}", tenant.0.0, traced(ctx.extensions()))
}

/// Name the tenant later.
#[mcp_tool(group = "extensions")]
async fn tenant_async(tenant: Extension<Tenant>, ctx: &Context) -> String {
    tokio::task::yield_now().await;
    format!("{} {:?}", tenant.0.0, traced(ctx.extensions()))
}

/// Returns `true` if the request has a tenant.
#[mcp_tool(group = "extensions")]
fn has_tenant(ctx: &Context) -> bool {
    ctx.extensions().get::<Tenant>().is_some()
}

/// Greet in the tenant's name.
#[mcp_prompt(group = "extensions")]
fn greet(tenant: Extension<Tenant>) -> String {
    format!("Greetings from {}.", tenant.0.0)
}

/// The tenant's notes.
#[mcp_resource("notes://today", group = "extensions")]
fn notes(tenant: Extension<Tenant>, ctx: &Context) -> String {
    format!("notes of {} {:?}", tenant.0.0, traced(ctx.extensions()))
}

fn server() -> Server {
    let builder = mcp_runtime::server!().groups(["extensions"]);
    builder.build().unwrap()
}

fn sent(post: Post) -> Post {
    post.header("X-Tenant", "otters").header("X-Trace", "7")
}

fn text(reply: &Value) -> String {
    reply["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn extensions_of_middleware_and_headers_reach_functions_of_every_kind() {
    let mounted = Mounted::start(&server(), HttpOptions::new()).await;
    let post = |tool| sent(Post::call(tool, json!({})));
    for (tool, expected) in [
        ("tenant_inline", "otters"),
        ("tenant_plain", "otters Some(\"7\")"),
        ("tenant_async", "otters Some(\"7\")"),
    ] {
        let reply = mounted.send(&post(tool)).await.json();
        assert_eq!(text(&reply), expected, "{reply}");
    }
    let prompt = sent(Post::new("prompts/get", json!({"name": "greet"})));
    let reply = mounted.send(&prompt).await.json();
    let message = &reply["result"]["messages"][0]["content"]["text"];
    assert_eq!(message, "Greetings from otters.", "{reply}");
    let read = Post::new("resources/read", json!({"uri": "notes://today"}));
    let read = sent(read.header("Mcp-Name", "notes://today"));
    let reply = mounted.send(&read).await.json();
    let contents = &reply["result"]["contents"][0]["text"];
    assert_eq!(contents, "notes of otters Some(\"7\")", "{reply}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn extensions_of_one_request_do_not_reach_the_next() {
    let mounted = Mounted::start(&server(), HttpOptions::new()).await;
    let with = sent(Post::call("has_tenant", json!({})));
    assert_eq!(text(&mounted.send(&with).await.json()), "true");
    let without = Post::call("has_tenant", json!({}));
    assert_eq!(text(&mounted.send(&without).await.json()), "false");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_extension_fails_the_call_without_naming_its_type() {
    let running = Running::start(&server()).await;
    for tool in ["tenant_inline", "tenant_plain", "tenant_async"] {
        let reply = running.send(&Post::call(tool, json!({}))).await.json();
        assert_eq!(reply["result"]["isError"], true, "{reply}");
        assert!(text(&reply).contains("lacks an extension"), "{reply}");
        assert!(!reply.to_string().contains("Tenant"), "{reply}");
    }
    running.stop().await;
}
