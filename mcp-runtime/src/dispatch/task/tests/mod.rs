//! Tasks from beginning to end, with a clock and a spawner of the tests' own: nothing waits, and a crash is a drop.
#![cfg(feature = "macros")]
#![allow(
    unused_imports,
    clippy::needless_pass_by_value,
    reason = "which traits an expansion needs differs, and only here its macros are this crate's own; JSON is written in place"
)]

mod asking;
mod bounds;
mod changed;
mod failing;
mod lease;
mod life;
mod listening;
mod stray;
mod together;

use std::any::TypeId;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context as TaskContext, Poll, Wake, Waker};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::{TaskOptions, Tasks};
use crate::dispatch::environment::{Environment, NoRandomness};
use crate::dispatch::{
    Answer, CacheScope, CallHandle, Core, KeyRing, Limits, Opened, Options, PendingCall, Principal,
    Profile, Sealing,
};
use crate::jsonrpc::RawId;
use crate::prelude::*;
use crate::protocol::Implementation;
use crate::protocol::TASKS_EXTENSION;
use crate::registry::{Listing, Registered, Registry, Tool};
use crate::task::{MemoryTaskStore, TaskFuture, TaskSpawner, TaskStore};
use crate::{context::ErrorObject, mcp_tool};

/// Greet somebody.
#[mcp_tool(task, crate = crate, group = "task-tests")]
async fn greet(name: String) -> String {
    format!("Hello, {name}!")
}

/// Wait until the gate opens.
#[mcp_tool(task, crate = crate, group = "task-tests")]
async fn pass(gate: State<Semaphore>, ctx: &Context) -> Result<String, ToolError> {
    ctx.status("at the gate");
    let _passed = gate.acquire().await?;
    Ok("passed".to_owned())
}

/// Wait until nobody wants it any more.
#[mcp_tool(task = "required", crate = crate, group = "task-tests")]
async fn watch(ctx: &Context) -> String {
    ctx.cancelled().await;
    "seen".to_owned()
}

/// Fail.
#[mcp_tool(task, crate = crate, group = "task-tests")]
async fn fail(how: String) -> Result<String, ToolError> {
    match &*how {
        "request" => Err(ToolError::request(ErrorObject::new(
            -32_603,
            "no quota left",
        ))),
        "panic" => panic!("as told"),
        _ => Err(ToolError::new("no")),
    }
}

/// Wait for longer than is allowed.
#[mcp_tool(task, timeout = "2s", crate = crate, group = "task-tests")]
async fn linger() -> String {
    std::future::pending().await
}

/// Tell how much time is left, and wait.
#[mcp_tool(task, timeout = "60s", crate = crate, group = "task-tests")]
async fn hurry(effects: State<Effects>, ctx: &Context) -> String {
    let left = ctx.remaining_time().map(|left| left.as_secs());
    effects.0.lock().unwrap().push(format!("{left:?} s left"));
    std::future::pending().await
}

/// One question of the tests.
struct Name(String);

impl ElicitForm for Name {
    fn requested_schema() -> &'static str {
        r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#
    }

    fn from_content(
        content: &serde_json::value::RawValue,
    ) -> Result<Self, Vec<crate::form::FormFault>> {
        let content: Value = serde_json::from_str(content.get()).unwrap();
        content["name"]
            .as_str()
            .map(|name| Self(name.to_owned()))
            .ok_or_else(Vec::new)
    }
}

/// What has happened outside.
#[derive(Debug, Default)]
struct Effects(Mutex<Vec<String>>);

/// Ask twice at a time, and do one thing between two waits.
#[mcp_tool(task, crate = crate, group = "task-tests")]
async fn converse(
    gate: State<Semaphore>,
    effects: State<Effects>,
    ctx: &Context,
) -> Result<String, ToolError> {
    let first = ctx.elicit::<Name>("first", "Your first name?");
    let last = ctx.elicit::<Name>("last", "Your last name?");
    let (first, last) = both(first, last).await;
    let (first, last) = (first?.accepted(), last?.accepted());
    let kept = ctx
        .once_with("keep", |key| async move {
            effects.0.lock().unwrap().push(key.to_string());
            Ok::<_, ToolError>(effects.0.lock().unwrap().len())
        })
        .await?;
    let _passed = gate.acquire().await?;
    let name = |name: Option<Name>| name.map_or("nobody".to_owned(), |Name(name)| name);
    Ok(format!("{} {} {kept}", name(first), name(last)))
}

/// Wait until the gate opens, and do one thing then.
#[mcp_tool(task, crate = crate, group = "task-tests")]
async fn act(
    gate: State<Semaphore>,
    effects: State<Effects>,
    ctx: &Context,
) -> Result<String, ToolError> {
    let _passed = gate.acquire().await?;
    let act = async {
        effects.0.lock().unwrap().push("act".to_owned());
        Ok::<_, ToolError>(())
    };
    ctx.once("act", act).await?;
    Ok("acted".to_owned())
}

