//! One function for each cell of the table of what a function may do where it runs, and what comes of it.

use std::sync::Mutex;
use std::time::Duration;

use mcp_runtime::prelude::*;
use tokio::runtime::{Builder, Handle};
use tokio::task::{JoinError, spawn_blocking};

/// What comes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "each transport of the tests holds all of them against what came"
)]
pub enum Expected {
    /// A result with this text.
    Text(&'static str),
    /// A failed call, and nothing else.
    Failure,
    /// It is forbidden, and fails or works by the thread that it happens on.
    Either,
}

use Expected::{Either, Failure, Text};

/// The tools.
pub const TOOLS: &[(&str, Expected)] = &[
    ("inline_spawn", Text("spawned")),
    ("inline_block_on", Either),
    ("inline_own_runtime", Either),
    ("inline_spawn_blocking", Text("spawned")),
    ("inline_panic", Failure),
    ("plain_spawn", Text("spawned")),
    ("plain_block_on", Text("waited")),
    ("plain_own_runtime", Text("waited")),
    ("plain_sleep", Text("slept")),
    ("plain_lock", Text("2")),
    ("plain_spawn_blocking", Text("blocked")),
    ("plain_panic", Failure),
    ("async_spawn", Text("spawned")),
    ("async_block_on", Failure),
    ("async_own_runtime", Failure),
    ("async_sleep", Text("slept")),
    ("async_lock", Text("2")),
    ("async_spawn_blocking", Text("blocked")),
    ("async_panic", Failure),
];

/// The arguments of the prompt `complete` that functions complete.
pub const COMPLETIONS: &[(&str, Expected)] = &[
    ("inline_spawn", Text("spawned")),
    ("inline_panic", Failure),
    ("plain_spawn", Text("spawned")),
    ("plain_own_runtime", Text("waited")),
    ("plain_panic", Failure),
    ("async_sleep", Text("slept")),
    ("async_block_on", Failure),
    ("async_panic", Failure),
    ("choice", Text("one")),
    ("unaided", Text("")),
];

const MOMENT: Duration = Duration::from_millis(1);

async fn wait() -> &'static str {
    tokio::time::sleep(MOMENT).await;
    "waited"
}

fn spawn() -> &'static str {
    drop(tokio::spawn(async {}));
    drop(Handle::current().spawn(async {}));
    "spawned"
}

fn block_on() -> &'static str {
    Handle::current().block_on(wait())
}

fn own_runtime() -> Result<&'static str, std::io::Error> {
    let runtime = Builder::new_current_thread().enable_time().build()?;
    Ok(runtime.block_on(wait()))
}

/// Spawn a task.
#[mcp_tool(group = "execution", inline)]
fn inline_spawn() -> &'static str {
    spawn()
}

/// Block on the runtime.
#[mcp_tool(group = "execution", inline)]
fn inline_block_on() -> &'static str {
    block_on()
}

/// Start a runtime.
#[mcp_tool(group = "execution", inline)]
fn inline_own_runtime() -> Result<&'static str, std::io::Error> {
    own_runtime()
}

/// Have a function run on a thread that may block.
#[mcp_tool(group = "execution", inline)]
fn inline_spawn_blocking() -> &'static str {
    drop(spawn_blocking(|| std::thread::sleep(MOMENT)));
    "spawned"
}

/// Panic.
#[mcp_tool(group = "execution", inline)]
fn inline_panic() {
    panic!("as asked")
}

/// Spawn a task.
#[mcp_tool(group = "execution")]
fn plain_spawn() -> &'static str {
    spawn()
}

/// Block on the runtime.
#[mcp_tool(group = "execution")]
fn plain_block_on() -> &'static str {
    block_on()
}

/// Start a runtime.
#[mcp_tool(group = "execution")]
fn plain_own_runtime() -> Result<&'static str, std::io::Error> {
    own_runtime()
}

/// Sleep.
#[mcp_tool(group = "execution")]
fn plain_sleep() -> &'static str {
    std::thread::sleep(MOMENT);
    "slept"
}

