//! What a run has spawned and left behind: it begins nothing more, and is told when the run ends.

use std::cell::RefCell;

use serde_json::json;

use super::*;

thread_local! {
    /// What the runs of a test have spawned.
    static STRAYS: RefCell<Vec<TaskFuture>> = const { RefCell::new(Vec::new()) };
}

/// A waker that holds on to what is polled with it, as those of runtimes do.
struct Holding(Mutex<Option<TaskFuture>>, Woken);

impl Wake for Holding {
    fn wake(self: Arc<Self>) {
        self.1.0.store(true, Ordering::Relaxed);
    }
}

impl Holding {
    /// Polls what the waker holds.
    fn poll(self: &Arc<Self>) {
        let waker = Waker::from(Arc::clone(self));
        let mut future = self.0.lock().unwrap();
        if let Some(held) = &mut *future
            && held
                .as_mut()
                .poll(&mut TaskContext::from_waker(&waker))
                .is_ready()
        {
            *future = None;
        }
    }
}

/// Ask from a task of its own, and wait.
#[mcp_tool(task, crate = crate, group = "task-tests")]
async fn ask_elsewhere(effects: State<Effects>, ctx: Context) -> String {
    let inner = ctx.clone();
    let asking = async move {
        let asked = inner.elicit::<Name>("name", "?").await;
        let end = asked.map_or_else(|error| error.to_string(), |_| "answered".to_owned());
        effects.0.lock().unwrap().push(end);
    };
    STRAYS.with_borrow_mut(|strays| strays.push(Box::pin(asking)));
    std::future::pending().await
}

/// Begin a step in a task of its own when that is polled, and wait.
#[mcp_tool(task, crate = crate, group = "task-tests")]
async fn act_elsewhere(effects: State<Effects>, ctx: Context) -> String {
    let inner = ctx.clone();
    let acting = async move {
        let act = async {
            effects.0.lock().unwrap().push("act".to_owned());
            Ok::<_, ToolError>(())
        };
        if let Err(error) = inner.once("act", act).await {
            effects.0.lock().unwrap().push(error.to_string());
        }
    };
    STRAYS.with_borrow_mut(|strays| strays.push(Box::pin(acting)));
    std::future::pending().await
}

/// What was spawned, polled with a waker that can be looked at.
fn stray() -> Arc<Holding> {
    let stray = STRAYS.take().pop();
    Arc::new(Holding(Mutex::new(stray), Woken::default()))
}

#[track_caller]
fn assert_refused(process: &Process) {
    let effects = process.effects.0.lock().unwrap().clone();
    assert_eq!(effects.len(), 1, "{effects:?}");
    assert!(
        effects[0].starts_with("nobody waits for `act` any more"),
        "{effects:?}"
    );
}

#[test]
fn no_step_begins_in_a_run_that_is_overdue_until_that_has_its_lease_again() {
    let process = Process::on(&memory(), &world());
    process.begin("act_elsewhere", json!({}));
    process.bench.settle();
    process.bench.world.now.fetch_add(60_000, Ordering::Relaxed);
    let stray = stray();
    stray.poll();
    assert_eq!(*process.effects.0.lock().unwrap(), [""; 0]);
    // The keeper finds that nobody has taken the task.
    process.bench.settle();
    assert!(stray.1.0.load(Ordering::Relaxed), "it hears of it");
    stray.poll();
    assert_eq!(*process.effects.0.lock().unwrap(), ["act"]);
}

#[test]
fn no_step_begins_in_a_run_whose_task_another_process_has_taken() {
    let (store, world) = (memory(), world());
    let (first, second) = (Process::on(&store, &world), Process::on(&store, &world));
    first.begin("act_elsewhere", json!({}));
    first.bench.settle();
    let stray = stray();
    world.now.fetch_add(60_000, Ordering::Relaxed);
    stray.poll();
    second.core.start_tasks();
    second.bench.settle();
    first.bench.settle();
    assert!(stray.1.0.load(Ordering::Relaxed), "it hears of it");
    stray.poll();
    assert_refused(&first);
}

#[test]
fn no_step_begins_in_a_run_that_was_given_up_or_cancelled() {
    for is_stopped in [true, false] {
        let process = Process::on(&memory(), &world());
        let id = process.begin("act_elsewhere", json!({}));
        process.bench.settle();
        let stray = stray();
        if is_stopped {
            // The run has not noticed it yet.
            wait_for(process.core.stop_tasks());
        } else {
            process.cancel(&id);
            process.bench.settle();
        }
        stray.poll();
        assert_refused(&process);
    }
}

fn wait_for(future: impl Future<Output = ()>) {
    let mut context = TaskContext::from_waker(Waker::noop());
    assert!(std::pin::pin!(future).poll(&mut context).is_ready());
}

#[test]
fn a_spawned_question_is_told_that_its_run_has_ended() {
    let process = Process::on(&memory(), &world());
    let id = process.begin("ask_elsewhere", json!({}));
    process.bench.settle();
    let stray = stray();
    stray.poll();
    assert!(!stray.1.0.load(Ordering::Relaxed));
    process.cancel(&id);
    process.bench.settle();
    assert_eq!(process.get(&id)["status"], "cancelled");
    assert!(stray.1.0.load(Ordering::Relaxed), "it hears of it");
    stray.poll();
    assert!(stray.0.lock().unwrap().is_none(), "and ends");
    let ends = process.effects.0.lock().unwrap().clone();
    assert_eq!(ends.len(), 1);
    assert!(
        ends[0].starts_with("nobody waits for `name` any more"),
        "{ends:?}"
    );
    let weak = (Arc::downgrade(&stray), Arc::downgrade(&process.core));
    drop((stray, process));
    assert!(weak.0.upgrade().is_none(), "nothing holds its waker");
    assert!(weak.1.upgrade().is_none(), "nothing holds the server");
}

