//! Any handler, as a task whose process may end at any moment: what comes out is what one straight run would have given.
//!
//! A crash drops the server and everything that it ran, wherever it was. Time does not pass: what is needed of it is that the
//! leases of the dead end.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context as TaskContext, Wake, Waker};
use std::time::Duration;

use mcp_runtime::prelude::*;
use mcp_runtime::task::{LeaseOwner, StoreFuture, TaskFuture, TaskSpawner, TaskStore as _};
use mcp_tests::store::{RecordedRequest, ToldStore};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::client::{Request, accept};
use super::replay::{Ledger, Program, collect_steps, programs, run, straight};

/// What the tool runs, and where its effects are counted.
struct Script {
    program: Program,
    ledger: Ledger,
}

/// Run the program.
#[mcp_tool(task = "required", group = "crash")]
async fn play_on(script: State<Arc<Script>>, ctx: &Context) -> Result<String, ToolError> {
    let result = run(&script.program, String::new(), ctx, &script.ledger).await?;
    Ok(result.to_string())
}

/// A store that outlives its servers, and lets their leases end with them.
struct Disk {
    tasks: Arc<ToldStore>,
    owners: Arc<Mutex<HashSet<LeaseOwner>>>,
}

impl Disk {
    fn new() -> Self {
        let owners = Arc::<Mutex<HashSet<LeaseOwner>>>::default();
        let seen = Arc::clone(&owners);
        let tasks = ToldStore::new(move |asked| {
            let owner = match asked {
                RecordedRequest::Create(_, owner) => owner,
                RecordedRequest::Claim(owner) | RecordedRequest::Renew(owner) => Some(owner),
            };
            seen.lock().unwrap().extend(owner);
        });
        Self {
            tasks: Arc::new(tasks),
            owners,
        }
    }

    fn end_leases(&self) {
        for owner in self.owners.lock().unwrap().drain() {
            now(self.tasks.release(owner, None));
        }
    }
}

/// What a store in memory gives, which is there at once.
fn now<T>(future: StoreFuture<'_, T>) -> T {
    let mut context = TaskContext::from_waker(Waker::noop());
    match { future }.as_mut().poll(&mut context) {
        std::task::Poll::Ready(value) => value.unwrap(),
        std::task::Poll::Pending => panic!("memory does not wait"),
    }
}

/// Runs tasks step by step, when it is told to.
#[derive(Default)]
struct Steps(Mutex<Vec<TaskFuture>>);

impl std::fmt::Debug for Steps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Steps")
    }
}

#[derive(Debug, Clone)]
struct Spawner(Arc<Steps>);

impl TaskSpawner for Spawner {
    fn spawn(&self, future: TaskFuture) {
        self.0.0.lock().unwrap().push(future);
    }

    fn sleep(&self, _: Duration) -> TaskFuture {
        Box::pin(std::future::pending())
    }
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Steps {
    /// Polls everything once; tells whether something wants to be polled again.
    fn step(&self) -> bool {
        let woken = Arc::new(Woken(AtomicBool::new(false)));
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = TaskContext::from_waker(&waker);
        let mut futures = std::mem::take(&mut *self.0.lock().unwrap());
        futures.retain_mut(|future| future.as_mut().poll(&mut context).is_pending());
        let mut all = self.0.lock().unwrap();
        let has_spawned = !all.is_empty();
        all.append(&mut futures);
        has_spawned || woken.0.load(Ordering::Relaxed)
    }
}

/// One process.
struct Process {
    server: Server,
    steps: Arc<Steps>,
}

impl Process {
    fn start(script: &Arc<Script>, disk: &Disk) -> Self {
        let steps = Arc::new(Steps::default());
        let server = mcp_runtime::server!()
            .groups(["crash"])
            .state(Arc::clone(script))
            .task_store(Arc::clone(&disk.tasks))
            .task_spawner(Spawner(Arc::clone(&steps)))
            .build()
            .unwrap();
        server.resume_tasks();
        Self { server, steps }
    }

