//! The commands that serve: over standard streams, and over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{DONE, USAGE, parts, run, run_with_input, toolshed};

#[test]
fn without_a_command_it_serves() {
    let request = json!({"jsonrpc": "2.0", "id": "x", "method": "initialize"});
    for line in [&[][..], &["stdio"]] {
        let (exit, out, err) = run_with_input(line, &format!("{request}\n"));
        assert_eq!((exit, err.as_str()), (DONE, ""), "{line:?}");
        let response: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(response["id"], "x");
        assert_eq!(response["error"]["code"], -32601);
    }
}

#[test]
fn what_is_printed_before_serving_stays_out_of_the_messages() {
    let mut child = toolshed()
        .env("TOOLSHED_BANNER", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let request = json!({"jsonrpc": "2.0", "id": "x", "method": "initialize"});
    writeln!(child.stdin.take().unwrap(), "{request}").unwrap();
    let (exit, out, err) = parts(child.wait_with_output().unwrap());
    assert_eq!((exit, &*err), (DONE, "Welcome to the toolshed!\n"));
    let response: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(response["id"], "x");
}

#[test]
fn http_serves_until_a_signal_ends_it() {
    let mut child = toolshed()
        .args(["http", "--addr", "127.0.0.1:0", "--path", "/tools"])
        .env("MCP_LOG", "info")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    log.read_line(&mut line).unwrap();
    let (_, address) = line.trim().split_once("http://").expect(&line);
    let address = address.strip_suffix("/tools").expect(address);

    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {
            "name": "add", "arguments": {"a": 2, "b": 3},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    })
    .to_string();
    let mut connection = TcpStream::connect(address).unwrap();
    write!(
        connection,
        "POST /tools HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: tools/call\r\nMcp-Name: add\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut response = String::new();
    connection.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    assert!(response.contains(r#""text":"5""#), "{response}");

    let signalled = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(signalled.success());
    assert_eq!(child.wait().unwrap().code(), Some(DONE));
}

#[test]
fn an_address_that_is_none_is_refused() {
    let (exit, _, err) = run(&["http", "--addr", "localhost"]);
    assert_eq!(exit, USAGE);
    assert!(err.contains("--addr <ADDRESS>"), "{err}");
}