/// Go on as a task in a future of its own, and wait beside it or in a step, or not at all.
#[mcp_tool(task = "deferred", crate = crate, group = "task-tests")]
async fn defer_elsewhere(
    waits: String,
    effects: State<Effects>,
    ctx: Context,
) -> Result<&'static str, ToolError> {
    let inner = ctx.clone();
    let deferring = async move {
        let end = inner.into_task().await;
        let end = end.map_or_else(|error| error.to_string(), |()| "went on".to_owned());
        effects.0.lock().unwrap().push(end);
    };
    STRAYS.with_borrow_mut(|strays| strays.push(Box::pin(deferring)));
    let wait = std::future::pending::<Result<(), ToolError>>();
    match &*waits {
        "beside it" => wait.await?,
        "in a step" => ctx.once("step", wait).await?,
        _ => {}
    }
    Ok("done")
}

fn deferring(waits: &str) -> Value {
    json!({"name": "defer_elsewhere", "arguments": {"waits": waits}})
}

/// The stray has ended, and was told why.
#[track_caller]
fn assert_told(process: &Process, stray: &Holding) {
    assert!(stray.0.lock().unwrap().is_none(), "it ends");
    let ends = process.effects.0.lock().unwrap().clone();
    assert_eq!(ends.len(), 1, "{ends:?}");
    let told = "the call that was to go on as a task has ended, or goes on as one";
    assert!(ends[0].starts_with(told), "{ends:?}");
}

#[test]
fn a_spawned_wish_to_go_on_as_a_task_ends_with_its_call() {
    let process = Process::on(&memory(), &world());
    let answered = process.ask("tools/call", deferring("no"));
    assert_eq!(answered["result"]["content"][0]["text"], "done");
    let stray = stray();
    stray.poll();
    assert_told(&process, &stray);
}

#[test]
fn a_spawned_wish_makes_a_task_of_a_call_that_waits_and_ends_then() {
    let process = Process::on(&memory(), &world());
    let params = deferring("beside it");
    let Sent::Waiting(mut call) = process.send(None, "tools/call", params, both_capabilities())
    else {
        panic!("the call waits");
    };
    let stray = stray();
    stray.poll();
    let created = poll_through(&mut call, RawId::NULL);
    let created: Value = serde_json::from_slice(&created).unwrap();
    assert_eq!(created["result"]["resultType"], "task", "{created}");
    assert!(stray.1.0.load(Ordering::Relaxed), "it hears of it");
    stray.poll();
    assert_told(&process, &stray);
}

#[test]
fn a_spawned_wish_for_which_a_step_may_wait_is_refused() {
    let process = Process::on(&memory(), &world());
    let params = deferring("in a step");
    let Sent::Waiting(mut call) = process.send(None, "tools/call", params, both_capabilities())
    else {
        panic!("the call waits");
    };
    let stray = stray();
    stray.poll();
    let refused = poll_through(&mut call, RawId::NULL);
    let refused: Value = serde_json::from_slice(&refused).unwrap();
    assert_eq!(refused["error"]["code"], -32_603, "{refused}");
    assert_eq!(
        refused["error"]["message"],
        "the tool `defer_elsewhere` wants to go on as a task in a future that it has spawned, while a step \
         runs that may wait for it: call `into_task` in the function itself"
    );
    stray.poll();
    assert_told(&process, &stray);
}

#[test]
fn a_spawned_question_that_is_dropped_is_asked_no_more() {
    let process = Process::on(&memory(), &world());
    let id = process.begin("ask_elsewhere", json!({}));
    process.bench.settle();
    let stray = stray();
    stray.poll();
    process.bench.settle();
    assert_eq!(process.get(&id)["status"], "input_required");
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    for future in process.bench.futures.lock().unwrap().iter_mut() {
        let mut context = TaskContext::from_waker(&waker);
        assert!(future.as_mut().poll(&mut context).is_pending());
    }
    woken.0.store(false, Ordering::Relaxed);
    *stray.0.lock().unwrap() = None;
    assert!(woken.0.load(Ordering::Relaxed), "the run hears of it");
    process.bench.settle();
    assert_eq!(process.get(&id)["status"], "working");
}

#[test]
fn a_clock_that_is_set_back_makes_no_lease_longer() {
    let process = Process::on(&memory(), &world());
    let id = process.begin("act_elsewhere", json!({}));
    process.bench.settle();
    let stray = stray();
    let world = &process.bench.world;
    world.now.fetch_sub(500_000, Ordering::Relaxed);
    // The keeper renews the lease, which ends in 15 seconds then.
    let run = process.core.tasks.as_ref().unwrap();
    let run = run.run(id.parse().unwrap()).unwrap();
    run.prolong(world.unix_millis() + 15_000);
    world.now.fetch_add(60_000, Ordering::Relaxed);
    stray.poll();
    assert_eq!(*process.effects.0.lock().unwrap(), [""; 0]);
}