    fn ask(&self, method: &'static str, params: Value) -> Value {
        let capabilities = json!({
            "elicitation": {},
            "extensions": {"io.modelcontextprotocol/tasks": {}},
        });
        let request = Request::new(method, params).capable_of(capabilities);
        request.send(&self.server)
    }
}

/// Plays a task to its end.
fn play(script: &Arc<Script>, whims: &mut impl Iterator<Item = u8>) -> Result<(), TestCaseError> {
    let disk = Disk::new();
    let mut process = Process::start(script, &disk);
    let created = process.ask("tools/call", json!({"name": "play_on", "arguments": {}}));
    let id = created["taskId"].as_str().unwrap();
    let mut answered: BTreeMap<String, Value> = BTreeMap::new();
    let text = loop {
        // Each whim is one moment; behind the last one nothing happens any more to the process.
        match whims.next() {
            Some(whim) => {
                for _ in 0..whim % 8 {
                    process.steps.step();
                }
                if whim % 3 == 0 {
                    // They hold the server that holds them.
                    drop(std::mem::take(&mut *process.steps.0.lock().unwrap()));
                    disk.end_leases();
                    process = Process::start(script, &disk);
                }
            }
            None => while process.steps.step() {},
        }
        let task = process.ask("tasks/get", json!({"taskId": id}));
        prop_assert_ne!(&task["status"], "failed", "{}", task);
        if task["status"] == "completed" {
            break task["result"]["content"][0]["text"]
                .as_str()
                .unwrap()
                .to_owned();
        }
        let mut answers = json!({"stranger": {"action": "accept"}});
        for key in task["inputRequests"].as_object().into_iter().flatten() {
            let key = key.0;
            prop_assert!(!answered.contains_key(key), "{} is asked again", key);
            let (answer, seen) = match whims.next().unwrap_or(0) % 5 {
                1 => (json!({"action": "decline"}), json!("declined")),
                2 => (json!({"action": "cancel"}), json!("cancelled")),
                3 => continue,
                _ => {
                    let name = format!("answer {}", answered.len());
                    (accept(json!({ "name": name })), json!(name))
                }
            };
            answers[key] = answer;
            answered.insert(key.to_owned(), seen);
        }
        process.ask(
            "tasks/update",
            json!({"taskId": id, "inputResponses": answers}),
        );
    };
    let result: Value = serde_json::from_str(&text).unwrap();
    let mut steps = Vec::new();
    collect_steps(
        &script.program,
        &result,
        "",
        &mut HashMap::new(),
        &mut steps,
    );
    let lines = script.ledger.lines();
    let mut last = HashMap::new();
    for (line, text) in lines.iter().enumerate() {
        last.insert(text.as_str(), line);
    }
    prop_assert_eq!(last.len(), steps.len(), "one idempotency key for each step");
    for (key, numbered, line) in &steps {
        prop_assert_eq!(lines[*line].split(' ').next(), Some(&**key));
        prop_assert_eq!(
            last[&*lines[*line]],
            *line,
            "the one that was kept is the last"
        );
        answered.insert(numbered.clone(), json!(line));
    }
    let kept: BTreeSet<_> = steps.iter().map(|(_, _, line)| *line).collect();
    prop_assert_eq!(
        script.ledger.given(),
        kept,
        "no step that was kept ran again"
    );
    let expected = straight(&script.program, "", &mut HashMap::new(), &answered);
    prop_assert_eq!(expected, result);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_task_that_is_cut_anywhere_gives_what_one_straight_run_would(
        program in programs(),
        is_uneven in any::<bool>(),
        whims in prop::collection::vec(any::<u8>(), 0..80),
    ) {
        let script = Arc::new(Script { program, ledger: Ledger::open(is_uneven) });
        play(&script, &mut whims.into_iter())?;
    }
}
