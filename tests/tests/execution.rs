//! What a function may do where it runs is the same on every transport, in process, and in a task; what it may not do fails as
//! one failed call.

#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use axum::Router;
use mcp_runtime::{Server, client::CallOutcome};
use mcp_tests::execution::{COMPLETIONS, Expected, TOOLS};
use mcp_tests::layer::{self, layered};
use serde_json::{Value, json};

mcp_runtime::link!(mcp_tests);

/// The server, without a layer and with one.
fn servers() -> [Server; 2] {
    let builder = || mcp_runtime::server!().groups(["execution"]);
    [builder(), layered(builder())].map(|builder| builder.build().unwrap())
}

/// What has come of a call: its text, or `None` if it failed.
type Came = Option<String>;

/// Holds what has come of a call against what was expected.
fn check(name: &str, expected: Expected, came: &Came) {
    match expected {
        Expected::Text(text) => assert_eq!(came.as_deref(), Some(text), "{name}"),
        Expected::Failure => assert_eq!(*came, None, "{name}"),
        Expected::Either => assert!(
            came.as_deref().is_none_or(|text| text == "waited"),
            "{name}"
        ),
    }
}

fn request(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn call(tool: &str) -> Value {
    request("tools/call", json!({"name": tool, "arguments": {}}))
}

fn completion(argument: &str) -> Value {
    request(
        "completion/complete",
        json!({
            "ref": {"type": "ref/prompt", "name": "complete"},
            "argument": {"name": argument, "value": ""},
        }),
    )
}

/// What has come of a request, by its response.
fn came(response: &Value) -> Came {
    let result = &response["result"];
    if let Some(values) = result["completion"]["values"].as_array() {
        let text = values.first().and_then(Value::as_str);
        return Some(text.unwrap_or_default().to_owned());
    }
    if result.is_null() || result["isError"] == true {
        let failed = ["Error: the tool failed", "the completion failed"];
        let text = result["content"][0]["text"].as_str();
        let text = text.or(response["error"]["message"].as_str());
        assert!(
            text.is_some_and(|text| failed.contains(&text)),
            "{response}"
        );
        return None;
    }
    let text = result["content"][0]["text"].as_str();
    Some(text.unwrap_or_else(|| panic!("{response}")).to_owned())
}

/// Makes all requests one after the other, so that each shows that the server has gone on after the one before.
fn ask_all(mut ask: impl FnMut(&Value) -> Value) {
    for (tool, expected) in TOOLS.iter().chain(&TOOLS[..1]) {
        check(tool, *expected, &came(&ask(&call(tool))));
    }
    for (argument, expected) in COMPLETIONS.iter().chain(&COMPLETIONS[..1]) {
        check(argument, *expected, &came(&ask(&completion(argument))));
    }
}

fn outcome(outcome: &CallOutcome) -> Came {
    (!outcome.is_error()).then(|| outcome.text())
}

fn call_all(server: &Server) {
    for (tool, expected) in TOOLS {
        check(
            tool,
            *expected,
            &outcome(&server.call_blocking(tool, json!({}))),
        );
    }
    ask_all(|request| server.handle_request(request).unwrap());
}

async fn call_all_async(server: &Server) {
    for (tool, expected) in TOOLS {
        let called = server.call(tool, json!({})).await;
        check(tool, *expected, &outcome(&called));
    }
    for (argument, expected) in COMPLETIONS {
        let response = server.handle(&completion(argument)).await.unwrap();
        check(argument, *expected, &came(&response));
    }
}

#[test]
fn in_process_on_a_thread_without_a_runtime() {
    for server in servers() {
        call_all(&server);
    }
}

#[tokio::test]
async fn in_process_on_the_thread_of_a_runtime() {
    for server in servers() {
        call_all(&server);
        call_all_async(&server).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_process_on_a_worker_of_a_runtime() {
    let calls = async {
        for server in servers() {
            call_all(&server);
            call_all_async(&server).await;
        }
    };
    tokio::spawn(calls).await.unwrap();
}

/// The tools that may become tasks.
fn of_tasks() -> impl Iterator<Item = &'static (&'static str, Expected)> {
    TOOLS.iter().filter(|(tool, _)| tool.starts_with("async_"))
}

#[test]
fn in_a_task_on_a_thread_without_a_runtime() {
    for server in servers() {
        let client = server.client().tasks();
        for (tool, expected) in of_tasks() {
            let called = client.call_blocking(tool, json!({})).unwrap();
            check(tool, *expected, &outcome(&called));
        }
    }
}

#[tokio::test]
async fn in_a_task_on_the_thread_of_a_runtime() {
    for server in servers() {
        let client = server.client().tasks();
        for (tool, expected) in of_tasks() {
            let called = client.call(tool, json!({})).await.unwrap();
            check(tool, *expected, &outcome(&called));
        }
    }
}

/// A process that ends with its test.
struct Process(Child);

impl Process {
    fn start(arguments: &[&str], has_layer: bool) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_execution-server"));
        if has_layer {
            command.env(layer::VARIABLE, "1");
        }
        let child = command
            .args(arguments)
            .env("MCP_LOG", "info")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        Self(child.unwrap())
    }

    /// Reads on in its log, which would break off otherwise.
    fn drain(log: impl Read + Send + 'static) {
        let mut log = log;
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // One that has ended by itself cannot be killed.
        let _ended = self.0.kill();
        let _status = self.0.wait();
    }
}

#[test]
fn over_stdio() {
    for has_layer in [false, true] {
        let mut process = Process::start(&[], has_layer);
        let mut input = process.0.stdin.take().unwrap();
        let mut output = BufReader::new(process.0.stdout.take().unwrap());
        Process::drain(process.0.stderr.take().unwrap());
        ask_all(|request| {
            writeln!(input, "{request}").unwrap();
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            serde_json::from_str(&line).unwrap()
        });
    }
}

/// Sends a request over a connection of its own.
fn post(address: &str, request: &Value) -> Value {
    let body = request.to_string();
    let mut head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {}\r\n\
         Content-Length: {}\r\nConnection: close\r\n",
        request["method"].as_str().unwrap(),
        body.len()
    );
    if let Some(name) = request["params"]["name"].as_str() {
        head.push_str(&format!("Mcp-Name: {name}\r\n"));
    }
    let mut connection = TcpStream::connect(address).unwrap();
    write!(connection, "{head}\r\n{body}").unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").expect(&answer);
    serde_json::from_str(body).expect(&answer)
}

