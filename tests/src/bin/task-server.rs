//! A server of tasks in a file, to be killed at any moment.
//!
//! `task-server DATABASE EFFECTS GROUP [LEASE [GRACE]]`: what its steps do is appended to the file of effects, and the group
//! decides which of two tools of one name is served. The lease and the time of grace are given in milliseconds.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::time::Duration;

use mcp_runtime::prelude::*;
use mcp_runtime::{form::ElicitForm, task::SqliteTaskStore};

/// What the user is asked.
#[derive(ElicitForm)]
struct Name {
    /// A name.
    name: String,
}

/// The file that counts what has happened outside.
struct Effects(File);

impl Effects {
    /// Appends a line in one write, so that a kill leaves the whole of it or nothing.
    fn note(&self, line: &str) -> io::Result<()> {
        (&self.0).write_all(format!("{line}\n").as_bytes())
    }
}

/// Take six steps, and ask after the third.
#[mcp_tool(task)]
async fn walk(number: u32, effects: State<Effects>, ctx: &Context) -> Result<String, ToolError> {
    let mut name = String::new();
    for step in 0..6 {
        let did = ctx
            .once_with(format!("step {step}"), async |key| {
                effects.note(&format!("did {number} {step} {key}"))?;
                // The moment in which a step has had its effect and is not kept yet.
                tokio::time::sleep(Duration::from_millis(1)).await;
                Ok::<_, io::Error>(step)
            })
            .await?;
        effects.note(&format!("kept {number} {did}"))?;
        ctx.status(format!("step {step} is done"));
        if step == 2 {
            let answer = ctx.elicit::<Name>("name", "Who walks?").await?;
            name = answer
                .accepted()
                .map_or_else(String::new, |answer| answer.name);
        }
    }
    Ok(format!("{name} walked {number}"))
}

/// Take two steps, each of which takes its time.
#[mcp_tool(task)]
async fn plod(
    how: String,
    ms: u64,
    effects: State<Effects>,
    ctx: &Context,
) -> Result<String, ToolError> {
    let time = Duration::from_millis(ms);
    for step in 0..2 {
        let plodded = ctx.once(format!("step {step}"), async {
            effects.note(&format!("began {step}"))?;
            match &*how {
                "blocks" => std::thread::sleep(time),
                "spawns" => tokio::spawn(tokio::time::sleep(time)).await?,
                _ => tokio::time::sleep(time).await,
            }
            effects.note(&format!("ended {step}"))?;
            Ok::<_, ToolError>(())
        });
        plodded.await?;
    }
    Ok("plodded".to_owned())
}

/// Be there.
#[mcp_tool]
fn be_there() -> &'static str {
    "here"
}

/// Wait for a name, as an older program does.
#[mcp_tool(task, name = "morph", group = "old")]
async fn morph_old(ctx: &Context) -> Result<String, ToolError> {
    ctx.elicit::<Name>("name", "Who?").await?;
    Ok("old".to_owned())
}

/// Wait for a name, as a newer program does.
#[mcp_tool(task, name = "morph", group = "new")]
async fn morph_new(patience: u32, ctx: &Context) -> Result<String, ToolError> {
    ctx.elicit::<Name>("name", "Who?").await?;
    Ok(format!("new {patience}"))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("DATABASE EFFECTS GROUP are needed");
    let (database, effects, group) = (next()?, next()?, next()?);
    let lease = arguments.next().map_or(Ok(500), |lease| lease.parse())?;
    let grace = arguments.next().map_or(Ok(1_000), |grace| grace.parse())?;
    let effects = OpenOptions::new().append(true).create(true).open(effects)?;
    mcp_runtime::server!()
        .groups(["", &*group])
        .state(Effects(effects))
        .task_store(SqliteTaskStore::open(database)?)
        .task_lease(Duration::from_millis(lease))
        .shutdown_timeout(Duration::from_millis(grace))
        .tasks_running(200)
        .build()?
        .serve_stdio_blocking()?;
    Ok(())
}
