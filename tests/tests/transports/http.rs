//! Streamable HTTP, with a connection for each message.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use super::conversation::{Transport, is_answered};
use super::stdio::Process;

pub(crate) struct Http {
    _process: Process,
    address: String,
}

impl Http {
    pub(crate) fn start() -> Self {
        Self::of(Process::start(&["http", "--addr", "127.0.0.1:0"]))
    }

    /// The same with a layer.
    pub(crate) fn start_layered() -> Self {
        Self::of(Process::start_layered(&["http", "--addr", "127.0.0.1:0"]))
    }

    fn of(mut process: Process) -> Self {
        let mut log = BufReader::new(process.0.stderr.take().unwrap());
        let mut line = String::new();
        log.read_line(&mut line).unwrap();
        let (_, url) = line.trim_end().split_once("http://").expect(&line);
        let address = url.strip_suffix("/mcp").expect(url).to_owned();
        // The process may go on writing to its log, which must not break off.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Self {
            _process: process,
            address,
        }
    }

    /// The head of a message, with what mirrors its body.
    fn head(&self, text: &str) -> String {
        let message: Value = serde_json::from_str(text).unwrap_or_default();
        let params = &message["params"];
        let version = &params["_meta"]["io.modelcontextprotocol/protocolVersion"];
        let mut head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {}\r\nMcp-Method: {}\r\n\
             Content-Length: {}\r\nConnection: close\r\n",
            self.address,
            version.as_str().unwrap_or("2026-07-28"),
            message["method"].as_str().unwrap_or("none"),
            text.len()
        );
        if let Some(name) = params["name"].as_str().or(params["uri"].as_str()) {
            head.push_str(&format!("Mcp-Name: {name}\r\n"));
        }
        if let Some(means) = params["arguments"]["means"].as_str() {
            head.push_str(&format!("Mcp-Param-Means: {means}\r\n"));
        }
        head + "\r\n"
    }
}

impl Transport for Http {
    fn say(&mut self, text: &str) -> Vec<Value> {
        let mut connection = TcpStream::connect(&self.address).unwrap();
        let request = self.head(text) + text;
        connection.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect(&answer);
        if !is_answered(text) {
            assert!(head.starts_with("HTTP/1.1 202 "), "{answer}");
            assert_eq!(body, "");
            return Vec::new();
        }
        if head.contains("text/event-stream") {
            // The lines of chunks and events that carry data, and none of those that frame them.
            let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
            return data
                .map(|data| serde_json::from_str(data).unwrap())
                .collect();
        }
        vec![serde_json::from_str(body).expect(&answer)]
    }
}
