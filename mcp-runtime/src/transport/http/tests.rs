//! Answers that become streams, by handlers that send notifications.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use super::{HttpBody, HttpOptions, HttpService};
use crate::dispatch::Context;
use crate::server::{Server, ServerBuilder};

/// A body that is there at once.
struct Whole(Option<Bytes>);

impl Body for Whole {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        std::task::Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }
}

fn builder() -> ServerBuilder {
    ServerBuilder::new("streams", "0.0.0")
}

fn schema() -> Value {
    json!({"type": "object"})
}

/// Sends a call of the tool `talk` to a server of it.
async fn call(builder: ServerBuilder, options: HttpOptions, accept: &str) -> Response<HttpBody> {
    call_of(builder.build().unwrap(), options, accept).await
}

/// Sends a call of the tool `talk`.
async fn call_of(server: Server, options: HttpOptions, accept: &str) -> Response<HttpBody> {
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": "talk",
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "progressToken": 0,
        },
    }});
    let request = Request::post("http://localhost/mcp")
        .header("Content-Type", "application/json")
        .header("Accept", accept)
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", "tools/call")
        .header("Mcp-Name", "talk")
        .body(Whole(Some(body.to_string().into())))
        .unwrap();
    let mut service = server.into_service_with(options).unwrap();
    tower_service::Service::call(&mut service, request)
        .await
        .unwrap()
}

const BOTH: &str = "application/json, text/event-stream";

/// The next piece of a body.
async fn piece(body: &mut HttpBody) -> Option<String> {
    let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await?;
    let bytes = frame.unwrap().into_data().unwrap();
    Some(String::from_utf8(bytes.to_vec()).unwrap())
}

async fn rest(mut body: HttpBody) -> String {
    let mut text = String::new();
    while let Some(piece) = piece(&mut body).await {
        text.push_str(&piece);
    }
    assert!(body.is_end_stream());
    text
}

