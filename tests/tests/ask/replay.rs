//! Any handler, any client: what comes out of many rounds is what one straight run would have given.
//!
//! Handlers are generated as programs of questions and steps, one behind the other and side by side. A client answers them in
//! its own time: some questions now and some later, some badly, some not at all. Each round goes to a new server with the same
//! keys. The effects of steps are counted in a file.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mcp_runtime::prelude::*;
use mcp_runtime::sealing::{MemoryReplayGuard, SealingKeys};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::client::{Request, accept, asked};
use super::form::Name;

/// What a handler does.
#[derive(Debug, Clone)]
pub(crate) enum Program {
    /// Asks under a key.
    Ask(u8),
    /// Runs a step under a key.
    Once(u8),
    /// Lets others run, on each run as often as it comes.
    Yield,
    Sequence(Vec<Self>),
    Join(Vec<Self>),
}

pub(crate) fn programs() -> impl Strategy<Value = Program> {
    let leaf = prop_oneof![
        4 => (0..2_u8).prop_map(Program::Ask),
        3 => (2..4_u8).prop_map(Program::Once),
        2 => Just(Program::Yield),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Program::Sequence),
            prop::collection::vec(inner, 2..4).prop_map(Program::Join),
        ]
    })
}

/// The file in which effects are counted, and what differs from run to run.
pub(crate) struct Ledger {
    file: PathBuf,
    pulse: AtomicUsize,
    is_uneven: bool,
    /// The lines that steps have given to those who wait for them.
    given: Mutex<BTreeSet<usize>>,
}

impl Ledger {
    pub(crate) fn open(is_uneven: bool) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("mcp-ask-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, "").unwrap();
        Self {
            file: path,
            pulse: AtomicUsize::new(0),
            is_uneven,
            given: Mutex::default(),
        }
    }

    /// How long the next wait takes.
    fn pulse(&self) -> usize {
        let pulse = self.pulse.fetch_add(1, Ordering::Relaxed);
        if self.is_uneven { pulse * 7 % 5 } else { 1 }
    }

    /// The lines that steps have given on any run, which nothing may take back where they are kept at once.
    pub(crate) fn given(&self) -> BTreeSet<usize> {
        self.given.lock().unwrap().clone()
    }

    /// The lines of the file: which step was run, and its idempotency key.
    pub(crate) fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.file).unwrap();
        text.lines().map(str::to_owned).collect()
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        fs::remove_file(&self.file).unwrap();
    }
}

/// Has an effect in the world; its result is the number of its line.
async fn effect(
    ledger: &Path,
    key: &str,
    idempotency_key: IdempotencyKey,
) -> Result<usize, std::io::Error> {
    tokio::task::yield_now().await;
    let mut file = OpenOptions::new().append(true).open(ledger)?;
    writeln!(file, "{key} {idempotency_key}")?;
    let line = fs::read_to_string(ledger)?.lines().count();
    tokio::task::yield_now().await;
    Ok(line - 1)
}

/// Runs a program as a handler would.
pub(crate) fn run<'a>(
    program: &'a Program,
    branch: String,
    ctx: &'a Context,
    ledger: &'a Ledger,
) -> Pin<Box<dyn Future<Output = Result<Value, ToolError>> + Send + 'a>> {
    Box::pin(async move {
        Ok(match program {
            Program::Ask(key) => {
                let answer = ctx.elicit::<Name>(format!("{branch}{key}"), "?").await?;
                json!(match answer {
                    ElicitOutcome::Accepted(name) => name.name,
                    ElicitOutcome::Declined => "declined".to_owned(),
                    ElicitOutcome::Cancelled => "cancelled".to_owned(),
                })
            }
            Program::Once(key) => {
                let key = format!("{branch}{key}");
                let step = |idempotency_key| effect(&ledger.file, &key, idempotency_key);
                let line = ctx.once_with(&*key, step).await?;
                ledger.given.lock().unwrap().insert(line);
                json!(line)
            }
            Program::Yield => {
                for _ in 0..ledger.pulse() {
                    tokio::task::yield_now().await;
                }
                Value::Null
            }
            Program::Sequence(steps) => {
                let mut results = Vec::new();
                for step in steps {
                    results.push(run(step, branch.clone(), ctx, ledger).await?);
                }
                results.into()
            }
            Program::Join(branches) => {
                let branches = branches.iter().enumerate();
                let mut branches: Vec<_> = branches
                    .map(|(index, inner)| run(inner, format!("{branch}{index}."), ctx, ledger))
                    .collect();
                let mut results = vec![None; branches.len()];
                std::future::poll_fn(|task| {
                    for (future, result) in branches.iter_mut().zip(&mut results) {
                        if result.is_none()
                            && let std::task::Poll::Ready(done) = future.as_mut().poll(task)
                        {
                            *result = Some(done.map_err(|error| error.to_string()));
                        }
                    }
                    if results.iter().all(Option::is_some) {
                        std::task::Poll::Ready(())
                    } else {
                        std::task::Poll::Pending
                    }
                })
                .await;
                let results = results.into_iter().flatten();
                let results: Result<Vec<_>, _> = results.collect();
                results.map_err(ToolError::new)?.into()
            }
        })
    })
}

