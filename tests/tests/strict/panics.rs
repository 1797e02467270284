//! Panics of users' code at odd places: each costs its own call, or keeps its own tool away, and nothing else.

use std::borrow::Cow;
use std::future::{Future, pending};
use std::panic::panic_any;
use std::pin::pin;
use std::task::{Context, Waker};

use mcp_runtime::{Server, mcp_tool};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use super::{call, request};

/// Panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "dropped");
    }
}

/// Panic with something that panics in turn.
#[mcp_tool(group = "panics")]
fn carry() -> String {
    panic_any(Bomb)
}

/// Wait for ever, with something that panics when it is dropped.
#[mcp_tool(group = "panics")]
async fn hold() -> String {
    let _bomb = Bomb;
    pending().await
}

/// Do nothing.
#[mcp_tool(group = "panics")]
fn rest() -> String {
    "rested".to_owned()
}

/// Have a default that panics.
#[mcp_tool(group = "panics")]
fn default(#[arg(default = "x".repeat(usize::MAX))] text: String) -> String {
    text
}

/// A type whose schema panics.
#[derive(serde::Serialize, serde::Deserialize)]
struct Shapeless;

impl JsonSchema for Shapeless {
    fn schema_name() -> Cow<'static, str> {
        "Shapeless".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        panic!("no shape")
    }
}

/// Take a type whose schema panics.
#[mcp_tool(group = "panics")]
fn take(_it: Shapeless) -> String {
    String::new()
}

/// Give a type whose schema panics.
#[mcp_tool(group = "panics")]
fn give() -> Shapeless {
    Shapeless
}

fn panicking() -> Server {
    mcp_runtime::server!().groups(["panics"]).build().unwrap()
}

fn answer(server: &Server, message: &Value) -> Value {
    server.handle_request(message).unwrap()
}

#[test]
fn what_a_panic_carries_may_panic_too() {
    let server = panicking();
    assert_eq!(
        server.call("carry", json!({})).text(),
        "Error: the tool failed"
    );
    assert_eq!(server.call("rest", json!({})).text(), "rested");
}

#[test]
fn a_handler_may_panic_when_it_is_dropped() {
    let server = panicking();
    let message = call("hold", json!({}));
    let mut answer = Box::pin(server.handle(&message));
    let mut context = Context::from_waker(Waker::noop());
    assert!(answer.as_mut().poll(&mut context).is_pending());
    drop(answer);
    let message = call("rest", json!({}));
    let answer = pin!(server.handle(&message));
    assert!(answer.poll(&mut context).is_ready());
}

#[test]
fn a_panic_while_a_schema_is_made_keeps_one_tool_away() {
    let server = panicking();
    let list = answer(&server, &request("tools/list", json!({})));
    let names: Vec<_> = list["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["carry", "hold", "rest"]);
    for (tool, arguments) in [
        ("default", json!({})),
        ("take", json!({ "_it": null })),
        ("give", json!({})),
    ] {
        let error = &answer(&server, &call(tool, arguments))["error"];
        assert_eq!(error["code"], -32603, "{tool}: {error}");
        assert_eq!(
            error["message"],
            format!("the schema of {tool} cannot be used")
        );
    }
}

#[test]
fn a_panic_while_a_schema_is_made_is_told_by_check() {
    let problems: Vec<_> = panicking()
        .problems()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert!(problems[0].contains("capacity overflow"), "{problems:?}");
    assert!(
        problems[1..].iter().all(|text| text.contains("no shape")),
        "{problems:?}"
    );
}