fn messages(text: &str) -> Vec<Value> {
    assert!(text.ends_with("\n\n"), "{text}");
    let data = text
        .split("\n\n")
        .filter_map(|event| event.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notifications_come_before_the_response_and_in_order() {
    for asynchronous in [false, true] {
        let talk = |context: &Context| (1..=100).for_each(|n| context.progress(f64::from(n)));
        let builder = if asynchronous {
            builder().register_tool(
                "talk",
                "Talk.",
                schema(),
                move |_: Value, context: Context| async move {
                    tokio::task::yield_now().await;
                    talk(&context);
                    Ok::<_, std::fmt::Error>("said")
                },
            )
        } else {
            builder().register_tool(
                "talk",
                "Talk.",
                schema(),
                move |_: Value, context: Context| {
                    talk(&context);
                    Ok::<_, std::fmt::Error>("said")
                },
            )
        };
        let response = call(builder, HttpOptions::new(), BOTH).await;
        assert_eq!(response.status(), 200);
        let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(header("content-type"), "text/event-stream");
        assert_eq!(header("cache-control"), "no-cache");
        assert_eq!(header("x-accel-buffering"), "no");
        let messages = messages(&rest(response.into_body()).await);
        let progress: Vec<_> = messages
            .iter()
            .filter_map(|message| message["params"]["progress"].as_f64())
            .collect();
        assert_eq!(progress, (1..=100).map(f64::from).collect::<Vec<_>>());
        assert_eq!(messages[0]["params"]["progressToken"], 0);
        assert_eq!(messages.len(), 101);
        assert_eq!(messages[100]["id"], 7);
        assert_eq!(messages[100]["result"]["content"][0]["text"], "said");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_notification_is_there_while_the_call_runs() {
    let go = Arc::new(Notify::new());
    let going = Arc::clone(&go);
    let builder = builder().register_tool(
        "talk",
        "Talk.",
        schema(),
        move |_: Value, context: Context| {
            let going = Arc::clone(&going);
            async move {
                context.progress(1.0);
                going.notified().await;
                Ok::<_, std::fmt::Error>("said")
            }
        },
    );
    let mut body = call(builder, HttpOptions::new(), BOTH).await.into_body();
    let first = piece(&mut body).await.unwrap();
    assert_eq!(messages(&first).len(), 1);
    go.notify_one();
    let last = rest(body).await;
    assert_eq!(messages(&last)[0]["result"]["content"][0]["text"], "said");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plain_function_that_goes_on_keeps_no_word_back() {
    let (release, held) = std::sync::mpsc::channel::<()>();
    let held = Mutex::new(held);
    let talk = move |_: Value, context: Context| {
        for step in 1..=5 {
            context.progress(f64::from(step));
            // The test may have ended.
            let _released = held.lock().unwrap().recv();
        }
        Ok::<_, std::fmt::Error>("said")
    };
    let server = builder().register_tool("talk", "Talk.", schema(), talk);
    let server = server.build().unwrap();
    // On a worker, as the connections of a router are.
    let reading = tokio::spawn(async move {
        let mut body = call_of(server, HttpOptions::new(), BOTH).await.into_body();
        for step in 1..=5 {
            let told = messages(&piece(&mut body).await.unwrap());
            assert_eq!(told[0]["params"]["progress"], f64::from(step));
            release.send(()).unwrap();
        }
        let last = rest(body).await;
        assert_eq!(messages(&last)[0]["result"]["content"][0]["text"], "said");
    });
    reading.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silence_is_broken_by_comments() {
    let builder = builder().register_tool(
        "talk",
        "Talk.",
        schema(),
        |_: Value, context: Context| async move {
            context.progress(1.0);
            std::future::pending::<()>().await;
            Ok::<_, std::fmt::Error>("never")
        },
    );
    let options = HttpOptions::new().keep_alive(Duration::from_millis(5));
    let mut body = call(builder, options, BOTH).await.into_body();
    piece(&mut body).await.unwrap();
    for _ in 0..3 {
        assert_eq!(piece(&mut body).await.unwrap(), ":\n\n");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_is_dropped_stops_its_call() {
    struct Alarm(mpsc::UnboundedSender<()>);
    impl Drop for Alarm {
        fn drop(&mut self) {
            let _ = self.0.send(());
        }
    }
    let (dropped, mut drops) = mpsc::unbounded_channel();
    let builder = builder().register_tool(
        "talk",
        "Talk.",
        schema(),
        move |_: Value, context: Context| {
            let alarm = Alarm(dropped.clone());
            async move {
                context.progress(1.0);
                std::future::pending::<()>().await;
                drop(alarm);
                Ok::<_, std::fmt::Error>("never")
            }
        },
    );
    let mut body = call(builder, HttpOptions::new(), BOTH).await.into_body();
    piece(&mut body).await.unwrap();
    assert!(drops.try_recv().is_err());
    drop(body);
    drops.recv().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_ends_with_an_error_when_time_is_up() {
    let builder = builder()
        .call_timeout(Duration::from_millis(20))
        .register_tool(
            "talk",
            "Talk.",
            schema(),
            |_: Value, context: Context| async move {
                context.progress(1.0);
                std::future::pending::<()>().await;
                Ok::<_, std::fmt::Error>("never")
            },
        );
    let body = call(builder, HttpOptions::new(), BOTH).await.into_body();
    let messages = messages(&rest(body).await);
    assert_eq!(messages[1]["error"]["message"], "tool timed out");
    assert_eq!(messages[1]["id"], 7);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_takes_no_streams_gets_the_response_alone() {
    let builder =
        builder().register_tool("talk", "Talk.", schema(), |_: Value, context: Context| {
            context.progress(1.0);
            Ok::<_, std::fmt::Error>("said")
        });
    let response = call(builder, HttpOptions::new(), "application/json").await;
    assert_eq!(response.headers()["content-type"], "application/json");
    let text = rest(response.into_body()).await;
    let response: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(response["result"]["content"][0]["text"], "said");
}

/// The answer to `tools/list`.
async fn list(service: &mut HttpService, accept: &str) -> Response<HttpBody> {
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }}});
    let request = Request::post("http://localhost/mcp")
        .header("Content-Type", "application/json")
        .header("Accept", accept)
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", "tools/list")
        .body(Whole(Some(body.to_string().into())))
        .unwrap();
    tower_service::Service::call(service, request)
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_is_the_same_in_parts_and_as_an_event_and_is_not_copied() {
    let builder = builder().register_tool("talk", "Talk.", schema(), |_: Value| {
        Ok::<_, std::fmt::Error>("said")
    });
    let mut service = builder.build().unwrap().into_service();
    let event = list(&mut service, "text/event-stream").await.into_body();
    let event = messages(&rest(event).await).remove(0);
    assert_eq!(event["result"]["tools"][0]["name"], "talk");
    // Kept, so that no copy can take the place of another.
    let mut pages = Vec::new();
    for _ in 0..2 {
        let mut body = list(&mut service, BOTH).await.into_body();
        let announced = body.size_hint().exact().unwrap();
        let mut whole = Vec::new();
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            let part = frame.unwrap().into_data().unwrap();
            assert!(!part.is_empty());
            whole.extend_from_slice(&part);
            if part.starts_with(b"\"tools\":[") {
                pages.push(part);
            }
        }
        assert!(body.is_end_stream());
        assert_eq!(whole.len() as u64, announced);
        assert_eq!(serde_json::from_slice::<Value>(&whole).unwrap(), event);
    }
    let places: Vec<_> = pages.iter().map(|page| page.as_ptr()).collect();
    assert_eq!(places.len(), 2);
    assert_eq!(places[0], places[1]);
}
