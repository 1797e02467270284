//! A client of a server that may die at any moment.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

/// A folder of a test, with the database and the file of effects in it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("mcp-tasks-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.0.join("tasks.sqlite")
    }

    fn effects(&self) -> PathBuf {
        self.0.join("effects")
    }

    /// Waits until something has happened outside for so many times.
    pub(crate) fn wait_for(&self, effect: &str, times: usize) {
        loop {
            let effects = self.effects_so_far();
            if effects.iter().filter(|it| *it == effect).count() >= times {
                return;
            }
            std::thread::yield_now();
        }
    }

    /// What has happened outside, in its order.
    pub(crate) fn effects_so_far(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.effects()).unwrap();
        text.lines().map(str::to_owned).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind in the system's place for such harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A running server, asked one thing at a time.
pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    id: u64,
}

impl Server {
    /// One whose tasks are taken up soon after its death.
    pub(crate) fn start(folder: &Folder, group: &str) -> Self {
        Self::start_with(folder, group, 500)
    }

    /// One with a lease of so many milliseconds.
    pub(crate) fn start_with(folder: &Folder, group: &str, lease: u32) -> Self {
        Self::start_graceful(folder, group, lease, 1_000)
    }

    /// One with a lease and a time of grace of so many milliseconds.
    pub(crate) fn start_graceful(folder: &Folder, group: &str, lease: u32, grace: u32) -> Self {
        let paths: [&Path; 2] = [&folder.database(), &folder.effects()];
        let mut child = Command::new(env!("CARGO_BIN_EXE_task-server"))
            .args(paths)
            .arg(group)
            .arg(lease.to_string())
            .arg(grace.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            id: 0,
        }
    }

    /// Sends a request, and waits for its result.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send(method, params);
        let mut answer = self.read();
        assert_eq!(answer["id"], self.id, "{answer}");
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].take()
    }

    /// The next message.
    pub(crate) fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a request whose answer nobody will read.
    pub(crate) fn send(&mut self, method: &str, mut params: Value) {
        self.id += 1;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {
                "elicitation": {},
                "extensions": {"io.modelcontextprotocol/tasks": {}},
            },
        });
        let request = json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params});
        writeln!(self.input, "{request}").unwrap();
        self.input.flush().unwrap();
    }

    /// Begins a task, and gives its id.
    pub(crate) fn begin(&mut self, tool: &str, arguments: Value) -> String {
        let created = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(created["resultType"], "task", "{created}");
        created["taskId"].as_str().unwrap().to_owned()
    }

    pub(crate) fn get(&mut self, id: &str) -> Value {
        self.ask("tasks/get", json!({"taskId": id}))
    }

    /// Ends it as a crash does (SIGKILL), in the middle of whatever it is at.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends it with SIGTERM while its input is open.
    #[cfg(unix)]
    pub(crate) fn terminate(mut self) {
        let id = self.child.id().to_string();
        let killed = Command::new("kill").args(["-TERM", &id]).status();
        assert!(killed.unwrap().success());
        assert!(self.child.wait().unwrap().success());
    }

    /// Ends it in an orderly way.
    pub(crate) fn stop(mut self) {
        drop(self.input);
        assert!(self.child.wait().unwrap().success());
    }
}
