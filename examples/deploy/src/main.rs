//! A deployment in one straight line: it asks, becomes a task, asks again in the middle, and survives `kill -9`.
//!
//! ```text
//! cargo test -q -p deploy --test survive     # kills it in the middle of a step, and shows that it goes on
//! cargo run -q -p deploy -- call deploy service=shop version=1.4.0     # asks you, in the terminal
//! cargo run -q -p deploy                     # serves over stdio
//! cargo run -q -p deploy -- http             # at http://127.0.0.1:8000/mcp
//! ```
//!
//! `tasks.sqlite` and `deploy.log` are made in the folder that the environment variable `DEPLOY_FOLDER` names, or in the
//! current one. A client that knows no tasks gets the same in rounds; with `MCP_SEALING_KEYS` set, these outlive the server, too.

mod cluster;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use mcp_runtime::prelude::*;
use mcp_runtime::task::SqliteTaskStore;

use crate::cluster::Cluster;

/// What a person is asked before something happens that cannot be taken back.
#[derive(ElicitForm)]
struct GoOn {
    /// Go on?
    yes: bool,
}

/// Deploy a release of a service, and ask the user before it gets any traffic and before it gets all.
#[mcp_tool(destructive, task = "deferred")]
async fn deploy(
    /// The name of the service.
    #[arg(pattern = "^[a-z][a-z0-9-]*$", example = "shop")]
    service: &str,
    /// The version to deploy.
    #[arg(pattern = r"^\d+\.\d+\.\d+$", example = "1.4.0")]
    version: &str,
    cluster: State<Cluster>,
    ctx: &Context,
) -> Result<String, ToolError> {
    let release = format!("{service} {version}");
    if !go_on(ctx, "deploy", format!("Deploy {release}?")).await? {
        return Ok(format!("{release} was not deployed"));
    }

    // From here on it may take an hour: the call is answered, and the rest is a task that its client looks at.
    ctx.into_task().await?;

    // What was done once is not done again, whatever happens to the server.
    let (cluster, release) = (&*cluster, &*release);
    let step = |name| ctx.once_with(name, move |key| cluster.take(name, release, key));
    ctx.status("building");
    step("build").await?;
    ctx.status("uploading");
    step("upload").await?;
    ctx.status("migrating the database");
    step("migrate").await?;
    ctx.status("switching a tenth of the traffic");
    step("switch a tenth").await?;

    let question = format!("{release} looks good on a tenth of the traffic. Switch the rest?");
    if !go_on(ctx, "switch", question).await? {
        ctx.status("switching back");
        step("switch back").await?;
        return Ok(format!("{release} was taken back"));
    }
    ctx.status("switching the rest");
    step("switch the rest").await?;
    Ok(format!("{release} is deployed"))
}

/// Whether the user says yes; to refuse the question and to leave it both mean no.
async fn go_on(ctx: &Context, key: &str, question: String) -> Result<bool, ToolError> {
    let answer = ctx.elicit::<GoOn>(key, question).await?;
    Ok(answer.accepted().is_some_and(|go_on| go_on.yes))
}

fn server(cluster: Cluster, tasks: SqliteTaskStore) -> ServerBuilder {
    mcp_runtime::server!()
        .instructions(
            "Deploys releases. People decide; a deployment that waits for them is in no hurry.",
        )
        .state(cluster)
        .task_store(tasks)
        // How long after a crash the next server waits until it goes on with what was running.
        .task_lease(Duration::from_secs(2))
}

fn main() -> ExitCode {
    let folder = std::env::var_os("DEPLOY_FOLDER").unwrap_or_else(|| ".".into());
    let folder = PathBuf::from(folder);
    let cluster = Cluster::new(folder.join("deploy.log"), Duration::from_millis(500));
    match SqliteTaskStore::open(folder.join("tasks.sqlite")) {
        Ok(tasks) => mcp_runtime::main!(server(cluster, tasks)),
        Err(error) => {
            eprintln!(
                "the tasks in {} cannot be opened: {error}",
                folder.display()
            );
            ExitCode::FAILURE
        }
    }
}
