//! Panics of users' code at odd places: each costs its own call, or keeps its own tool away, and nothing else.

use std::borrow::Cow;
use std::future::{Future, pending};
use std::panic::panic_any;
use std::pin::pin;
use std::task::{Context, Waker};

use mcp_runtime::{Server, mcp_tool};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::json;

use super::call;

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
#[mcp_tool(group = "shapeless")]
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
#[mcp_tool(group = "shapeless")]
fn take(_it: Shapeless) -> String {
    String::new()
}

/// Give a type whose schema panics.
#[mcp_tool(group = "shapeless")]
fn give() -> Shapeless {
    Shapeless
}

fn panicking() -> Server {
    mcp_runtime::server!().groups(["panics"]).build().unwrap()
}

#[test]
fn what_a_panic_carries_may_panic_too() {
    let server = panicking();
    assert_eq!(
        server.call_blocking("carry", json!({})).text(),
        "Error: the tool failed"
    );
    assert_eq!(server.call_blocking("rest", json!({})).text(), "rested");
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
fn a_panic_while_a_schema_is_made_is_told_by_build() {
    let built = mcp_runtime::server!().groups(["shapeless"]).build();
    let error = built.unwrap_err();
    let problems: Vec<_> = error.problems().iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert!(problems[0].contains("capacity overflow"), "{problems:?}");
    assert!(
        problems[1..].iter().all(|text| text.contains("no shape")),
        "{problems:?}"
    );
    let place = |text: &String| text.contains(concat!("at ", file!(), ":"));
    assert!(problems.iter().all(place), "{problems:?}");
}

/// A limit that its default is beyond.
const BEYOND: i64 = 11;

/// Have a default that is out of range, which no compiler sees.
#[mcp_tool(group = "beyond")]
fn beyond(#[arg(default = BEYOND, range(1..=10))] n: i64) -> i64 {
    n
}

#[test]
fn a_default_out_of_its_range_is_told_by_build() {
    let built = mcp_runtime::server!().groups(["beyond"]).build();
    let error = built.unwrap_err().to_string();
    let place = concat!("beyond` at ", file!(), ":");
    assert!(error.contains(place), "{error}");
    assert!(error.contains("argument `n`"), "{error}");
}
