//! What the user's answers decide, in process; `tests/survive.rs` has the kill.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use super::*;

mcp_runtime::check!(Deployment::new().builder());

/// A folder of a test, with the steps that were taken in it.
struct Deployment(PathBuf);

impl Deployment {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("deploy-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn cluster(&self) -> Cluster {
        Cluster::new(self.0.join("deploy.log"), Duration::ZERO)
    }

    fn builder(&self) -> ServerBuilder {
        let tasks = SqliteTaskStore::open(self.0.join("tasks.sqlite")).unwrap();
        server(self.cluster(), tasks)
    }

    fn client(&self, capabilities: Value) -> Client {
        Client {
            server: self.builder().build().unwrap(),
            capabilities,
        }
    }

    /// What was done, in its order.
    fn steps(&self) -> Vec<String> {
        let log = fs::read_to_string(self.0.join("deploy.log")).unwrap_or_default();
        let steps = log.lines().map(|line| line.split(':').next().unwrap());
        steps.map(str::to_owned).collect()
    }
}

impl Drop for Deployment {
    fn drop(&mut self) {
        // A folder that stays behind in the system's place for such harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

struct Client {
    server: Server,
    capabilities: Value,
}

impl Client {
    /// Sends a request, and gives its result.
    async fn ask(&self, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": self.capabilities,
        });
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut answer = self.server.handle(&request).await.unwrap();
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].take()
    }

    /// Calls the tool, again and again with the answers that it asks for.
    async fn deploy(&self, answers: &[Value]) -> Value {
        let mut params =
            json!({"name": "deploy", "arguments": {"service": "shop", "version": "1.4.0"}});
        let mut result = self.ask("tools/call", params.clone()).await;
        for answer in answers {
            let asked = result["inputRequests"].as_object().expect("a question");
            let key = asked.keys().next().expect("a question");
            params["inputResponses"] = json!({key: answer});
            if let Some(state) = result.get("requestState") {
                params["requestState"] = state.clone();
            }
            result = self.ask("tools/call", params.clone()).await;
        }
        result
    }

    /// The task when it no longer works.
    async fn task(&self, id: &Value) -> Value {
        loop {
            let task = self.ask("tasks/get", json!({"taskId": id})).await;
            if task["status"] != "working" {
                return task;
            }
        }
    }

    /// A task that waits for its second answer.
    async fn waiting_task(&self) -> Value {
        let created = self.deploy(&[yes()]).await;
        assert_eq!(created["resultType"], "task");
        let task = self.task(&created["taskId"]).await;
        assert_eq!(task["status"], "input_required");
        task["taskId"].clone()
    }
}

fn knows_tasks() -> Value {
    json!({"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}})
}

fn yes() -> Value {
    json!({"action": "accept", "content": {"yes": true}})
}

/// All ways of not saying yes.
fn noes() -> [Value; 3] {
    [
        json!({"action": "accept", "content": {"yes": false}}),
        json!({"action": "decline"}),
        json!({"action": "cancel"}),
    ]
}

#[tokio::test]
async fn nothing_is_done_before_the_user_says_yes() {
    for no in noes() {
        let deployment = Deployment::new();
        let result = deployment.client(knows_tasks()).deploy(&[no]).await;
        assert_eq!(result["content"][0]["text"], "shop 1.4.0 was not deployed");
        assert_eq!(deployment.steps(), [""; 0]);
    }
}

#[tokio::test]
async fn what_the_user_does_not_like_is_taken_back() {
    for no in noes() {
        let deployment = Deployment::new();
        let client = deployment.client(knows_tasks());
        let id = client.waiting_task().await;
        let answers = json!({"taskId": id, "inputResponses": {"switch": no}});
        client.ask("tasks/update", answers).await;
        let task = client.task(&id).await;
        assert_eq!(
            task["result"]["content"][0]["text"],
            "shop 1.4.0 was taken back"
        );
        assert_eq!(
            deployment.steps(),
            [
                "build",
                "upload",
                "migrate",
                "switch a tenth",
                "switch back"
            ]
        );
    }
}

#[tokio::test]
async fn a_task_that_is_cancelled_goes_no_further() {
    let deployment = Deployment::new();
    let client = deployment.client(knows_tasks());
    let id = client.waiting_task().await;
    client.ask("tasks/cancel", json!({"taskId": id})).await;
    // It is asked for until it has ended: to cancel is a wish, which the task hears of when it next runs.
    let mut task = client.task(&id).await;
    while task["status"] == "input_required" {
        task = client.task(&id).await;
    }
    assert_eq!(task["status"], "cancelled");
    assert_eq!(
        deployment.steps(),
        ["build", "upload", "migrate", "switch a tenth"]
    );
}

#[tokio::test]
async fn a_client_without_tasks_gets_the_same_in_rounds() {
    let deployment = Deployment::new();
    let client = deployment.client(json!({"elicitation": {}}));
    let result = client.deploy(&[yes(), yes()]).await;
    assert_eq!(result["content"][0]["text"], "shop 1.4.0 is deployed");
    assert_eq!(
        deployment.steps(),
        [
            "build",
            "upload",
            "migrate",
            "switch a tenth",
            "switch the rest"
        ]
    );
}

#[tokio::test]
async fn a_step_that_was_cut_is_not_taken_twice() {
    let deployment = Deployment::new();
    for key in ["one", "one", "two"] {
        let cluster = deployment.cluster();
        cluster.take("build", "shop 1.4.0", key).await.unwrap();
    }
    assert_eq!(deployment.steps(), ["build", "build"]);
}