/// Hold a lock over a wait.
#[mcp_tool(group = "execution")]
fn plain_lock() -> Result<u32, ToolError> {
    let lock = Mutex::new(1);
    let mut number = lock.lock()?;
    Handle::current().block_on(wait());
    *number += 1;
    Ok(*number)
}

/// Wait for a function on a thread that may block.
#[mcp_tool(group = "execution")]
fn plain_spawn_blocking() -> Result<&'static str, JoinError> {
    Handle::current().block_on(spawn_blocking(|| "blocked"))
}

/// Panic.
#[mcp_tool(group = "execution")]
fn plain_panic() {
    panic!("as asked")
}

/// Spawn a task, and wait for it.
#[mcp_tool(group = "execution", task)]
async fn async_spawn() -> Result<&'static str, JoinError> {
    tokio::spawn(async { "spawned" }).await
}

/// Block on the runtime.
#[mcp_tool(group = "execution", task)]
async fn async_block_on() -> &'static str {
    block_on()
}

/// Start a runtime.
#[mcp_tool(group = "execution", task)]
async fn async_own_runtime() -> Result<&'static str, std::io::Error> {
    own_runtime()
}

/// Sleep.
#[mcp_tool(group = "execution", task)]
async fn async_sleep() -> &'static str {
    tokio::time::sleep(MOMENT).await;
    "slept"
}

/// Hold a lock of tokio over a wait.
#[mcp_tool(group = "execution", task)]
async fn async_lock() -> u32 {
    let lock = tokio::sync::Mutex::new(1);
    let mut number = lock.lock().await;
    wait().await;
    *number += 1;
    *number
}

/// Wait for a function on a thread that may block.
#[mcp_tool(group = "execution", task)]
async fn async_spawn_blocking() -> Result<&'static str, JoinError> {
    spawn_blocking(|| "blocked").await
}

/// Panic.
#[mcp_tool(group = "execution", task)]
async fn async_panic() {
    panic!("as asked")
}

fn completes_spawn(_: &str) -> [&'static str; 1] {
    [spawn()]
}

fn completes_panic(_: &str) -> [&'static str; 1] {
    panic!("as asked")
}

fn completes_own_runtime(_: &str) -> Result<[&'static str; 1], std::io::Error> {
    own_runtime().map(|text| [text])
}

async fn completes_sleep(_: &str) -> [&'static str; 1] {
    tokio::time::sleep(MOMENT).await;
    ["slept"]
}

async fn completes_block_on(_: &str) -> [&'static str; 1] {
    [block_on()]
}

async fn completes_panic_later(_: &str) -> [&'static str; 1] {
    wait().await;
    panic!("as asked")
}

/// A choice.
#[mcp_type]
#[serde(rename_all = "lowercase")]
enum Choice {
    One,
}

impl std::str::FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "one" => Ok(Self::One),
            _ => Err(format!("`{text}` is no choice")),
        }
    }
}

/// Complete its arguments.
#[mcp_prompt(group = "execution")]
#[allow(clippy::too_many_arguments, reason = "each is completed in its way")]
fn complete(
    #[arg(complete(completes_spawn, inline))] inline_spawn: Option<String>,
    #[arg(complete(completes_panic, inline))] inline_panic: Option<String>,
    #[arg(complete = completes_spawn)] plain_spawn: Option<String>,
    #[arg(complete = completes_own_runtime)] plain_own_runtime: Option<String>,
    #[arg(complete = completes_panic)] plain_panic: Option<String>,
    #[arg(complete = completes_sleep)] async_sleep: Option<String>,
    #[arg(complete = completes_block_on)] async_block_on: Option<String>,
    #[arg(complete = completes_panic_later)] async_panic: Option<String>,
    choice: Option<Choice>,
    unaided: Option<String>,
) -> String {
    let texts = [
        inline_spawn,
        inline_panic,
        plain_spawn,
        plain_own_runtime,
        plain_panic,
        async_sleep,
        async_block_on,
        async_panic,
        choice.map(|Choice::One| "one".to_owned()),
        unaided,
    ];
    texts.into_iter().flatten().collect()
}
