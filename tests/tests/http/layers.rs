//! Layers around calls that come over HTTP.

use std::sync::Mutex;
use std::sync::mpsc as blocking;
use std::time::Duration;

use mcp_runtime::{
    Context, ToolError,
    http::HttpOptions,
    layer::{CallKind, CallRequest},
};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tower::ServiceBuilder;
use tower::util::MapRequestLayer;

use super::lifecycle::with_tool;
use super::middleware::{Mounted, Tenant};
use super::peer::{Post, Running, patiently};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_layer_sees_the_principal_the_extensions_and_the_headers_of_a_request() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let look = MapRequestLayer::new(move |call: CallRequest| {
        let principal = call.principal().map(|principal| principal.id().to_owned());
        let tenant = call
            .extensions()
            .get::<Tenant>()
            .map(|tenant| tenant.0.clone());
        let headers = call.extensions().get::<axum::http::HeaderMap>();
        let traced = headers.is_some_and(|headers| headers.contains_key("x-trace"));
        let version = call.protocol_version().map(str::to_owned);
        let _ = tell.send((
            call.kind(),
            call.name().to_owned(),
            principal,
            tenant,
            traced,
            version,
        ));
        call
    });
    let server = mcp_runtime::server!().layer(look).build().unwrap();
    let mounted = Mounted::start(&server, HttpOptions::new()).await;
    let post = Post::call("add", json!({"a": 1, "b": 1}))
        .header("Authorization", "Bearer ada")
        .header("X-Tenant", "otters")
        .header("X-Trace", "7");
    let reply = mounted.send(&post).await;
    assert_eq!(reply.json()["result"]["content"][0]["text"], "2");
    let seen = told.recv().await.unwrap();
    let version = Some("2026-07-28".to_owned());
    let (ada, otters) = (Some("ada".to_owned()), Some("otters".to_owned()));
    assert_eq!(
        seen,
        (CallKind::Tool, "add".to_owned(), ada, otters, true, version)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_layer_overwrites_an_extension_of_the_request() {
    let replace = MapRequestLayer::new(|mut call: CallRequest| {
        call.extensions_mut().insert(Tenant("badgers".to_owned()));
        call
    });
    let tell = |_: Value, context: Context| {
        let tenant = context.extensions().get::<Tenant>();
        Ok::<_, ToolError>(tenant.map(|tenant| tenant.0.clone()))
    };
    let server = with_tool("tell", tell).layer(replace).build().unwrap();
    let mounted = Mounted::start(&server, HttpOptions::new()).await;
    let post = Post::call("tell", json!({})).header("X-Tenant", "otters");
    let reply = mounted.send(&post).await;
    assert_eq!(reply.json()["result"]["content"][0]["text"], "badgers");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plain_function_within_layers_counts_until_it_returns() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let (release, released) = blocking::channel::<()>();
    let released = Mutex::new(released);
    let hold = move |_: Value, context: Context| {
        tell.send("begun")?;
        while !context.is_cancelled() {
            std::thread::sleep(Duration::from_millis(1));
        }
        tell.send("cancelled")?;
        released.lock().unwrap().recv()?;
        Ok::<_, ToolError>("released")
    };
    let builder = with_tool("hold", hold).max_calls_in_flight(1);
    let server = builder.layer(ServiceBuilder::new()).build().unwrap();
    let running = Running::start(&server).await;
    let mut peer = running.connect().await;
    peer.write(&Post::call("hold", json!({})).bytes(running.port))
        .await;
    assert_eq!(patiently(told.recv()).await, Some("begun"));
    drop(peer);
    assert_eq!(patiently(told.recv()).await, Some("cancelled"));
    let add = Post::call("add", json!({"a": 1, "b": 1}));
    assert_eq!(running.send(&add).await.code(), (503, -32603));
    release.send(()).unwrap();
    // The place is free a moment after the function has returned.
    while running.send(&add).await.status != 200 {}
    running.stop().await;
}
