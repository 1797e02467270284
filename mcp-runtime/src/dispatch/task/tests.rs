//! Tasks from beginning to end, with a clock and a spawner of the tests' own: nothing waits, and a crash is a drop.
#![allow(
    unused_imports,
    reason = "which traits an expansion needs differs, and only here its macros are this crate's own"
)]

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
    Answer, CacheScope, CallControl, Core, Limits, Opened, Options, PendingCall, Profile,
};
use crate::jsonrpc::RawId;
use crate::prelude::*;
use crate::protocol::Implementation;
use crate::registry::{Listing, Registered, Registry, Tool};
use crate::task::{
    LeaseOwner, MemoryTaskStore, StoreFuture, StoredTask, TaskFuture, TaskId, TaskLease, TaskQuota,
    TaskSpawner, TaskStore, TaskStoreError,
};
use crate::{ErrorObject, mcp_tool};

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
        let core = Core::new(registry, states, server_options(), environment, Some(tasks));
        Self {
            core: Arc::new(core),
            bench,
            gate,
        }
    }

    /// Sends a request of a client that can do with tasks.
    fn ask(&self, method: &str, params: Value) -> Value {
        self.ask_as(
            method,
            params,
            json!({"extensions": {super::EXTENSION: {}}}),
        )
    }

    fn ask_as(&self, method: &str, mut params: Value, capabilities: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        let message =
            json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let Opened::Request(request) = self.core.open(message.as_bytes()) else {
            panic!("{message}");
        };
        let mut out = Vec::new();
        let control = Arc::new(CallControl::default());
        if let Answer::Pending(mut call) = self.core.answer(&request, &control, &mut out) {
            out = poll_through(&mut call, request.id);
        }
        serde_json::from_slice(&out).unwrap()
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
    }
}

fn memory() -> Arc<dyn TaskStore> {
    Arc::new(MemoryTaskStore::new())
}

#[test]
fn a_task_is_there_when_it_is_told_and_ends_with_its_result() {
    let process = Process::on(&memory(), &world());
    let created = process.ask(
        "tools/call",
        json!({"name": "greet", "arguments": {"name": "Ada"}}),
    );
    let created = &created["result"];
    assert_eq!(created["status"], "working");
    assert_eq!(created["createdAt"], "1970-01-01T00:16:40.000Z");
    assert_eq!(created["lastUpdatedAt"], created["createdAt"]);
    assert_eq!(created["ttlMs"], 86_400_000);
    assert_eq!(created["pollIntervalMs"], 1_000);
    for absent in ["result", "error", "inputRequests", "requestState"] {
        assert_eq!(created.get(absent), None);
    }
    let id = created["taskId"].as_str().unwrap();
    assert_eq!(process.get(id)["status"], "working");
    process.bench.settle();
    let task = process.get(id);
    assert_eq!(task["status"], "completed");
    assert_eq!(task["result"]["content"][0]["text"], "Hello, Ada!");
    assert_eq!(task["result"]["resultType"], "complete");
    assert_eq!(task.get("error"), None);
}

#[test]
fn a_client_without_the_extension_gets_calls_and_refusals() {
    let process = Process::on(&memory(), &world());
    let call = |name| json!({"name": name, "arguments": {"name": "Ada"}});
    let plain = process.ask_as("tools/call", call("greet"), json!({}));
    assert_eq!(plain["result"]["content"][0]["text"], "Hello, Ada!");
    let required = json!({"extensions": {super::EXTENSION: {}}});
    for (method, params) in [
        ("tools/call", json!({"name": "watch"})),
        ("tasks/get", json!({"taskId": "gate-test"})),
        ("tasks/update", json!({"taskId": 7})),
        ("tasks/cancel", json!({})),
    ] {
        let refused = process.ask_as(method, params, json!({"extensions": {}}));
        assert_eq!(refused["error"]["code"], -32_021, "{method}");
        assert_eq!(refused["error"]["data"]["requiredCapabilities"], required);
    }
}

#[test]
fn ids_that_were_not_given_out_are_unknown() {
    let process = Process::on(&memory(), &world());
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        for id in [
            json!("tasks-conformance-nonexistent-12345"),
            json!("0".repeat(32)),
        ] {
            let params = json!({"taskId": id, "inputResponses": {}});
            let unknown = process.ask(method, params);
            assert_eq!(unknown["error"]["code"], -32_602);
            assert_eq!(
                unknown["error"]["message"],
                "Invalid params: task not found"
            );
        }
        for params in [json!({}), json!({"taskId": 7}), json!({"taskId": null})] {
            assert_eq!(process.ask(method, params)["error"]["code"], -32_602);
        }
    }
    for method in ["tasks/list", "tasks/result"] {
        assert_eq!(process.ask(method, json!({}))["error"]["code"], -32_601);
    }
}

