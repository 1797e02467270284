//! The server for clients of older revisions as a program.
//!
//! `LEGACY_TASKS=DATABASE` serves a tool that is a task, too, with plain tools for clients that do not know tasks; with an empty
//! name the tool is served without them.

use std::process::ExitCode;
use std::time::Duration;

use mcp_runtime::{ServerBuilder, task::SqliteTaskStore};

fn main() -> ExitCode {
    mcp_runtime::main!(server())
}

fn server() -> ServerBuilder {
    let server = mcp_tests::legacy::server();
    let Ok(database) = std::env::var("LEGACY_TASKS") else {
        return server;
    };
    let server = server.groups(["legacy", "legacy_task"]);
    if database.is_empty() {
        return server.call_timeout(Duration::from_millis(1));
    }
    match SqliteTaskStore::open(database) {
        Ok(store) => server
            .task_store(store)
            .task_lease(Duration::from_millis(100))
            .task_tools(),
        Err(error) => panic!("no store: {error}"),
    }
}
