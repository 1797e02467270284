//! Prompts and resources that take their time, a task, and changes of a running server; in a group of their own, since most
//! tests are about tools alone.

use std::collections::BTreeMap;
use std::time::Duration;

use mcp_runtime::RegisterError;
use mcp_runtime::prelude::*;

use crate::tool::SERVER;

fn block(ms: u64) -> String {
    std::thread::sleep(Duration::from_millis(ms));
    format!("blocked {ms} ms")
}

/// Keep a thread busy for so many milliseconds.
#[mcp_prompt(group = "more")]
fn block_prompt(#[arg(complete = lengths)] ms: u64) -> String {
    block(ms)
}

fn lengths(_: &str) -> Vec<&'static str> {
    vec!["1", "10"]
}

/// What is there after so many milliseconds of a busy thread.
#[mcp_resource("blocked://{ms}", group = "more")]
fn blocked(ms: u64) -> String {
    block(ms)
}

/// Be a task.
#[mcp_tool(group = "more", task)]
async fn be_a_task() -> &'static str {
    "done"
}

/// Add a tool, a prompt, a resource or a template.
#[mcp_tool(group = "more")]
fn register(what: &str) -> Result<(), RegisterError> {
    let Some(server) = SERVER.get() else {
        return Ok(());
    };
    match what {
        "tool" => {
            let schema = serde_json::json!({"type": "object"});
            let answer = |_: serde_json::Value| Ok::<_, ToolError>("registered");
            server.register_tool("registered", "A tool.", schema, answer)
        }
        "prompt" => {
            let answer = |_: BTreeMap<String, String>| Ok::<_, ToolError>("registered");
            server.register_prompt("registered", "A prompt.", [], answer)
        }
        "resource" => {
            let answer = |_: String| Ok::<_, ResourceError>("registered");
            server.register_resource("registered://one", "registered", "A resource.", answer)
        }
        _ => {
            let answer = |_: BTreeMap<String, String>| Ok::<_, ResourceError>("registered");
            server.register_resource_template("registered://all/{x}", "registered", "Some.", answer)
        }
    }
}