#[test]
fn arguments_that_do_not_fit_are_told_at_once() {
    let process = Process::on(&memory(), &world());
    let answer = process.ask("tools/call", json!({"name": "greet", "arguments": {}}));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert_eq!(answer["result"]["resultType"], "complete");
}

#[test]
fn a_failing_tool_completes_and_a_failing_request_fails() {
    let process = Process::on(&memory(), &world());
    let run = |how| {
        let id = process.begin("fail", json!({"how": how}));
        process.bench.settle();
        process.get(&id)
    };
    let task = run("tool");
    assert_eq!(task["status"], "completed");
    assert_eq!(task["result"]["isError"], true);
    assert_eq!(task["result"]["content"][0]["text"], "Error: no");
    let task = run("panic");
    assert_eq!(task["status"], "completed");
    assert_eq!(
        task["result"]["content"][0]["text"],
        "Error: the tool failed"
    );
    let task = run("request");
    assert_eq!(task["status"], "failed");
    assert_eq!(
        task["error"],
        json!({"code": -32_603, "message": "no quota left"})
    );
    assert_eq!(task["statusMessage"], "no quota left");
    assert_eq!(task.get("result"), None);
}

#[test]
fn a_cancelled_task_stops_where_it_waits() {
    let process = Process::on(&memory(), &world());
    let id = process.begin("pass", json!({}));
    process.bench.settle();
    let acknowledged = process.cancel(&id);
    let members = acknowledged["result"].as_object().unwrap();
    assert_eq!(members.keys().collect::<Vec<_>>(), ["_meta", "resultType"]);
    process.bench.settle();
    assert_eq!(process.get(&id)["status"], "cancelled");
    // Again, and after the end, it is acknowledged all the same.
    assert_eq!(process.cancel(&id), acknowledged);
    process.gate.add_permits(1);
    process.bench.settle();
    assert_eq!(process.get(&id)["status"], "cancelled");
}

#[test]
fn a_tool_that_watches_its_cancellation_has_the_last_word() {
    let process = Process::on(&memory(), &world());
    let id = process.begin("watch", json!({}));
    process.bench.settle();
    assert_eq!(process.get(&id)["status"], "working");
    process.cancel(&id);
    process.bench.settle();
    let task = process.get(&id);
    assert_eq!(task["status"], "completed");
    assert_eq!(task["result"]["content"][0]["text"], "seen");
}

#[test]
fn what_a_tool_says_of_itself_is_seen_while_it_waits() {
    let process = Process::on(&memory(), &world());
    let id = process.begin("pass", json!({}));
    assert_eq!(process.get(&id).get("statusMessage"), None);
    process.bench.settle();
    assert_eq!(process.get(&id)["statusMessage"], "at the gate");
    process.gate.add_permits(1);
    process.bench.settle();
    let task = process.get(&id);
    assert_eq!(
        (&task["status"], &task["statusMessage"]),
        (&json!("completed"), &json!("at the gate"))
    );
}

#[test]
fn the_limit_of_the_tool_holds_for_its_tasks() {
    let process = Process::on(&memory(), &world());
    let id = process.begin("linger", json!({}));
    process.pass(Duration::from_millis(1_900));
    assert_eq!(process.get(&id)["status"], "working");
    process.pass(Duration::from_millis(200));
    let task = process.get(&id);
    assert_eq!(task["status"], "failed");
    assert_eq!(
        task["error"],
        json!({"code": -32_603, "message": "tool timed out"})
    );
    // Without a limit of its own a task has none.
    let id = process.begin("pass", json!({}));
    process.pass(Duration::from_secs(120));
    assert_eq!(process.get(&id)["status"], "working");
}

#[test]
fn a_task_of_a_dead_process_is_taken_up_when_its_lease_has_ended() {
    let (store, world) = (memory(), world());
    let first = Process::on(&store, &world);
    let id = first.begin("pass", json!({}));
    first.bench.settle();
    drop(first);
    let second = Process::on(&store, &world);
    second.gate.add_permits(1);
    second.core.start_tasks();
    second.pass(Duration::from_secs(10));
    assert_eq!(second.get(&id)["status"], "working");
    second.pass(Duration::from_secs(12));
    assert_eq!(second.get(&id)["status"], "completed");
}

