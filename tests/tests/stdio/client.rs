//! A client that writes lines and reads answers, and never waits for ever.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// Longer than anything takes on a busy machine; a test waits so long only if it fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// What every request of the protocol carries.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A request with all metadata, as a line without its newline.
pub(crate) fn request(id: impl Into<Value>, method: &str, mut params: Value) -> String {
    params["_meta"] = meta();
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params}).to_string()
}

/// A call of a tool, as a line without its newline.
pub(crate) fn call(id: impl Into<Value>, tool: &str, arguments: &Value) -> String {
    let params = json!({"name": tool, "arguments": arguments});
    request(id, "tools/call", params)
}

/// A call that adds one to a number.
pub(crate) fn add(id: impl Into<Value>, a: i64) -> String {
    call(id, "add", &json!({"a": a, "b": 1}))
}

/// The cancellation of a request.
pub(crate) fn cancel(id: impl Into<Value>) -> String {
    let params = json!({"requestId": id.into(), "reason": "tested"});
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string()
}

/// The text of a call's result.
pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("no text in {answer}"))
}

/// A running server and the client's ends of its pipes.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    /// Lines of standard output, once somebody has asked for one.
    output: Option<Receiver<String>>,
    errors: Receiver<String>,
}

impl Client {
    /// Starts a server.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::run(Command::new(env!("CARGO_BIN_EXE_test-server")).args(arguments))
    }

    /// Starts a server that tells what happens on its way out, with variables of its environment.
    pub(crate) fn start_watched(environment: &[(&str, &str)]) -> Self {
        Self::run(&mut watched(environment))
    }

    /// The same with a client that never reads standard error.
    #[cfg(unix)]
    pub(crate) fn start_unread(environment: &[(&str, &str)]) -> (Self, ChildStderr) {
        let mut child = spawn(&mut watched(environment));
        let unread = child.stderr.take().unwrap();
        let client = Self {
            input: child.stdin.take(),
            child,
            output: None,
            errors: channel().1,
        };
        (client, unread)
    }

    /// Starts a server that logs all that it can.
    pub(crate) fn start_logging() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_test-server"));
        Self::run(command.arg("stdio").env("MCP_LOG", "trace"))
    }

    fn run(command: &mut Command) -> Self {
        let mut child = spawn(command);
        let input = child.stdin.take();
        let errors = lines(child.stderr.take().unwrap());
        Self {
            child,
            input,
            output: None,
            errors,
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes bytes as they are.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// Writes a line.
    pub(crate) fn send(&mut self, line: impl AsRef<str>) {
        self.write([line.as_ref(), "\n"].concat().as_bytes());
    }

    /// Closes the server's input.
    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Closes the server's output, which must not have been read from.
    pub(crate) fn close_output(&mut self) {
        drop(
            self.child
                .stdout
                .take()
                .expect("nobody has read the output"),
        );
    }

    /// Waits for the next message.
    pub(crate) fn message(&mut self) -> Value {
        let line = self.line().expect("the server has ended");
        let message: Value = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("not a frame: {error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    /// Waits for the next message, which is an answer.
    pub(crate) fn answer(&mut self) -> Value {
        let answer = self.message();
        assert!(
            answer.get("result").is_some() != answer.get("error").is_some(),
            "{answer}"
        );
        answer
    }

    /// Sends a line and waits for an answer.
    pub(crate) fn ask(&mut self, line: impl AsRef<str>) -> Value {
        self.send(line);
        self.answer()
    }

    /// Waits for an error of a code; gives its message.
    pub(crate) fn refusal(&mut self, code: i64) -> (Value, String) {
        let answer = self.answer();
        assert_eq!(answer["error"]["code"], code, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap().to_owned();
        (answer.get("id").cloned().unwrap_or_default(), message)
    }

    /// Shows that the server still serves, and that nothing else came before.
    pub(crate) fn serves(&mut self) {
        let answer = self.ask(add("alive", 1));
        assert_eq!((&answer["id"], text(&answer)), (&json!("alive"), "2"));
    }

    /// The same once a place among the calls is free: who runs a call that was cancelled may have to let go of it first.
    pub(crate) fn serves_again(&mut self) {
        let answer = loop {
            let answer = self.ask(add("alive", 1));
            let refusal = answer["error"]["message"].as_str();
            if !refusal.is_some_and(|message| message.starts_with("Too many calls")) {
                break answer;
            }
        };
        assert_eq!((&answer["id"], text(&answer)), (&json!("alive"), "2"));
    }

    /// Waits for a line on standard error with these words; gives all lines up to it.
    pub(crate) fn wait_for_error(&self, words: &str) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            let line = self.errors.recv_timeout(PATIENCE).unwrap_or_else(|error| {
                panic!("no `{words}` on standard error: {error}: {seen:?}")
            });
            let found = line.contains(words);
            seen.push(line);
            if found {
                return seen;
            }
        }
    }

    /// Waits until the server has ended; gives the answers that nobody has asked for.
    pub(crate) fn end(mut self) -> (ExitStatus, Vec<Value>) {
        let mut answers = Vec::new();
        while let Some(line) = self.line() {
            answers.push(serde_json::from_str(&line).expect("a frame"));
        }
        (self.status(), answers)
    }

    /// Waits until a server whose standard error nobody reads has ended.
    #[cfg(unix)]
    pub(crate) fn end_unread(mut self) -> (ExitStatus, Vec<Value>) {
        let mut answers = Vec::new();
        // Standard output closes with the process, which may be waited for then.
        while let Some(line) = self.line() {
            answers.push(serde_json::from_str(&line).expect("a frame"));
        }
        (self.child.wait().unwrap(), answers)
    }

    /// Waits until the server has ended; gives the lines of standard error that nobody has asked for.
    pub(crate) fn end_with_errors(mut self) -> (ExitStatus, Vec<String>) {
        let mut errors = Vec::new();
        loop {
            match self.errors.recv_timeout(PATIENCE) {
                Ok(line) => errors.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the server does not end"),
            }
        }
        (self.child.wait().unwrap(), errors)
    }

    /// Waits until the server has ended without reading its output.
    pub(crate) fn status(&mut self) -> ExitStatus {
        // Standard error closes with the process, which may be waited for then.
        loop {
            match self.errors.recv_timeout(PATIENCE) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return self.child.wait().unwrap(),
                Err(RecvTimeoutError::Timeout) => panic!("the server does not end"),
            }
        }
    }

    /// Takes the output away, to be read when somebody wants to.
    pub(crate) fn output(&mut self) -> Output {
        let stdout = self
            .child
            .stdout
            .take()
            .expect("nobody has read the output");
        let (ask, asked) = channel();
        let (give, given) = channel();
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            for wanted in asked {
                let mut line = String::new();
                match wanted {
                    Wanted::Beginning => assert!(!stdout.fill_buf().unwrap().is_empty()),
                    Wanted::Line => assert!(stdout.read_line(&mut line).unwrap() > 0),
                }
                if give.send(line).is_err() {
                    return;
                }
            }
        });
        Output { ask, given }
    }

    /// Reads answers as they come, which a client must that writes more than pipes and servers hold.
    pub(crate) fn read_along(&mut self) -> &Receiver<String> {
        let child = &mut self.child;
        self.output
            .get_or_insert_with(|| lines(child.stdout.take().expect("the output is open")))
    }

    /// The next line of output; `None` at its end.
    fn line(&mut self) -> Option<String> {
        match self.read_along().recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no answer"),
        }
    }
}

/// The server that tells what happens on its way out.
fn watched(environment: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stop-server"));
    command
        .env_remove("MCP_LOG")
        .envs(environment.iter().copied());
    command
}

fn spawn(command: &mut Command) -> Child {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The output of a server that nobody reads meanwhile.
pub(crate) struct Output {
    ask: Sender<Wanted>,
    given: Receiver<String>,
}

enum Wanted {
    Beginning,
    Line,
}

impl Output {
    /// Waits until the next line has begun to come.
    pub(crate) fn begins(&self) {
        self.get(Wanted::Beginning);
    }

    /// Waits for the next message.
    pub(crate) fn message(&self) -> Value {
        serde_json::from_str(&self.get(Wanted::Line)).expect("a frame")
    }

    fn get(&self, wanted: Wanted) -> String {
        self.ask.send(wanted).expect("the output goes on");
        let given = self.given.recv_timeout(PATIENCE);
        given.unwrap_or_else(|error| panic!("no output: {error}"))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A server that has ended cannot be killed, which is as well.
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

/// The lines of a pipe, read as they come.
fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(pipe).lines() {
            if sender.send(line.expect("output is UTF-8")).is_err() {
                return;
            }
        }
    });
    receiver
}
