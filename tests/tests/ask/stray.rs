//! What a function has spawned and left behind: it is told when its round ends, and nothing of it stays.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

use mcp_runtime::context::ElicitFuture;
use mcp_runtime::prelude::*;
use serde_json::json;

use super::client::{Request, asked, text};
use super::form::Name;

/// Counts what lives, and notes what became of it.
#[derive(Default)]
struct Strays {
    living: AtomicUsize,
    ends: Mutex<Vec<String>>,
    asking: Mutex<Vec<ElicitFuture<ElicitOutcome<Name>>>>,
}

/// One that lives.
struct Stray(Arc<Strays>);

impl Stray {
    fn new(strays: &Arc<Strays>) -> Self {
        strays.living.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(strays))
    }
}

impl Drop for Stray {
    fn drop(&mut self) {
        self.0.living.fetch_sub(1, Ordering::Relaxed);
    }
}

fn ask_elsewhere(strays: &Arc<Strays>, ctx: Context) -> tokio::task::JoinHandle<()> {
    let stray = Stray::new(strays);
    tokio::spawn(async move {
        let asked = ctx.elicit::<Name>("name", "?").await;
        let end = match asked {
            Ok(name) => format!("{name:?}"),
            Err(error) => error.to_string(),
        };
        stray.0.ends.lock().unwrap().push(end);
    })
}

/// Ask from a task of its own, and wait for that, or work on in a step that keeps the round open.
#[mcp_tool(group = "strays")]
async fn spawn_question(
    is_busy: bool,
    strays: State<Arc<Strays>>,
    ctx: Context,
) -> Result<(), ToolError> {
    let asking = ask_elsewhere(&strays, ctx.clone());
    if is_busy {
        let work = std::future::pending::<Result<(), ToolError>>();
        ctx.once("work", work).await?;
    }
    Ok(asking.await?)
}

/// Ask from a task that nobody waits for, without being async.
#[mcp_tool(group = "strays")]
fn spawn_and_return(strays: State<Arc<Strays>>, ctx: &Context) -> &'static str {
    drop(ask_elsewhere(&strays, ctx.clone()));
    "done"
}

/// Begin a step in a task that nobody waits for.
#[mcp_tool(group = "strays")]
async fn spawn_step(strays: State<Arc<Strays>>, ctx: Context) -> &'static str {
    let stray = Stray::new(&strays);
    drop(tokio::spawn(async move {
        let push = |end| stray.0.ends.lock().unwrap().push(end);
        let step = async {
            push("has run".to_owned());
            Ok::<_, ToolError>(())
        };
        if let Err(error) = ctx.once("name", step).await {
            push(error.to_string());
        }
    }));
    "done"
}

/// Leave a question behind, and ask by returning another one.
#[mcp_tool(group = "strays")]
fn leave_and_ask(
    left: &str,
    returned: &str,
    strays: State<Arc<Strays>>,
    ctx: &Context,
) -> Result<(), ToolError> {
    let mut asking = ctx.elicit::<Name>(left, "?");
    let mut task = std::task::Context::from_waker(Waker::noop());
    assert!(Pin::new(&mut asking).poll(&mut task).is_pending());
    strays.asking.lock().unwrap().push(asking);
    Err(InputRequired::elicit::<Name>(returned, "!").into())
}

fn server(strays: &Arc<Strays>) -> Server {
    mcp_runtime::server!()
        .groups(["strays"])
        .state(Arc::clone(strays))
        .build()
        .unwrap()
}

/// Lets all tasks of this thread run until they wait.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

const TOLD: &str = "nobody waits for `name` any more: the round or the run that it belongs to has ended. \
                    What a function spawns has to end before it";

#[tokio::test]
async fn a_spawned_question_is_told_that_its_round_has_ended() {
    let strays = Arc::default();
    let server = server(&strays);
    for _ in 0..10 {
        let request = Request::call("spawn_question", json!({"is_busy": false}));
        let response = server.handle(&request.message()).await.unwrap();
        assert_eq!(asked(&response["result"]), ["name"]);
    }
    settle().await;
    assert_eq!(strays.living.load(Ordering::Relaxed), 0);
    assert_eq!(*strays.ends.lock().unwrap(), [TOLD; 10]);
    drop(server);
    assert_eq!(Arc::strong_count(&strays), 1, "nothing holds the server");
}