#[test]
fn a_process_that_lives_keeps_its_tasks() {
    let (store, world) = (memory(), world());
    let (first, second) = (Process::on(&store, &world), Process::on(&store, &world));
    let id = first.begin("pass", json!({}));
    second.gate.add_permits(1);
    second.core.start_tasks();
    for _ in 0..60 {
        first.pass(Duration::from_secs(1));
        second.bench.settle();
    }
    assert_eq!(second.get(&id)["status"], "working");
    first.gate.add_permits(1);
    first.bench.settle();
    assert_eq!(second.get(&id)["status"], "completed");
}

#[test]
fn a_stopped_server_leaves_its_tasks_to_the_next_at_once() {
    let (store, world) = (memory(), world());
    let first = Process::on(&store, &world);
    let id = first.begin("pass", json!({}));
    first.bench.settle();
    let mut stop: Pin<Box<dyn Future<Output = ()>>> = Box::pin(first.core.stop_tasks());
    let mut context = TaskContext::from_waker(Waker::noop());
    assert!(stop.as_mut().poll(&mut context).is_ready());
    drop(stop);
    first.gate.add_permits(1);
    first.bench.settle();
    let second = Process::on(&store, &world);
    second.core.start_tasks();
    second.bench.settle();
    assert_eq!(
        second.get(&id)["status"],
        "working",
        "the first has let go of it"
    );
    second.gate.add_permits(1);
    second.bench.settle();
    assert_eq!(second.get(&id)["status"], "completed");
    assert!(first.core.tasks.as_ref().unwrap().state().runs.is_empty());
}

#[test]
fn another_process_can_cancel() {
    let (store, world) = (memory(), world());
    let (first, second) = (Process::on(&store, &world), Process::on(&store, &world));
    let id = first.begin("pass", json!({}));
    first.bench.settle();
    second.cancel(&id);
    first.pass(Duration::from_secs(6));
    assert_eq!(second.get(&id)["status"], "cancelled");
}

#[test]
fn a_task_whose_tool_has_gone_fails_with_a_clear_text() {
    let (store, world) = (memory(), world());
    let first = Process::on(&store, &world);
    let id = first.begin("pass", json!({}));
    drop(first);
    let second = Process::with(&store, &world, TaskOptions::default(), |tool| {
        tool != "pass"
    });
    second.core.start_tasks();
    second.pass(Duration::from_secs(21));
    let task = second.get(&id);
    assert_eq!(task["status"], "failed");
    assert_eq!(
        task["error"]["message"],
        "the tool `pass` of the task is no longer served"
    );
}

#[test]
fn a_task_whose_tool_has_changed_fails_with_a_clear_text() {
    let (store, world) = (memory(), world());
    let first = Process::on(&store, &world);
    let id = first.begin("pass", json!({}));
    drop(first);
    let id_of_store: TaskId = id.parse().unwrap();
    let mut stored = crate::task::tests::wait(store.load(id_of_store))
        .unwrap()
        .unwrap();
    let mut content: Value = serde_json::from_str(&stored.content).unwrap();
    content["schema"] = json!("of an older program");
    stored.content = content.to_string();
    assert!(crate::task::tests::wait(store.replace(stored)).unwrap());
    let second = Process::on(&store, &world);
    second.core.start_tasks();
    second.pass(Duration::from_secs(21));
    let task = second.get(&id);
    assert_eq!(task["status"], "failed");
    assert_eq!(
        task["error"]["message"],
        "the tool `pass` has changed since the task began; call it again"
    );
}

#[test]
fn an_expired_task_is_unknown_and_its_run_ends() {
    let (store, world) = (memory(), world());
    let options = TaskOptions {
        ttl: Some(Duration::from_secs(10)),
        ..TaskOptions::default()
    };
    let process = Process::with(&store, &world, options, |_| true);
    let waiting = process.begin("pass", json!({}));
    let done = process.begin("greet", json!({"name": "Ada"}));
    process.pass(Duration::from_secs(9));
    assert_eq!(process.get(&done)["status"], "completed");
    process.pass(Duration::from_secs(2));
    for id in [waiting, done] {
        let unknown = process.ask("tasks/get", json!({"taskId": id}));
        assert_eq!(unknown["error"]["code"], -32_602);
    }
    process.pass(Duration::from_secs(10));
    assert!(process.core.tasks.as_ref().unwrap().state().runs.is_empty());
}