#[test]
fn over_http() {
    for has_layer in [false, true] {
        let mut process = Process::start(&["http", "--addr", "127.0.0.1:0"], has_layer);
        let mut log = BufReader::new(process.0.stderr.take().unwrap());
        let mut line = String::new();
        log.read_line(&mut line).unwrap();
        let (_, url) = line.trim_end().split_once("http://").expect(&line);
        let address = url.strip_suffix("/mcp").expect(url).to_owned();
        Process::drain(log);
        ask_all(|request| post(&address, request));
    }
}

#[test]
fn over_a_service_in_axum() {
    let [plain, layered] = servers();
    for (is_multi_thread, server) in [
        (false, &plain),
        (true, &plain),
        (false, &layered),
        (true, &layered),
    ] {
        let service = server.clone().into_service();
        let mut runtime = if is_multi_thread {
            tokio::runtime::Builder::new_multi_thread()
        } else {
            tokio::runtime::Builder::new_current_thread()
        };
        let runtime = runtime.enable_all().build().unwrap();
        let (tell, told) = std::sync::mpsc::channel();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let serving = std::thread::spawn(move || {
            runtime.block_on(async {
                let app = Router::new().route_service("/mcp", service);
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                tell.send(listener.local_addr().unwrap()).unwrap();
                tokio::select! {
                    served = async { axum::serve(listener, app).await } => served.unwrap(),
                    _ = stopped => {}
                }
            });
        });
        let address = told.recv().unwrap().to_string();
        ask_all(|request| post(&address, request));
        stop.send(()).unwrap();
        serving.join().unwrap();
    }
}

#[test]
fn on_the_command_line() {
    for (tool, expected) in TOOLS {
        let mut process = Process::start(&["call", tool], false);
        let mut out = String::new();
        let mut log = String::new();
        process
            .0
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut out)
            .unwrap();
        process
            .0
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut log)
            .unwrap();
        let code = process.0.wait().unwrap().code();
        let came = match code {
            Some(0) => Some(out.trim_end().to_owned()),
            Some(1) => None,
            _ => panic!("{tool} ended with {code:?}: {log}"),
        };
        check(tool, *expected, &came);
    }
}