/// What a straight run would give, with the answers and the results by their numbered keys.
pub(crate) fn straight(
    program: &Program,
    branch: &str,
    given: &mut HashMap<String, u32>,
    known: &BTreeMap<String, Value>,
) -> Value {
    match program {
        Program::Ask(key) | Program::Once(key) => {
            let key = format!("{branch}{key}");
            let times = given.entry(key.clone()).or_insert(0);
            *times += 1;
            let numbered = if *times == 1 {
                key
            } else {
                format!("{key}#{times}")
            };
            known
                .get(&numbered)
                .cloned()
                .unwrap_or_else(|| panic!("{numbered} of {known:?}"))
        }
        Program::Yield => Value::Null,
        Program::Sequence(steps) => {
            let steps = steps.iter();
            steps
                .map(|step| straight(step, branch, given, known))
                .collect()
        }
        Program::Join(branches) => {
            let branches = branches.iter().enumerate();
            branches
                .map(|(index, inner)| straight(inner, &format!("{branch}{index}."), given, known))
                .collect()
        }
    }
}

/// What goes wrong between client and server.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Weather {
    Fair,
    /// Some responses are lost, and their requests sent again.
    Lossy,
    /// Each request but the first is sent twice, and states are good for one use.
    Guarded,
}

struct Stage {
    program: Arc<Program>,
    ledger: Arc<Ledger>,
    guard: Option<Arc<MemoryReplayGuard>>,
}

impl Stage {
    /// A server like all others of the stage.
    fn server(&self) -> Server {
        let (program, ledger) = (Arc::clone(&self.program), Arc::clone(&self.ledger));
        let handler = move |_: Value, ctx: Context| {
            let (program, ledger) = (Arc::clone(&program), Arc::clone(&ledger));
            async move {
                let result = run(&program, String::new(), &ctx, &ledger).await;
                result.map(|result| result.to_string())
            }
        };
        let mut builder = mcp_runtime::server!()
            .groups(["replay"])
            .sealing_keys(SealingKeys::new([[7; 32]]))
            .max_rounds(1000)
            .register_tool(
                "run",
                "Run the program.",
                json!({"type": "object"}),
                handler,
            );
        if let Some(guard) = &self.guard {
            builder = builder.replay_guard(Arc::clone(guard));
        }
        builder.build().unwrap()
    }
}

/// A tool that makes the group exist.
#[mcp_tool(group = "replay", description = "Nothing.")]
fn nothing() {}