#[test]
fn nobody_may_have_more_tasks_than_the_limits_say() {
    let options = TaskOptions {
        quota: TaskQuota {
            active: 2,
            stored: 3,
        },
        ..TaskOptions::default()
    };
    let process = Process::with(&memory(), &world(), options, |_| true);
    let first = process.begin("pass", json!({}));
    process.begin("pass", json!({}));
    let call = json!({"name": "pass"});
    let refused = process.ask("tools/call", call.clone());
    assert_eq!(refused["error"]["code"], -32_603);
    assert_eq!(
        refused["error"]["message"],
        "Too many tasks: 2 tasks are running; wait for one to end, or cancel it"
    );
    process.cancel(&first);
    process.bench.settle();
    process.begin("pass", json!({}));
    let refused = process.ask("tools/call", call);
    assert_eq!(
        refused["error"]["message"],
        "Too many tasks: 2 tasks are running; wait for one to end, or cancel it"
    );
}

/// A store that fails as often as it is told.
#[derive(Debug, Default)]
struct Failing {
    store: MemoryTaskStore,
    creations: AtomicU64,
    replacements: AtomicU64,
}

impl Failing {
    fn fails(count: &AtomicU64) -> bool {
        let left = count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(1)
        });
        left.is_ok()
    }
}

fn full<'a, T: Send + 'a>() -> StoreFuture<'a, T> {
    let error = TaskStoreError::Full("/secret/path".to_owned());
    Box::pin(std::future::ready(Err(error)))
}

impl TaskStore for Failing {
    fn create(&self, task: StoredTask, quota: TaskQuota, now: u64) -> StoreFuture<'_, ()> {
        if Self::fails(&self.creations) {
            return full();
        }
        self.store.create(task, quota, now)
    }

    fn load(&self, id: TaskId) -> StoreFuture<'_, Option<StoredTask>> {
        self.store.load(id)
    }

    fn replace(&self, task: StoredTask) -> StoreFuture<'_, bool> {
        if Self::fails(&self.replacements) {
            return full();
        }
        self.store.replace(task)
    }

    fn claim(&self, lease: TaskLease, now: u64, most: usize) -> StoreFuture<'_, Vec<StoredTask>> {
        self.store.claim(lease, now, most)
    }

    fn renew(&self, lease: TaskLease) -> StoreFuture<'_, Vec<(TaskId, u64)>> {
        self.store.renew(lease)
    }

    fn release(&self, owner: LeaseOwner) -> StoreFuture<'_, ()> {
        self.store.release(owner)
    }

    fn purge(&self, now: u64) -> StoreFuture<'_, usize> {
        self.store.purge(now)
    }
}

#[test]
fn a_task_that_cannot_be_stored_is_not_begun() {
    let store = Arc::new(Failing::default());
    let process = Process::on(&(Arc::clone(&store) as Arc<_>), &world());
    store.creations.store(1, Ordering::Relaxed);
    let call = json!({"name": "greet", "arguments": {"name": "Ada"}});
    let refused = process.ask("tools/call", call);
    assert_eq!(
        refused["error"],
        json!({"code": -32_603, "message": "tasks cannot be stored now"})
    );
    assert!(process.core.tasks.as_ref().unwrap().state().runs.is_empty());
    process.begin("greet", json!({"name": "Ada"}));
}

#[test]
fn a_result_that_cannot_be_stored_waits_until_it_can() {
    let store = Arc::new(Failing::default());
    let process = Process::on(&(Arc::clone(&store) as Arc<_>), &world());
    store.replacements.store(4, Ordering::Relaxed);
    let id = process.begin("greet", json!({"name": "Ada"}));
    process.pass(Duration::from_secs(6));
    assert_eq!(process.get(&id)["status"], "working");
    process.pass(Duration::from_secs(6));
    assert_eq!(
        process.get(&id)["result"]["content"][0]["text"],
        "Hello, Ada!"
    );
}

#[test]
fn a_creation_that_is_given_up_halfway_leaves_no_task_behind_that_nobody_runs() {
    let process = Process::on(&memory(), &world());
    let id = process.begin("pass", json!({}));
    process.bench.settle();
    // As if the client had gone between the store and the first step.
    let tasks = process.core.tasks.as_ref().unwrap();
    let run = tasks.state().runs.remove(&id.parse().unwrap()).unwrap();
    run.abandon();
    process.gate.add_permits(1);
    let other = process.begin("watch", json!({}));
    process.pass(Duration::from_secs(6));
    assert_eq!(process.get(&id)["status"], "completed");
    assert_eq!(process.get(&other)["status"], "working");
}

#[test]
fn a_server_with_tasks_says_so() {
    let process = Process::on(&memory(), &world());
    let discovered = process.ask("server/discover", json!({}));
    let capabilities = &discovered["result"]["capabilities"];
    assert_eq!(capabilities["extensions"], json!({super::EXTENSION: {}}));
    assert_eq!(capabilities.get("tasks"), None);
}
