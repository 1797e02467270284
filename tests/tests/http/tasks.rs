//! Tasks whose clients look at them, listen to them, answer and cancel them by requests of their own.

use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::http::HttpOptions;
use mcp_runtime::prelude::*;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc};

use super::middleware::Mounted;
use super::peer::{Peer, Post, Reply, Running, events, patiently};

/// How deep it is to be.
#[derive(ElicitForm)]
struct Depth {
    metres: u8,
}

/// Dig a well.
#[mcp_tool(task, group = "wells")]
async fn dig(ctx: &Context) -> Result<String, ToolError> {
    let answer = ctx.elicit::<Depth>("depth", "How deep?").await?;
    let depth = answer.accepted().map_or(0, |depth| depth.metres);
    ctx.status(format!("{depth} m to go"));
    Ok(format!("{depth} m deep"))
}

fn server() -> Server {
    mcp_runtime::server!().groups(["wells"]).build().unwrap()
}

/// A request of a client that can do with tasks and answer questions.
fn able(post: Post) -> Post {
    post.body(|body| {
        body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({
            "elicitation": {},
            "extensions": {"io.modelcontextprotocol/tasks": {}},
        });
    })
}

fn dig_one() -> Post {
    able(Post::call("dig", json!({})))
}

/// A request about a task.
fn about(method: &str, mut params: Value, id: &str) -> Post {
    params["taskId"] = json!(id);
    able(Post::new(method, params)).header("Mcp-Name", id)
}

fn get(id: &str) -> Post {
    about("tasks/get", json!({}), id)
}

fn answer(id: &str, metres: u8) -> Post {
    let depth = json!({"action": "accept", "content": {"metres": metres}});
    about(
        "tasks/update",
        json!({"inputResponses": {"depth": depth}}),
        id,
    )
}

fn listen(filter: &Value) -> Post {
    able(Post::new(
        "subscriptions/listen",
        json!({ "notifications": filter }),
    ))
}

/// The id of a task that has just begun.
fn begun(reply: &Reply) -> String {
    let result = &reply.json()["result"];
    assert_eq!(result["resultType"], "task", "{result}");
    result["taskId"].as_str().unwrap().to_owned()
}

/// A stream, whose events are read one by one.
struct Stream {
    peer: Peer,
    come: Vec<Value>,
}

impl Stream {
    async fn open(port: u16, post: &Post) -> Self {
        let mut peer = Peer::connect(port).await;
        peer.write(&post.bytes(port)).await;
        assert_eq!(peer.head().await.status, 200);
        let come = Vec::new();
        Self { peer, come }
    }

    async fn next(&mut self) -> Value {
        while self.come.is_empty() {
            let chunk = patiently(self.peer.chunk()).await;
            let chunk = chunk.expect("the stream goes on");
            self.come = events(&chunk);
        }
        self.come.remove(0)
    }