/// Plays a conversation to its end: every step counts once, every question is answered once, and the result is that of a
/// straight run.
fn play(
    stage: &Stage,
    weather: Weather,
    whims: &mut impl Iterator<Item = u8>,
) -> Result<(), TestCaseError> {
    let first = Request::call("run", json!({}));
    let mut request = first.clone();
    let mut answered: BTreeMap<String, Value> = BTreeMap::new();
    // The lines that the rounds wrote whose responses arrived.
    let mut kept = Vec::new();
    let text = loop {
        let mut begun = stage.ledger.lines().len();
        let mut result = request.send(&stage.server());
        while weather == Weather::Lossy && whims.next().is_some_and(|whim| whim % 3 == 0) {
            begun = stage.ledger.lines().len();
            result = request.send(&stage.server());
        }
        kept.extend(begun..stage.ledger.lines().len());
        let is_answer = request.message()["params"].get("inputResponses").is_some();
        if weather == Weather::Guarded && is_answer {
            let before = stage.ledger.lines().len();
            let (code, _) = request.refused(&stage.server());
            prop_assert_eq!(code, -32602);
            prop_assert_eq!(stage.ledger.lines().len(), before, "no handler ran");
        }
        if result["resultType"] == "complete" {
            break result["content"][0]["text"].as_str().unwrap().to_owned();
        }
        let mut answers = json!({"stranger": {"action": "accept"}});
        for key in asked(&result) {
            prop_assert!(!answered.contains_key(key), "{} is asked again", key);
            let (answer, seen) = match whims.next().unwrap_or(0) % 8 {
                1 => (json!({"action": "decline"}), json!("declined")),
                2 => (json!({"action": "cancel"}), json!("cancelled")),
                3 => {
                    answers[key] = json!({"action": "perhaps"});
                    continue;
                }
                4 => continue,
                _ => {
                    let name = format!("answer {}", answered.len());
                    (accept(json!({ "name": name })), json!(name))
                }
            };
            answers[key] = answer;
            answered.insert(key.to_owned(), seen);
        }
        request = first.next(&result, answers);
    };
    let result: Value = serde_json::from_str(&text).unwrap();
    let mut steps = Vec::new();
    collect_steps(&stage.program, &result, "", &mut HashMap::new(), &mut steps);
    let lines = stage.ledger.lines();
    for (key, numbered, line) in &steps {
        prop_assert_eq!(lines[*line].split(' ').next(), Some(&**key));
        answered.insert(numbered.clone(), json!(line));
    }
    let mut counted: Vec<_> = steps.iter().map(|(_, _, line)| *line).collect();
    counted.sort_unstable();
    prop_assert_eq!(counted, kept, "each step whose round was kept ran once");
    let expected = straight(&stage.program, "", &mut HashMap::new(), &answered);
    prop_assert_eq!(expected, result);
    Ok(())
}

/// Reads from the result which line each step gave: its key, its key with its number, the line.
pub(crate) fn collect_steps(
    program: &Program,
    result: &Value,
    branch: &str,
    given: &mut HashMap<String, u32>,
    found: &mut Vec<(String, String, usize)>,
) {
    match program {
        Program::Ask(_) | Program::Yield => {}
        Program::Once(key) => {
            let key = format!("{branch}{key}");
            let times = given.entry(key.clone()).or_insert(0);
            *times += 1;
            let numbered = if *times == 1 {
                key.clone()
            } else {
                format!("{key}#{times}")
            };
            let line = usize::try_from(result.as_u64().unwrap()).unwrap();
            found.push((key, numbered, line));
        }
        Program::Sequence(parts) | Program::Join(parts) => {
            let is_join = matches!(program, Program::Join(_));
            for (index, part) in parts.iter().enumerate() {
                let inner = if is_join {
                    format!("{branch}{index}.")
                } else {
                    branch.to_owned()
                };
                collect_steps(part, &result[index], &inner, given, found);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn many_rounds_give_what_one_straight_run_would(
        program in programs(),
        weather in prop_oneof![Just(Weather::Fair), Just(Weather::Lossy), Just(Weather::Guarded)],
        is_uneven in any::<bool>(),
        whims in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        // Only with a state does a server know what it has asked for, so that an answer that comes too early is kept.
        let program = if is_uneven {
            Program::Sequence(vec![Program::Once(2), program])
        } else {
            program
        };
        let stage = Stage {
            program: Arc::new(program),
            ledger: Arc::new(Ledger::open(is_uneven)),
            guard: (weather == Weather::Guarded).then(Arc::default),
        };
        play(&stage, weather, &mut whims.into_iter())?;
    }
}
