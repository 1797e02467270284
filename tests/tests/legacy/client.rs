//! A client that opens a session over the pipes of a process.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// All revisions that begin with `initialize`, newest first.
pub(crate) const REVISIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// A server and its pipes.
pub(crate) struct Client {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    /// The id of the last request.
    last: u64,
}

impl Client {
    /// Starts a server and opens no session.
    pub(crate) fn start() -> Self {
        Self::run(&mut Command::new(env!("CARGO_BIN_EXE_legacy-server")))
    }

    /// Starts a server with a tool that is a task, and with tools for it if there is a database.
    pub(crate) fn with_tasks(database: &str, capabilities: Value) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_legacy-server"));
        let mut client = Self::run(command.env("LEGACY_TASKS", database));
        client.initialize("2025-06-18", capabilities);
        client
    }

    fn run(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()).lines(),
            child,
            last: 0,
        }
    }

    /// Starts a server and opens a session of a revision, for a client that can do nothing.
    pub(crate) fn of(revision: &str) -> Self {
        Self::able(revision, json!({}))
    }

    /// Starts a server and opens a session for a client with capabilities.
    pub(crate) fn able(revision: &str, capabilities: Value) -> Self {
        let mut client = Self::start();
        let opened = client.initialize(revision, capabilities);
        assert_eq!(opened["result"]["protocolVersion"], revision, "{opened}");
        client.notify("notifications/initialized", json!({}));
        client
    }

    /// Asks for a session.
    pub(crate) fn initialize(&mut self, revision: &str, capabilities: Value) -> Value {
        self.ask(
            "initialize",
            json!({
                "protocolVersion": revision,
                "capabilities": capabilities,
                "clientInfo": {"name": "old", "version": "1.0.0"},
            }),
        )
    }

    /// Writes a message.
    pub(crate) fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    /// Sends a notification.
    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request; gives its id.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let message =
            json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.send(&message);
        self.last
    }

    /// The next message of the server.
    pub(crate) fn message(&mut self) -> Value {
        let line = self.output.next().expect("the server has ended").unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a request; gives the next message, which is its response.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let message = self.message();
        assert_eq!(message["id"], id, "{message}");
        message
    }

    /// Calls a tool; gives the members of its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let response = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(response["result"].is_object(), "{response}");
        response["result"].clone()
    }

    /// Sends a request of the current revision; gives its response.
    pub(crate) fn ask_modern(&mut self, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        self.ask(method, params)
    }

    /// An entry of the list of tools.
    pub(crate) fn tool(&mut self, name: &str) -> Value {
        let list = self.ask("tools/list", json!({}));
        let tools = list["result"]["tools"].as_array().unwrap();
        let tool = tools.iter().find(|tool| tool["name"] == name);
        tool.unwrap().clone()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // One that has ended by itself cannot be killed, which is as well.
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}
