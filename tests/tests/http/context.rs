//! What a function learns of its request, and tells its client before the result.

use std::sync::Arc;

use mcp_runtime::prelude::*;
use mcp_runtime::{client::Capability, context::LoggingLevel};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use super::lifecycle::with_tool;
use super::peer::{Post, Running, events, patiently};

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

const LEVELS: [LoggingLevel; 8] = [
    LoggingLevel::Debug,
    LoggingLevel::Info,
    LoggingLevel::Notice,
    LoggingLevel::Warning,
    LoggingLevel::Error,
    LoggingLevel::Critical,
    LoggingLevel::Alert,
    LoggingLevel::Emergency,
];

/// Log one message of each level, with word of progress after each.
#[mcp_tool(group = "context")]
fn log_all(ctx: &Context) -> String {
    for (number, level) in (1..).zip(LEVELS) {
        ctx.log(level, json!({ "number": number }));
        ctx.progress(f64::from(number));
    }
    ctx.log_as("the \"end\"", LoggingLevel::Emergency, "said");
    let heard = LEVELS.into_iter().filter(|level| ctx.logs(*level)).count();
    heard.to_string()
}

#[derive(ElicitForm)]
struct Confirm {
    yes: bool,
}

/// Ask the user.
#[mcp_tool(group = "context")]
async fn asking(ctx: &Context) -> Result<bool, ToolError> {
    let answer = ctx.elicit::<Confirm>("confirm", "Sure?").await?;
    Ok(answer.accepted().is_some_and(|answer| answer.yes))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_the_client_cannot_take_is_a_bad_request() {
    let running = running().await;
    let returned = running.send(&Post::call("asking_back", json!({}))).await;
    let post = Post::call("asking", json!({}));
    let reply = running.send(&post).await;
    for reply in [&returned, &reply] {
        assert_eq!(reply.code(), (400, -32021));
        assert_eq!(reply.header("content-type"), Some("application/json"));
    }
    assert_eq!(returned.json()["error"], reply.json()["error"]);
    assert_eq!(
        reply.json()["error"]["data"],
        json!({"requiredCapabilities": {"elicitation": {"form": {}}}})
    );
    let able = post.body(|body| {
        body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
            json!({"elicitation": {}});
    });
    let reply = running.send(&able).await;
    assert_eq!(reply.code(), (200, 0));
    assert_eq!(reply.json()["result"]["resultType"], "input_required");
    let forged = able.body(|body| body["params"]["requestState"] = json!("forged"));
    assert_eq!(running.send(&forged).await.code(), (200, -32602));
    running.stop().await;
}

/// Ask the user by returning the question.
#[mcp_tool(group = "context")]
fn asking_back(ctx: &Context) -> Result<bool, ToolError> {
    match ctx.answers().elicited::<Confirm>("confirm")? {
        Some(answer) => Ok(answer.accepted().is_some_and(|answer| answer.yes)),
        None => Err(InputRequired::elicit::<Confirm>("confirm", "Sure?").into()),
    }
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
async fn zero_and_the_empty_string_are_tokens() {
    let running = running().await;
    for token in [json!(0), json!(""), json!("0"), json!(-1)] {
        let post = Post::call("demand", json!({"told": 1}))
            .body(|body| body["params"]["_meta"]["progressToken"] = token.clone());
        let events = running.send(&post).await.events();
        assert_eq!(events[0]["params"]["progressToken"], token);
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn log_messages_are_sent_at_or_above_the_level_in_order_with_progress_before_the_result() {
    let running = running().await;
    for (index, least) in LEVELS.into_iter().enumerate() {
        let post = told(Post::call("log_all", json!({}))).body(|body| {
            body["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!(least);
        });
        let mut expected = Vec::new();
        for (number, level) in (1..).zip(LEVELS) {
            if level >= least {
                let params = json!({"level": level, "data": {"number": number}});
                expected.push(
                    json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params}),
                );
            }
            let params = json!({"progressToken": 0, "progress": f64::from(number)});
            expected.push(
                json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}),
            );
        }
        let params = json!({"level": "emergency", "logger": "the \"end\"", "data": "said"});
        expected
            .push(json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params}));
        let mut events = running.send(&post).await.events();
        let result = events.pop().unwrap();
        assert_eq!(events, expected, "{least:?}");
        assert_eq!(
            result["result"]["content"][0]["text"],
            (8 - index).to_string()
        );
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_level_no_log_message_is_sent() {
    let running = running().await;
    let reply = running.send(&Post::call("log_all", json!({}))).await;
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.json()["result"]["content"][0]["text"], "0");
    let events = running
        .send(&told(Post::call("log_all", json!({}))))
        .await
        .events();
    assert_eq!(events.len(), 9, "{events:?}");
    let wrong = Post::call("log_all", json!({})).body(|body| {
        body["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!("loud");
    });
    assert_eq!(running.send(&wrong).await.code(), (400, -32602));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_call_tells_goes_on_its_own_stream_alone() {
    let together = Arc::new(Barrier::new(2));
    let server = with_tool("talk", move |arguments: Value, context: Context| {
        let together = Arc::clone(&together);
        async move {
            together.wait().await;
            for step in 1..=50 {
                context.log(LoggingLevel::Info, &arguments);
                context.progress(f64::from(step));
                tokio::task::yield_now().await;
            }
            Ok::<_, ToolError>("said")
        }
    });
    let server = server.build().unwrap();
    let running = Running::start(&server).await;
    // A client that would hear everything, everywhere.
    let eager = |post: Post, id: &str| {
        post.body(|body| {
            body["id"] = json!(id);
            body["params"]["_meta"]["progressToken"] = json!(id);
            body["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!("debug");
        })
    };
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let listen = eager(Post::new("subscriptions/listen", filter), "listen");
    let mut listener = running.connect().await;
    listener.write(&listen.bytes(running.port)).await;
    assert_eq!(listener.head().await.status, 200);
    let acknowledged = events(&listener.chunk().await.unwrap());
    assert_eq!(acknowledged.len(), 1, "{acknowledged:?}");
    let talk = |id: &str| eager(Post::call("talk", json!({ "id": id })), id);
    let (first, second) = (talk("first"), talk("second"));
    let (first, second) =
        patiently(async { tokio::join!(running.send(&first), running.send(&second)) }).await;
    for (id, reply) in [("first", first), ("second", second)] {
        let mut messages = reply.events();
        let response = messages.pop().unwrap();
        assert_eq!(response["id"], id);
        assert_eq!(messages.len(), 100);
        for message in messages {
            let params = &message["params"];
            match message["method"].as_str().unwrap() {
                "notifications/progress" => assert_eq!(params["progressToken"], id),
                "notifications/message" => assert_eq!(params["data"], json!({ "id": id })),
                other => panic!("{other}"),
            }
        }
    }
    server.notify().tools_list_changed();
    let told = events(&listener.chunk().await.unwrap());
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["method"], "notifications/tools/list_changed");
    drop(listener);
    running.stop().await;
}
