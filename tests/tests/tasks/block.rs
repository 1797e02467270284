//! Tasks that block their threads, which must not look like those of a dead process.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use mcp_runtime::prelude::*;
use mcp_runtime::task::LeaseOwner;
use mcp_tests::store::{RecordedRequest, ToldStore};
use serde_json::{Value, json};

/// As many as block every thread that tasks have.
const TASKS: usize = 2;

/// What has happened, for whoever waits for it.
#[derive(Debug, Default)]
struct Scene {
    seen: Mutex<Seen>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Seen {
    /// How often a task was begun.
    begun: usize,
    /// The blocking tasks may end.
    is_open: bool,
    renewals: HashMap<LeaseOwner, usize>,
    claims: usize,
}

impl Scene {
    fn change(&self, change: impl FnOnce(&mut Seen)) {
        change(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }

    fn wait(&self, until: impl Fn(&Seen) -> bool) {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_while(seen, |seen| !until(seen)));
    }
}

/// Block the thread until the test says so.
#[mcp_tool(task = "required", group = "block")]
async fn block(scene: State<Arc<Scene>>) -> String {
    scene.change(|seen| seen.begun += 1);
    scene.wait(|seen| seen.is_open);
    "done".to_owned()
}

/// Sends a request of a client that can do with tasks, and gives its result.
pub(crate) fn ask(server: &Server, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {
            "extensions": {"io.modelcontextprotocol/tasks": {}},
        },
    });
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    server.handle_request(&request).unwrap()["result"].take()
}

#[test]
fn tasks_that_block_their_threads_are_not_run_twice() {
    let scene = Arc::new(Scene::default());
    let watched = Arc::clone(&scene);
    let store = Arc::new(ToldStore::new(move |asked| match asked {
        RecordedRequest::Create(..) => {}
        RecordedRequest::Claim(_) => watched.change(|seen| seen.claims += 1),
        RecordedRequest::Renew(owner) => {
            watched.change(|seen| *seen.renewals.entry(owner).or_default() += 1);
        }
    }));
    let server = || {
        mcp_runtime::server!()
            .groups(["block"])
            .state(Arc::clone(&scene))
            .task_store(Arc::clone(&store))
            // So long that a server which is held up for a moment does not count as dead.
            .task_lease(Duration::from_secs(6))
            .build()
            .unwrap()
    };
    let (first, second) = (server(), server());
    let ids: Vec<_> = (0..TASKS)
        .map(|_| ask(&first, "tools/call", json!({"name": "block"}))["taskId"].take())
        .collect();
    scene.wait(|seen| seen.begun == TASKS);
    second.resume_tasks();
    let before = {
        let seen = scene.seen.lock().unwrap();
        (seen.renewals.values().sum::<usize>(), seen.claims)
    };
    // Five renewals are longer than a lease, and the other has looked for tasks meanwhile.
    scene.wait(|seen| {
        let renewals = seen.renewals.values().sum::<usize>();
        seen.begun > TASKS || renewals >= before.0 + 5 && seen.claims >= before.1 + 10
    });
    scene.change(|seen| seen.is_open = true);
    for id in ids {
        while ask(&first, "tasks/get", json!({"taskId": id}))["status"] != "completed" {
            std::thread::yield_now();
        }
    }
    assert_eq!(scene.seen.lock().unwrap().begun, TASKS);
}