/// Ask, and then take one's time.
#[mcp_tool(task = "deferred", crate = crate, group = "task-tests")]
async fn hand_over(effects: State<Effects>, ctx: &Context) -> Result<String, ToolError> {
    let name = ctx.elicit::<Name>("name", "Your name?").await?.accepted();
    ctx.once("step", async {
        effects.0.lock().unwrap().push("step".to_owned());
        Ok::<_, ToolError>(())
    })
    .await?;
    ctx.into_task().await?;
    let colour = ctx
        .elicit::<Name>("colour", "Your colour?")
        .await?
        .accepted();
    let text = |name: Option<Name>| name.map_or("none".to_owned(), |Name(name)| name);
    Ok(format!("{} likes {}", text(name), text(colour)))
}

/// Remember more and more.
#[mcp_tool(task, crate = crate, group = "task-tests")]
async fn hoard(ctx: &Context) -> Result<String, ToolError> {
    for step in 0..5 {
        let load = async { Ok::<_, ToolError>("x".repeat(1_000)) };
        ctx.once(format!("step {step}"), load).await?;
    }
    Ok("all kept".to_owned())
}

/// Claim to have a long way to go.
#[mcp_tool(crate = crate, group = "task-tests")]
async fn presume(ctx: &Context) -> Result<String, ToolError> {
    ctx.into_task().await?;
    Ok("done".to_owned())
}

/// Waits for two futures at one time.
async fn both<A: Unpin + Future, B: Unpin + Future>(mut a: A, mut b: B) -> (A::Output, B::Output) {
    let (mut left, mut right) = (None, None);
    std::future::poll_fn(|context| {
        if left.is_none()
            && let Poll::Ready(value) = Pin::new(&mut a).poll(context)
        {
            left = Some(value);
        }
        if right.is_none()
            && let Poll::Ready(value) = Pin::new(&mut b).poll(context)
        {
            right = Some(value);
        }
        match (left.take(), right.take()) {
            (Some(left), Some(right)) => Poll::Ready((left, right)),
            (first, second) => {
                (left, right) = (first, second);
                Poll::Pending
            }
        }
    })
    .await
}

/// The time and "random" bytes of a test.
#[derive(Debug)]
struct World {
    now: AtomicU64,
    random: AtomicU64,
}

impl Environment for World {
    fn unix_millis(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    fn fill_random(&self, bytes: &mut [u8]) -> Result<(), NoRandomness> {
        let number = self.random.fetch_add(1, Ordering::Relaxed);
        bytes.fill(0);
        bytes[..8].copy_from_slice(&number.to_be_bytes());
        Ok(())
    }
}

/// Runs futures when the test says so.
struct Bench {
    world: Arc<World>,
    futures: Mutex<Vec<TaskFuture>>,
}

impl std::fmt::Debug for Bench {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Bench")
    }
}

impl TaskSpawner for Bench {
    fn spawn(&self, future: TaskFuture) {
        self.futures.lock().unwrap().push(future);
    }

    fn sleep(&self, time: Duration) -> TaskFuture {
        let until = self.world.unix_millis() + u64::try_from(time.as_millis()).unwrap();
        let world = Arc::clone(&self.world);
        Box::pin(std::future::poll_fn(move |_| {
            if world.unix_millis() >= until {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        }))
    }
}

#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Bench {
    /// Polls everything until nothing moves.
    fn settle(&self) {
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = TaskContext::from_waker(&waker);
        loop {
            let mut futures = std::mem::take(&mut *self.futures.lock().unwrap());
            futures.retain_mut(|future| future.as_mut().poll(&mut context).is_pending());
            let mut all = self.futures.lock().unwrap();
            let spawned = !all.is_empty();
            all.append(&mut futures);
            if !spawned && !woken.0.swap(false, Ordering::Relaxed) {
                return;
            }
        }
    }
}

/// One process, on a store that others may share.
struct Process {
    core: Arc<Core>,
    bench: Arc<Bench>,
    gate: Arc<Semaphore>,
    effects: Arc<Effects>,
}

/// What has become of a request.
enum Sent {
    Answered(Vec<u8>),
    Waiting(PendingCall),
}

fn world() -> Arc<World> {
    Arc::new(World {
        now: AtomicU64::new(1_000_000),
        random: AtomicU64::new(1),
    })
}

impl Process {
    fn on(store: &Arc<dyn TaskStore>, world: &Arc<World>) -> Self {
        Self::with(store, world, TaskOptions::default(), |_| true)
    }