#[tokio::test]
async fn a_spawned_question_or_step_is_told_that_its_call_has_its_answer() {
    for tool in ["spawn_and_return", "spawn_step"] {
        let strays = Arc::default();
        let server = server(&strays);
        let request = Request::call(tool, json!({}));
        let response = server.handle(&request.message()).await.unwrap();
        assert_eq!(text(&response["result"]), "done");
        settle().await;
        assert_eq!(strays.living.load(Ordering::Relaxed), 0, "{tool}");
        assert_eq!(*strays.ends.lock().unwrap(), [TOLD], "{tool}");
    }
}

#[tokio::test]
async fn a_spawned_question_is_told_that_nobody_wants_its_call_any_more() {
    let strays = Arc::default();
    let server = server(&strays);
    let request = Request::call("spawn_question", json!({"is_busy": true}));
    let message = request.message();
    let mut call = Box::pin(server.handle(&message));
    let polled = std::future::poll_fn(|task| Poll::Ready(call.as_mut().poll(task)));
    assert!(polled.await.is_pending());
    settle().await;
    assert_eq!(strays.living.load(Ordering::Relaxed), 1);
    drop(call);
    settle().await;
    assert_eq!(strays.living.load(Ordering::Relaxed), 0);
    assert_eq!(*strays.ends.lock().unwrap(), [TOLD]);
    drop(server);
    assert_eq!(Arc::strong_count(&strays), 1);
}

#[test]
fn what_is_left_behind_asks_beside_what_is_returned_and_never_under_its_key() {
    let strays = Arc::default();
    let server = server(&strays);
    let request = |left, returned| {
        Request::call("leave_and_ask", json!({"left": left, "returned": returned}))
    };
    assert_eq!(asked(&request("a", "b").send(&server)), ["a", "b"]);
    let (code, message) = request("a", "a").refused(&server);
    assert_eq!(code, -32603);
    assert_eq!(
        message,
        "the tool `leave_and_ask` asks twice under the key `a`"
    );
    strays.asking.lock().unwrap().clear();
}

/// Ask and act in several tasks, and wait for all of them.
#[mcp_tool(group = "strays")]
async fn spawn_many(ctx: Context) -> Result<String, ToolError> {
    many(ctx).await
}

/// The same as a task of the protocol.
#[mcp_tool(group = "strays", task = "required")]
async fn spawn_many_in_a_task(ctx: Context) -> Result<String, ToolError> {
    many(ctx).await
}

async fn many(ctx: Context) -> Result<String, ToolError> {
    let spawned = ["one", "two", "three"].map(|key| {
        let ctx = ctx.clone();
        tokio::spawn(async move {
            let step = async {
                tokio::task::yield_now().await;
                Ok::<_, ToolError>(key.to_owned())
            };
            let done = ctx.once(format!("step {key}"), step).await?;
            let name = ctx.elicit::<Name>(key, "?").await?.accepted();
            let name = name.map_or_else(String::new, |name| name.name);
            Ok::<_, ToolError>(format!("{done} {name}"))
        })
    });
    let mut all = Vec::new();
    for task in spawned {
        all.push(task.await??);
    }
    Ok(all.join(", "))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_many_tasks_ask_at_one_time_is_answered() {
    let strays = Arc::default();
    let server = server(&strays);
    let mut client = server.client().tasks();
    for key in ["one", "two", "three"] {
        client = client.answer(key, json!({"name": key}));
    }
    for _ in 0..50 {
        for tool in ["spawn_many", "spawn_many_in_a_task"] {
            let outcome = client.call(tool, json!({})).await.unwrap();
            assert_eq!(outcome.text(), "one one, two two, three three");
            assert_eq!(outcome.asked().len(), 3, "nothing is asked twice");
        }
    }
}
