//! Many clients of one task at one time: each is told that it was heard, and one of them counts.

use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use mcp_runtime::prelude::*;
use mcp_runtime::task::{MemoryTaskStore, SqliteTaskStore, TaskStore};
use serde_json::{Value, json};

use crate::client::Folder;

const TASKS: usize = 30;

#[derive(ElicitForm)]
struct Name {
    name: String,
}

/// What was done, by tasks and steps.
#[derive(Debug, Default)]
struct Effects(Mutex<Vec<String>>);

/// Ask, do something in steps at one time, and ask again.
#[mcp_tool(task = "required", group = "races")]
async fn race(
    number: usize,
    effects: State<Arc<Effects>>,
    ctx: &Context,
) -> Result<String, ToolError> {
    let name = ctx.elicit::<Name>("name", "Who?").await?.accepted();
    let step = |step: &'static str| {
        let effects = &effects;
        ctx.once(step, async move {
            effects.0.lock().unwrap().push(format!("{number} {step}"));
            tokio::task::yield_now().await;
            Ok::<_, ToolError>(())
        })
    };
    ctx.status("at work");
    tokio::try_join!(step("one"), step("two"), step("three"))?;
    let last = ctx.elicit::<Name>("last", "And?").await?.accepted();
    let text = |name: Option<Name>| name.map_or_else(String::new, |name| name.name);
    Ok(format!("{} {}", text(name), text(last)))
}

/// A server on a store that others may share.
fn server(store: &Arc<dyn TaskStore>, effects: &Arc<Effects>) -> Server {
    mcp_runtime::server!()
        .groups(["races"])
        .state(Arc::clone(effects))
        .task_store(Arc::clone(store))
        .task_lease(std::time::Duration::from_secs(3))
        .build()
        .unwrap()
}

fn ask(server: &Server, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {
            "elicitation": {},
            "extensions": {"io.modelcontextprotocol/tasks": {}},
        },
    });
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let mut answer = server.handle_request(&message).unwrap();
    assert!(answer.get("result").is_some(), "{method}: {answer}");
    answer["result"].take()
}

/// Answers what is asked until the task has ended, and gives it then.
fn follow(server: &Server, id: &str, name: &str) -> Value {
    loop {
        let task = ask(server, "tasks/get", json!({"taskId": id}));
        match task["status"].as_str().unwrap() {
            "working" => thread::yield_now(),
            "input_required" => {
                let asked = task["inputRequests"].as_object().unwrap().keys();
                let answer = json!({"action": "accept", "content": {"name": name}});
                let answers: serde_json::Map<_, _> =
                    asked.map(|key| (key.clone(), answer.clone())).collect();
                let params = json!({"taskId": id, "inputResponses": answers});
                ask(server, "tasks/update", params);
            }
            _ => return task,
        }
    }
}

/// Two clients answer each task at one time, some by different servers, and a third one cancels every third of them.
fn race_on(store: &Arc<dyn TaskStore>) {
    let effects = Arc::<Effects>::default();
    let (one, two) = (server(store, &effects), server(store, &effects));
    for number in 0..TASKS {
        let arguments = json!({"name": "race", "arguments": {"number": number}});
        let id = ask(&one, "tools/call", arguments)["taskId"].take();
        let id = id.as_str().unwrap();
        let begin = Barrier::new(3);
        let (first, second) = thread::scope(|threads| {
            let client = |server, name| {
                let begin = &begin;
                threads.spawn(move || {
                    begin.wait();
                    follow(server, id, name)
                })
            };
            // What the other server is told is heard later, so few are told it there.
            let other = if number % 10 == 5 { &two } else { &one };
            let (first, second) = (client(&one, "Ada"), client(other, "Bob"));
            begin.wait();
            if number % 3 == 0 {
                for _ in 0..number {
                    thread::yield_now();
                }
                ask(&one, "tasks/cancel", json!({"taskId": id}));
            }
            (first.join().unwrap(), second.join().unwrap())
        });
        assert_eq!(first, second, "both see one end");
        if first["status"] != "completed" {
            assert_eq!(
                (&first["status"], number % 3),
                (&json!("cancelled"), 0),
                "{first}"
            );
            continue;
        }
        let text = first["result"]["content"][0]["text"].as_str().unwrap();
        let names: Vec<_> = text.split(' ').collect();
        assert!(
            names.iter().all(|name| ["Ada", "Bob"].contains(name)),
            "{text}"
        );
        assert_eq!(names.len(), 2, "{text}");
    }
    let mut done = effects.0.lock().unwrap().clone();
    done.sort();
    let all = done.len();
    done.dedup();
    assert_eq!(done.len(), all, "nothing was done twice");
}

#[test]
fn of_all_who_answer_and_cancel_in_memory_each_is_heard_and_one_counts() {
    race_on(&(Arc::new(MemoryTaskStore::new()) as Arc<_>));
}

#[test]
fn of_all_who_answer_and_cancel_in_a_file_each_is_heard_and_one_counts() {
    let folder = Folder::new();
    let store = SqliteTaskStore::open(folder.database()).unwrap();
    race_on(&(Arc::new(store) as Arc<_>));
}