    fn with(
        store: &Arc<dyn TaskStore>,
        world: &Arc<World>,
        options: TaskOptions,
        serves: impl Fn(&str) -> bool,
    ) -> Self {
        let entries = Registered::all().tools.into_iter();
        let tools = entries
            .filter(|entry| entry.item.group == "task-tests" && serves(entry.item.name))
            .map(|entry| Arc::new(Tool::annotated(entry, None)));
        let registry =
            Registry::new(tools.collect(), Vec::new(), Vec::new(), 100, Listing::Full).unwrap();
        let gate = Arc::new(Semaphore::new(0));
        let mut states: crate::dispatch::States = HashMap::new();
        states.insert(TypeId::of::<Semaphore>(), Arc::clone(&gate) as Arc<_>);
        let effects = Arc::new(Effects::default());
        states.insert(TypeId::of::<Effects>(), Arc::clone(&effects) as Arc<_>);
        let bench = Arc::new(Bench {
            world: Arc::clone(world),
            futures: Mutex::default(),
        });
        let tasks = Tasks::new(
            Arc::clone(store),
            Arc::clone(&bench) as Arc<dyn TaskSpawner>,
            options,
        );
        let environment: Arc<dyn Environment> = Arc::clone(world) as Arc<_>;
        let sealing = Sealing {
            keys: KeyRing::random(),
            name: "tested".into(),
            environment,
            guard: None,
        };
        let core = Core::new(registry, states, server_options(), sealing, Some(tasks));
        Self {
            core: Arc::new(core),
            bench,
            gate,
            effects,
        }
    }

    /// Sends a request of a client that can do with tasks.
    fn ask(&self, method: &str, params: Value) -> Value {
        self.ask_as(method, params, both_capabilities())
    }

    fn ask_as(&self, method: &str, params: Value, capabilities: Value) -> Value {
        self.ask_by(None, method, params, capabilities)
    }

    fn ask_by(
        &self,
        principal: Option<&str>,
        method: &str,
        params: Value,
        capabilities: Value,
    ) -> Value {
        let response = match self.send(principal, method, params, capabilities) {
            Sent::Answered(response) => response,
            Sent::Waiting(mut call) => poll_through(&mut call, RawId::NULL),
        };
        serde_json::from_slice(&response).unwrap()
    }

    /// Sends a request, which may be answered later.
    fn send(
        &self,
        principal: Option<&str>,
        method: &str,
        mut params: Value,
        capabilities: Value,
    ) -> Sent {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        let message =
            json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let mut readable = Vec::new();
        let Opened::Request(request) = self.core.open(message.as_bytes(), &mut readable) else {
            panic!("{message}");
        };
        let mut out = Vec::new();
        let control = CallHandle::default().with_principal(principal.map(Principal::new));
        let control = Arc::new(control);
        match self.core.answer(&request, &control, &mut out) {
            Answer::Pending(call) => Sent::Waiting(call),
            _ => Sent::Answered(out),
        }
    }

    /// Begins a task, and gives its id.
    fn begin(&self, tool: &str, arguments: Value) -> String {
        let created = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(created["result"]["resultType"], "task", "{created}");
        created["result"]["taskId"].as_str().unwrap().to_owned()
    }

    fn get(&self, id: &str) -> Value {
        let mut answer = self.ask("tasks/get", json!({"taskId": id}));
        assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
        answer["result"].take()
    }

    fn cancel(&self, id: &str) -> Value {
        self.ask("tasks/cancel", json!({"taskId": id}))
    }

    fn answer(&self, id: &str, answers: Value) -> Value {
        self.ask(
            "tasks/update",
            json!({"taskId": id, "inputResponses": answers}),
        )
    }

    /// Ends the work on tasks.
    fn stop(&self) {
        let mut stop: Pin<Box<dyn Future<Output = ()>>> = Box::pin(self.core.stop_tasks());
        let mut context = TaskContext::from_waker(Waker::noop());
        assert!(stop.as_mut().poll(&mut context).is_ready());
    }

    /// Lets time pass in small steps, as it does.
    fn pass(&self, time: Duration) {
        for _ in 0..time.as_millis() / 100 {
            self.bench.world.now.fetch_add(100, Ordering::Relaxed);
            self.bench.settle();
        }
    }
}

fn poll_through(call: &mut PendingCall, id: RawId<'_>) -> Vec<u8> {
    match call.poll(id, &mut TaskContext::from_waker(Waker::noop())) {
        Poll::Ready(response) => response,
        Poll::Pending => panic!("the stores of these tests answer at once"),
    }
}

fn server_options() -> Options {
    Options {
        info: Implementation::new("tests", "1"),
        instructions: None,
        profile: Profile::Strict,
        limits: Limits::default(),
        mask_errors: false,
        repair: false,
        list_ttl: Duration::ZERO,
        cache_scope: CacheScope::Private,
        fixed_lists: false,
        sessions: true,
    }
}

fn both_capabilities() -> Value {
    json!({"extensions": {TASKS_EXTENSION: {}}, "elicitation": {}})
}

fn memory() -> Arc<dyn TaskStore> {
    Arc::new(MemoryTaskStore::new())
}
