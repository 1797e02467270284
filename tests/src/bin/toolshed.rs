//! A server with one tool for each thing that a command line has to deal with.
#![allow(
    missing_docs,
    clippy::print_stdout,
    reason = "a program for tests, which prints before it serves to show that this does no harm"
)]

use std::process::ExitCode;

use mcp_runtime::prelude::*;

/// Add two integers.
///
/// The sum must fit into 64 bits.
#[mcp_tool(read_only)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Somebody.
#[mcp_type]
struct Person {
    name: String,
    age: Option<u8>,
}

/// What was understood.
#[mcp_type]
struct Card {
    name: String,
    age: Option<u8>,
    tags: Vec<String>,
    loud: bool,
}

/// Make a card for somebody.
#[mcp_tool(title = "Card printer", destructive = false)]
fn card(
    /// Whose card it is.
    user: Person,
    /// Words to put on it.
    #[arg(default = Vec::new())]
    tags: Vec<String>,
    /// Whether it is in capitals.
    #[arg(default = false)]
    loud: bool,
) -> Card {
    Card {
        name: user.name,
        age: user.age,
        tags,
        loud,
    }
}

/// Show a picture.
#[mcp_tool]
fn picture() -> Vec<ContentBlock> {
    vec![
        ContentBlock::text("a picture"),
        ContentBlock::image([0; 100], "image/png"),
    ]
}

/// Fail.
#[mcp_tool]
fn fail(why: String) -> Result<String, String> {
    Err(why)
}

/// Say more than fits into a pipe.
#[mcp_tool]
fn flood() -> String {
    "and so on\n".repeat(100_000)
}

/// Panic.
#[mcp_tool]
fn panic() -> String {
    panic!("the tool's own words")
}

/// Wait for a moment on the runtime's clock.
#[mcp_tool]
async fn wait() -> &'static str {
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    "waited"
}

/// Keep a thread of the async runtime for as long as the process lives.
#[mcp_tool(group = "slow")]
async fn hold_worker() -> &'static str {
    tracing::warn!("hold_worker begun");
    loop {
        std::thread::sleep(std::time::Duration::from_secs(60));
    }
}

/// Tell that it has begun, and wait until somebody makes a file.
#[mcp_tool(group = "slow")]
async fn linger(until: std::path::PathBuf, ctx: Context) -> &'static str {
    ctx.progress(0.0);
    while !until.exists() {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    "lingered"
}

/// Wait for ever.
#[mcp_tool(timeout = "10ms")]
async fn stall() -> String {
    std::future::pending().await
}

/// Take cells that may be empty.
#[mcp_tool(name = "sheet.fill")]
fn sheet_fill(cells: &[Option<i64>]) -> usize {
    cells.len()
}

/// Reset everything.
#[mcp_tool(group = "admin", destructive)]
fn reset() {}

/// Log something at each level.
#[mcp_tool]
fn talk() -> &'static str {
    tracing::warn!(tool = "talk", count = 3, "a warning");
    tracing::info!("some news");
    "talked"
}

/// Do nothing.
#[mcp_tool]
fn unwanted() {}

struct Missing;

/// Take what nobody gives.
#[mcp_tool(group = "broken")]
fn starve(_missing: State<Missing>) {}

fn server() -> ServerBuilder {
    if std::env::var_os("TOOLSHED_BANNER").is_some() {
        println!("Welcome to the toolshed!");
    }
    let builder = mcp_runtime::server!()
        .exclude("unwanted")
        .rename("toolshed::reset", "start_over")
        .page_size(3);
    match std::env::var("TOOLSHED") {
        Ok(group) => builder.groups(["", &group]),
        Err(_) => builder,
    }
}

fn main() -> ExitCode {
    mcp_runtime::main!(server())
}
