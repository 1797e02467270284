//! The commands that serve: over standard streams, and over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

use serde_json::{Value, json};

use super::{DONE, USAGE, parts, run, run_with_input, toolshed};

#[test]
fn without_a_command_it_serves() {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
    let request =
        json!({"jsonrpc": "2.0", "id": "x", "method": "initialize", "params": {"_meta": meta}});
    for line in [&[][..], &["stdio"]] {
        let (exit, out, err) = run_with_input(line, &format!("{request}\n"));
        assert_eq!(exit, DONE, "{line:?}");
        assert!(err.contains("`initialize` is refused"), "{err}");
        let response: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(response["id"], "x");
        assert_eq!(response["error"]["code"], -32601);
    }
}

#[test]
fn what_is_printed_before_serving_stays_out_of_the_messages() {
    let mut child = toolshed()
        .env("TOOLSHED_BANNER", "1")
        .env("MCP_LOG", "off")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let request = json!({"jsonrpc": "2.0", "id": "x", "method": "server/discover"});
    writeln!(child.stdin.take().unwrap(), "{request}").unwrap();
    let (exit, out, err) = parts(child.wait_with_output().unwrap());
    assert_eq!((exit, &*err), (DONE, "Welcome to the toolshed!\n"));
    let response: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(response["id"], "x");
}

/// A server over HTTP, in a process of its own.
struct Served {
    child: Child,
    log: BufReader<ChildStderr>,
    address: String,
}

impl Served {
    fn start() -> Self {
        Self::start_logging("warn")
    }

    fn start_logging(level: &str) -> Self {
        Self::start_at("127.0.0.1:0", &[], level)
    }

    fn start_at(address: &str, options: &[&str], level: &str) -> Self {
        let mut child = toolshed()
            .args(["http", "--addr", address, "--path", "/tools"])
            .args(options)
            .env("MCP_LOG", level)
            .env("TOOLSHED", "slow")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        log.read_line(&mut line).unwrap();
        let (_, address) = line.trim().split_once("http://").expect(&line);
        let address = address.strip_suffix("/tools").expect(address).to_owned();
        Self {
            child,
            log,
            address,
        }
    }

    /// Calls a tool, on a connection that ends with the answer.
    fn call(&self, tool: &str, arguments: &Value) -> TcpStream {
        let body = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {
                "name": tool, "arguments": arguments,
                "_meta": {
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": {},
                    "progressToken": 0,
                },
            },
        })
        .to_string();
        let address = &self.address;
        let mut connection = TcpStream::connect(address).unwrap();
        write!(
            connection,
            "POST /tools HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
             Mcp-Method: tools/call\r\nMcp-Name: {tool}\r\nConnection: close\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        connection
    }

    fn terminate(&self) {
        let signalled = Command::new("kill")
            .args(["-TERM", &self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(signalled.success());
    }

    /// Reads the log up to a line with these words.
    fn logged(&mut self, words: &str) {
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            assert_ne!(self.log.read_line(&mut line).unwrap(), 0, "no `{words}`");
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // A server that has ended cannot be killed, which is as well.
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

#[test]
fn http_serves_until_a_signal_ends_it() {
    let mut served = Served::start();
    let mut response = String::new();
    let mut connection = served.call("add", &json!({"a": 2, "b": 3}));
    connection.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    assert!(response.contains(r#""text":"5""#), "{response}");
    served.terminate();
    assert_eq!(served.child.wait().unwrap().code(), Some(DONE));
}

#[test]
fn a_call_that_runs_when_the_signal_comes_is_answered() {
    let mut served = Served::start_logging("info");
    let mut until = std::env::temp_dir();
    until.push(format!("toolshed-lingers-{}", served.child.id()));
    let mut answer = BufReader::new(served.call("linger", &json!({"until": until})));
    let mut line = String::new();
    while !line.contains("notifications/progress") {
        line.clear();
        assert_ne!(answer.read_line(&mut line).unwrap(), 0, "no progress");
    }
    served.terminate();
    served.logged("stopping");
    assert!(
        TcpStream::connect(&served.address).is_err(),
        "it listens on"
    );
    std::fs::write(&until, "").unwrap();
    let mut rest = String::new();
    answer.read_to_string(&mut rest).unwrap();
    std::fs::remove_file(&until).unwrap();
    assert!(rest.contains(r#""text":"lingered""#), "{rest}");
    assert_eq!(served.child.wait().unwrap().code(), Some(DONE));
}

#[test]
fn http_ends_though_async_functions_hold_every_worker() {
    let mut served = Served::start();
    // More than the workers of any machine that runs this serve at one time.
    let workers = std::thread::available_parallelism().unwrap().get().max(2);
    let held: Vec<_> = (0..workers)
        .map(|_| {
            let connection = served.call("hold_worker", &json!({}));
            served.logged("hold_worker begun");
            connection
        })
        .collect();
    served.terminate();
    assert_eq!(served.child.wait().unwrap().code(), Some(DONE));
    drop(held);
}

#[test]
fn a_server_at_all_addresses_that_names_no_host_says_what_to_set() {
    let mut served = Served::start_at("0.0.0.0:0", &[], "warn");
    served.logged("--allow-host");
    let (_, port) = served.address.rsplit_once(':').unwrap();
    let mut connection = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    let request = "POST /tools HTTP/1.1\r\nHost: tools.example\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    connection.write_all(request.as_bytes()).unwrap();
    let mut response = String::new();
    connection.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 421 "), "{response}");
    served.logged("`tools.example`");
}

#[test]
fn a_server_at_all_addresses_that_names_a_host_says_nothing() {
    let options = ["--allow-host", "tools.example"];
    let mut served = Served::start_at("0.0.0.0:0", &options, "warn");
    served.terminate();
    assert_eq!(served.child.wait().unwrap().code(), Some(DONE));
    let mut log = String::new();
    served.log.read_to_string(&mut log).unwrap();
    assert_eq!(log, "");
}

#[test]
fn an_address_that_is_none_is_refused() {
    let (exit, _, err) = run(&["http", "--addr", "localhost"]);
    assert_eq!(exit, USAGE);
    assert!(err.contains("--addr <ADDRESS>"), "{err}");
}
