//! The servers that are measured: three annotated tools, alone or among a thousand.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mcp_runtime::prelude::*;
use mcp_runtime::{layer::CallRequest, task::TaskStore};
use serde_json::{Value, json};
use tower::ServiceBuilder;
use tower::util::MapRequestLayer;

/// Add two integers.
#[mcp_tool(read_only, inline)]
fn add(
    /// First addend.
    a: i64,
    /// Second addend.
    b: i64,
) -> i64 {
    a + b
}

/// Add two integers, by an async function.
#[mcp_tool(read_only, group = "executions")]
async fn add_async(
    /// First addend.
    a: i64,
    /// Second addend.
    b: i64,
) -> i64 {
    a + b
}

/// Add two integers, by a function that may block.
#[mcp_tool(read_only, group = "executions")]
fn add_plain(
    /// First addend.
    a: i64,
    /// Second addend.
    b: i64,
) -> i64 {
    a + b
}

/// Repeat what was said.
#[mcp_tool(read_only, inline)]
fn echo(
    /// What is said.
    text: String,
) -> String {
    text
}

/// A point in the plane.
#[mcp_type]
struct Point {
    /// How far to the right.
    x: f64,
    /// How far up.
    y: f64,
    /// What it is called.
    label: String,
}

/// Make points on a line.
#[mcp_tool(read_only, inline)]
fn structured(
    /// How many points.
    #[arg(range(0..=1000))]
    count: u32,
) -> Vec<Point> {
    (0..count)
        .map(|index| Point {
            x: f64::from(index),
            y: f64::from(index) / 2.0,
            label: format!("point {index}"),
        })
        .collect()
}

/// Count, and tell the client of every step.
#[mcp_tool(read_only, group = "steps")]
fn steps(
    /// How far.
    steps: u32,
    context: &Context,
) -> u32 {
    (1..=steps).for_each(|step| context.progress(f64::from(step)));
    steps
}

/// What a user is asked.
#[derive(ElicitForm)]
struct Consent {
    /// Whether to go on.
    go_on: bool,
}

/// Take a step with a result of some length, if there is one, and ask whether that is right.
#[mcp_tool(read_only, group = "asking")]
async fn order(
    /// How long the result of the step is.
    length: usize,
    context: &Context,
) -> Result<String, ToolError> {
    let mut done = String::new();
    if length > 0 {
        let step = async { Ok::<_, ToolError>("x".repeat(length)) };
        done = context.once("step", step).await?;
    }
    let answer = context
        .elicit::<Consent>("consent", "Is that right?")
        .await?;
    match answer.accepted() {
        Some(Consent { go_on: true }) => Ok(done),
        _ => Err(ToolError::new("it is not")),
    }
}

/// Add two integers, as a task.
#[mcp_tool(read_only, task = "required", group = "tasks")]
async fn add_later(
    /// First addend.
    a: i64,
    /// Second addend.
    b: i64,
) -> i64 {
    a + b
}

/// A server of the tool that asks.
///
/// # Errors
///
/// The tool cannot be served.
pub fn asking() -> Result<Server, BuildError> {
    mcp_runtime::server!().groups(["asking"]).build()
}

/// A server of the tool that becomes a task, with room for `count` of them in the store.
///
/// # Errors
///
/// The tool cannot be served.
pub fn deferring(store: impl TaskStore, count: usize) -> Result<Server, BuildError> {
    let builder = mcp_runtime::server!().groups(["tasks"]).task_store(store);
    builder.tasks_running(count).tasks_stored(count).build()
}

/// A server of the tool that reports its progress, and of `add` in each execution, beside the annotated ones.
///
/// # Errors
///
/// A tool cannot be served.
pub fn talkative() -> Result<Server, BuildError> {
    talkative_builder().build()
}

fn talkative_builder() -> ServerBuilder {
    mcp_runtime::server!().groups(["", "steps", "executions"])
}

/// The same server with a layer that does nothing.
///
/// # Errors
///
/// A tool cannot be served.
pub fn layered() -> Result<Server, BuildError> {
    talkative_builder().layer(ServiceBuilder::new()).build()
}

/// The same server with a layer that counts the calls.
///
/// # Errors
///
/// A tool cannot be served.
pub fn counting() -> Result<Server, BuildError> {
    let calls = Arc::new(AtomicU64::new(0));
    let count = MapRequestLayer::new(move |call: CallRequest| {
        calls.fetch_add(1, Ordering::Relaxed);
        call
    });
    talkative_builder().layer(count).build()
}

/// A server of the annotated tools and of as many others as make it `count` tools.
///
/// # Errors
///
/// A tool cannot be served.
pub fn server(count: usize) -> Result<Server, BuildError> {
    const ANNOTATED: usize = 3;
    let mut builder = mcp_runtime::server!();
    for number in ANNOTATED..count {
        builder = builder.register_tool(
            format!("tool_{number}"),
            format!("Add {number} to an integer."),
            json!({
                "type": "object",
                "properties": {
                    "a": {"type": "integer", "description": "What it is added to."},
                    "note": {"type": "string", "maxLength": 80, "description": "Why, in a few words."},
                },
                "required": ["a"],
                "additionalProperties": false,
            }),
            move |arguments: Value| -> Result<String, ToolError> {
                Ok(format!("{} + {number}", arguments["a"]))
            },
        );
    }
    builder.build()
}

/// What the server answers to a message.
#[must_use]
pub fn answer(server: &Server, message: &str) -> Vec<u8> {
    let mut out = Vec::new();
    server.handle_message_blocking(message.as_bytes(), &mut out);
    out
}
