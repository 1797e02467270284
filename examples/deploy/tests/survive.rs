//! Kills the server in the middle of a deployment, and shows that another one goes on with it.
//!
//! ```text
//! cargo test -q -p deploy --test survive
//! ```
//!
//! It tells what it does, line by line, and fails if anything is not as promised. It takes a few seconds.

use std::error::Error;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// When all this is given up; a server whose client is gone ends by itself.
const LIMIT: Duration = Duration::from_secs(120);
/// How often the client looks at the task: more often than it is asked to, so that it sees a step in its middle.
const LOOK: Duration = Duration::from_millis(50);

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> ExitCode {
    match survive_within(LIMIT) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("not as promised: {error}");
            ExitCode::FAILURE
        }
    }
}

fn survive_within(limit: Duration) -> Outcome<()> {
    let folder = Folder::new()?;
    let (done, outcome) = mpsc::channel();
    let path = folder.0.clone();
    thread::spawn(move || done.send(survive(&path)));
    let outcome = outcome.recv_timeout(limit);
    outcome.map_err(|error| format!("it has not ended within {limit:?}: {error}"))?
}

fn survive(folder: &Path) -> Outcome<()> {
    println!("The server starts, and a client calls `deploy` for version 1.4.0 of the shop.");
    let mut server = Server::start(folder)?;
    let call = json!({"name": "deploy", "arguments": {"service": "shop", "version": "1.4.0"}});
    let asked = server.ask("tools/call", call.clone())?;
    let yes = answer(&asked, "deploy")?;
    let state = &asked["requestState"];
    let mut again = call;
    again["inputResponses"] = yes;
    if !state.is_null() {
        again["requestState"] = state.clone();
    }
    let task = server.ask("tools/call", again)?;
    expect(&task["resultType"], "task")?;
    let id = task["taskId"].clone();
    println!("The call has become the task {id}.");

    // On a machine that stands still for long the next thing to be seen is the question.
    server.follow(&id, |task| {
        task["statusMessage"] == "uploading" || task["status"] != "working"
    })?;
    server.kill()?;
    println!("Killed (-9). This is what was done:\n{}", log(folder)?);

    println!("Another server starts on the same files.");
    let mut server = Server::start(folder)?;
    let task = server.follow(&id, |task| task["status"] != "working")?;
    expect(&task["status"], "input_required")?;
    let yes = answer(&task, "switch")?;
    server.ask("tasks/update", json!({"taskId": id, "inputResponses": yes}))?;
    let task = server.follow(&id, |task| task["status"] == "completed")?;
    expect(
        &task["result"]["content"][0]["text"],
        "shop 1.4.0 is deployed",
    )?;

    let log = log(folder)?;
    println!("The task has ended. This is what was done:\n{log}");
    let steps = log
        .lines()
        .map(|line| line.split(':').next().unwrap_or_default());
    expect(
        &steps.collect(),
        json!([
            "build",
            "upload",
            "migrate",
            "switch a tenth",
            "switch the rest"
        ]),
    )?;
    println!("Each step was taken once, and each question was asked once.");
    Ok(())
}

/// Says yes to the one thing that the server asks.
fn answer(asked: &Value, key: &str) -> Outcome<Value> {
    let requests = asked["inputRequests"].as_object();
    let requests = requests.ok_or_else(|| format!("nothing is asked: {asked}"))?;
    expect(&requests.keys().cloned().collect(), json!([key]))?;
    let question = &requests[key]["params"]["message"];
    println!("The server asks: {question} The user says yes.");
    Ok(json!({key: {"action": "accept", "content": {"yes": true}}}))
}

fn expect(found: &Value, expected: impl Into<Value>) -> Outcome<()> {
    let expected = expected.into();
    if *found == expected {
        return Ok(());
    }
    Err(format!("expected {expected}, found {found}").into())
}

fn log(folder: &Path) -> Outcome<String> {
    Ok(fs::read_to_string(folder.join("deploy.log"))?)
}

/// A folder that is gone in the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Outcome<Self> {
        let path = std::env::temp_dir().join(format!("deploy-{}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("{} stays behind: {error}", self.0.display());
        }
    }
}

/// A running server, and the client's ends of its streams.
struct Server {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// What the client was last told that the task is at.
    told: String,
}

impl Server {
    fn start(folder: &Path) -> Outcome<Self> {
        let mut process = Command::new(env!("CARGO_BIN_EXE_deploy"))
            .env("DEPLOY_FOLDER", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = process.stdin.take().ok_or("no standard input")?;
        let output = process.stdout.take().ok_or("no standard output")?;
        Ok(Self {
            process,
            input,
            output: BufReader::new(output),
            told: String::new(),
        })
    }

    /// Sends a request, and gives its result.
    fn ask(&mut self, method: &str, mut params: Value) -> Outcome<Value> {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {
                "elicitation": {},
                "extensions": {"io.modelcontextprotocol/tasks": {}},
            },
        });
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        writeln!(self.input, "{request}")?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        let mut answer: Value = serde_json::from_str(&answer)?;
        match answer["result"].take() {
            Value::Null => Err(format!("{method} is answered by {answer}").into()),
            result => Ok(result),
        }
    }

    /// Looks at a task until something is true of it, and tells what it is at.
    fn follow(&mut self, id: &Value, is_there: impl Fn(&Value) -> bool) -> Outcome<Value> {
        loop {
            let task = self.ask("tasks/get", json!({"taskId": id}))?;
            let message = task["statusMessage"].as_str().unwrap_or_default();
            if message != self.told {
                println!("  {message}");
                message.clone_into(&mut self.told);
            }
            if is_there(&task) {
                return Ok(task);
            }
            if task["status"] != "working" && task["status"] != "input_required" {
                return Err(format!("the task has ended: {task}").into());
            }
            thread::sleep(LOOK);
        }
    }

    /// Ends it as `kill -9` does.
    fn kill(mut self) -> Outcome<()> {
        self.process.kill()?;
        self.process.wait()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be gone already, which is as well.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
