//! The two wires to the shop, each with a server of its own, and requests as a client writes them.

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A request with the metadata that the revision requires.
pub fn request(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "orders-tests", "version": "1.0.0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

/// The server as a process, which ends with its test.
struct Process(Child);

impl Process {
    fn start(arguments: &[&str]) -> Self {
        let child = Command::new(env!("CARGO_BIN_EXE_orders"))
            .args(arguments)
            .env("MCP_LOG", "info")
            .env_remove("ORDERS_DATABASE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        Self(child.unwrap())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // One that has ended by itself cannot be killed, which is as well.
        let _ended = self.0.kill();
        let _status = self.0.wait();
    }
}

/// Something that carries a request to the shop, and its answer back.
pub trait Wire {
    fn ask(&mut self, request: &Value) -> Value;

    fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(&request(method, params));
        assert_eq!(
            (&answer["jsonrpc"], &answer["id"]),
            (&json!("2.0"), &json!(1))
        );
        assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
        answer["result"].clone()
    }

    /// The code and the message of an error.
    fn error(&mut self, request: &Value) -> (i64, String) {
        let answer = self.ask(request);
        let error = &answer["error"];
        let code = error["code"].as_i64().unwrap_or_else(|| panic!("{answer}"));
        (code, error["message"].as_str().unwrap().to_owned())
    }
}

/// Shows something over stdio and over HTTP.
pub fn over_both(show: impl Fn(&mut dyn Wire)) {
    show(&mut StandardStreams::start());
    show(&mut Http::start());
}

/// Newline-delimited messages over the process's standard streams.
pub struct StandardStreams {
    _process: Process,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl StandardStreams {
    pub fn start() -> Self {
        let mut process = Process::start(&[]);
        let input = process.0.stdin.take().unwrap();
        let output = BufReader::new(process.0.stdout.take().unwrap()).lines();
        Self {
            _process: process,
            input,
            output,
        }
    }
}

impl Wire for StandardStreams {
    fn ask(&mut self, request: &Value) -> Value {
        writeln!(self.input, "{request}").unwrap();
        let line = self.output.next().expect("the server has ended").unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

/// Streamable HTTP, with a connection for each request.
pub struct Http {
    _process: Process,
    pub address: String,
}

/// The status of an answer, and its body.
pub type Answer = (u16, Value);

impl Http {
    pub fn start() -> Self {
        let mut process = Process::start(&["http", "--addr", "127.0.0.1:0"]);
        let mut log = BufReader::new(process.0.stderr.take().unwrap()).lines();
        let line = log.next().expect("the server has ended").unwrap();
        let (_, url) = line.split_once("http://").expect(&line);
        let address = url.strip_suffix("/mcp").expect(url).to_owned();
        Self {
            _process: process,
            address,
        }
    }

    /// The headers that a client sends with a request.
    pub fn headers(&self, request: &Value) -> Vec<(&'static str, String)> {
        let params = &request["params"];
        let version = &params["_meta"]["io.modelcontextprotocol/protocolVersion"];
        let mut headers = vec![
            ("Host", self.address.clone()),
            ("Content-Type", "application/json".into()),
            ("Accept", "application/json, text/event-stream".into()),
            (
                "MCP-Protocol-Version",
                version.as_str().unwrap_or("2026-07-28").into(),
            ),
            (
                "Mcp-Method",
                request["method"].as_str().unwrap_or_default().into(),
            ),
        ];
        if let Some(name) = params["name"].as_str().or(params["uri"].as_str()) {
            headers.push(("Mcp-Name", name.into()));
        }
        headers
    }

    /// Posts a request with these headers.
    pub fn post(&self, request: &Value, headers: &[(&str, String)]) -> Answer {
        let body = request.to_string();
        let mut head = String::from("POST /mcp HTTP/1.1\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!(
            "Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        ));
        let mut connection = TcpStream::connect(&self.address).unwrap();
        connection.write_all((head + &body).as_bytes()).unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect(&answer);
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).expect(&answer))
    }
}

impl Wire for Http {
    fn ask(&mut self, request: &Value) -> Value {
        self.post(request, &self.headers(request)).1
    }
}