    /// Reads up to a state of a task; of several that follow each other at once, only the last is told.
    async fn until(&mut self, id: &str, status: &str) -> Value {
        loop {
            let told = self.next().await;
            assert_eq!(told["method"], "notifications/tasks", "{told}");
            assert_eq!(told["params"]["taskId"], id);
            if told["params"]["status"] == status {
                return told;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whose_task_it_is_hears_of_it_to_its_end_and_nobody_else_does() {
    let server = server();
    let mounted = Mounted::start(&server, HttpOptions::new()).await;
    let of = |name: &str, post: Post| post.header("Authorization", &format!("Bearer {name}"));
    let id = begun(&mounted.send(&of("ada", dig_one())).await);
    let filter = json!({"taskIds": [id], "toolsListChanged": true});
    let mut streams = Vec::new();
    for name in ["ada", "eve"] {
        let mut stream = Stream::open(mounted.port, &of(name, listen(&filter))).await;
        let acknowledged = stream.next().await;
        assert_eq!(
            acknowledged["method"],
            "notifications/subscriptions/acknowledged"
        );
        streams.push(stream);
    }
    let [ada, eve] = &mut streams[..] else {
        panic!()
    };
    let asked = ada.until(&id, "input_required").await;
    assert!(asked["params"]["inputRequests"].get("depth").is_some());
    let foreign = mounted.send(&of("eve", answer(&id, 1))).await;
    assert_eq!(foreign.code(), (200, -32602));
    let own = mounted.send(&of("ada", answer(&id, 7))).await;
    assert_eq!(own.code(), (200, 0));
    let ended = ada.until(&id, "completed").await;
    let text = &ended["params"]["result"]["content"][0]["text"];
    assert_eq!(text, "7 m deep");
    server.notify().tools_list_changed();
    for stream in [ada, eve] {
        // It came after everything that the task had to tell.
        let told = stream.next().await;
        assert_eq!(told["method"], "notifications/tools/list_changed");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_is_looked_at_answered_and_cancelled_by_requests() {
    let running = Running::start(&server()).await;
    let (id, other) = (
        begun(&running.send(&dig_one()).await),
        begun(&running.send(&dig_one()).await),
    );
    let until = async |id: &str, status: &str| loop {
        let reply = running.send(&get(id)).await;
        assert_eq!(reply.code(), (200, 0));
        let task = reply.json()["result"].clone();
        assert_eq!(task["taskId"], id);
        if task["status"] == status {
            return task;
        }
    };
    let asks = until(&id, "input_required").await;
    assert!(asks["inputRequests"].get("depth").is_some());
    let answered = running.send(&answer(&id, 3)).await;
    assert_eq!(answered.code(), (200, 0));
    let done = until(&id, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "3 m deep");
    let cancelled = running
        .send(&about("tasks/cancel", json!({}), &other))
        .await;
    assert_eq!(cancelled.code(), (200, 0));
    until(&other, "cancelled").await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_id_of_a_task_is_mirrored() {
    let running = Running::start(&server()).await;
    let (id, other) = (
        begun(&running.send(&dig_one()).await),
        begun(&running.send(&dig_one()).await),
    );
    for post in [
        get(&id),
        answer(&id, 3),
        about("tasks/cancel", json!({}), &id),
    ] {
        for wrong in [
            post.clone().with("Mcp-Name", &other),
            post.clone().with("Mcp-Name", "dig"),
            post.clone().without("Mcp-Name"),
            post.clone().header("Mcp-Name", &id),
        ] {
            assert_eq!(running.send(&wrong).await.code(), (400, -32020));
        }
    }
    // None of them has done anything.
    let task = running.send(&get(&id)).await.json()["result"].clone();
    assert!(["working", "input_required"].contains(&task["status"].as_str().unwrap()));
    running.stop().await;
}

/// What steps do, and what they wait for.
struct Steps {
    told: mpsc::UnboundedSender<String>,
    release: Semaphore,
}

/// Take two steps, each of which waits for its release.
#[mcp_tool(task, group = "steps")]
async fn take_steps(steps: State<Steps>, ctx: &Context) -> Result<String, ToolError> {
    for step in 0..2 {
        let taken = ctx.once(format!("step {step}"), async {
            steps.told.send(format!("began {step}"))?;
            steps.release.acquire().await?.forget();
            steps.told.send(format!("ended {step}"))?;
            Ok::<_, ToolError>(())
        });
        taken.await?;
    }
    Ok("taken".to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_lets_a_step_commit_and_runs_its_hooks() {
    let (told, mut tells) = mpsc::unbounded_channel();
    let hook = told.clone();
    let steps = Steps {
        told,
        release: Semaphore::new(0),
    };
    let steps = Arc::new(steps);
    let server = mcp_runtime::server!()
        .groups(["steps"])
        .shared_state(Arc::clone(&steps))
        // The first task takes the only place.
        .tasks_running(1)
        .on_shutdown(move || hook.send("hook".to_owned()).unwrap())
        .build()
        .unwrap();
    let options = HttpOptions::new().drain_timeout(Duration::from_secs(60));
    let running = Running::start_with(&server, options).await;
    let begin = able(Post::call("take_steps", json!({})));
    begun(&running.send(&begin).await);
    assert_eq!(patiently(tells.recv()).await.unwrap(), "began 0");
    let stopping = tokio::spawn(async move { running.stop().await });
    // Before the stop another task has no place, and then none is begun.
    let mut request = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "take_steps", "arguments": {}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {
                "extensions": {"io.modelcontextprotocol/tasks": {}},
            },
        }},
    });
    for id in 2.. {
        let answer = server.handle(&request).await.unwrap();
        let message = answer["error"]["message"].as_str().unwrap();
        if message.contains("stopped its work on tasks") {
            break;
        }
        request["id"] = json!(id);
        tokio::task::yield_now().await;
    }
    steps.release.add_permits(2);
    patiently(stopping).await.unwrap();
    assert_eq!(tells.try_recv().unwrap(), "ended 0");
    assert_eq!(tells.try_recv().unwrap(), "hook");
    assert!(tells.try_recv().is_err(), "no step begins");
    server.resume_tasks();
    assert_eq!(patiently(tells.recv()).await.unwrap(), "began 1");
    assert_eq!(patiently(tells.recv()).await.unwrap(), "ended 1");
}
