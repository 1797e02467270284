//! A server on loopback, and a client that sends any bytes.

use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::{Server, http::HttpOptions};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// Longer than anything takes on a busy machine; a test waits so long only if it fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Waits for what is to happen, but not for ever.
pub(crate) async fn patiently<T>(happens: impl Future<Output = T>) -> T {
    let happened = tokio::time::timeout(PATIENCE, happens).await;
    happened.expect("it happens in time")
}

/// A server that runs until it is dropped.
pub(crate) struct Running {
    pub(crate) port: u16,
    stop: Arc<Notify>,
    task: JoinHandle<()>,
}

impl Running {
    pub(crate) async fn start(server: &Server) -> Self {
        Self::start_with(server, HttpOptions::new()).await
    }

    pub(crate) async fn start_with(server: &Server, options: HttpOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let stop = Arc::new(Notify::new());
        let (server, stopped) = (server.clone(), Arc::clone(&stop));
        let task = tokio::spawn(async move {
            let until = async move { stopped.notified().await };
            server
                .serve_http_on(listener, options, until)
                .await
                .unwrap();
        });
        Self { port, stop, task }
    }

    /// Asks the server to stop, and waits until it has.
    pub(crate) async fn stop(self) {
        self.stop.notify_one();
        self.task.await.unwrap();
    }

    /// Drops the future that serves.
    pub(crate) fn drop_server(self) {
        self.task.abort();
    }

    pub(crate) async fn connect(&self) -> Peer {
        Peer::connect(self.port).await
    }

    /// Sends one request on a connection of its own.
    pub(crate) async fn send(&self, request: &Post) -> Reply {
        let mut peer = self.connect().await;
        peer.write(&request.bytes(self.port)).await;
        peer.reply().await
    }
}

/// One POST, whose every part can be put out of shape.
#[derive(Debug, Clone)]
pub(crate) struct Post {
    pub(crate) start: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Post {
    /// A well-formed request of a method, with the metadata and headers that the revision requires.
    pub(crate) fn new(method: &str, mut params: Value) -> Self {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let post =
            Self::raw(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
                .header("MCP-Protocol-Version", "2026-07-28")
                .header("Mcp-Method", method);
        match params.get("name").and_then(Value::as_str) {
            Some(name) => post.header("Mcp-Name", name),
            None => post,
        }
    }

    pub(crate) fn call(tool: &str, arguments: Value) -> Self {
        Self::new("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// A body without the headers that mirror it.
    pub(crate) fn raw(body: &Value) -> Self {
        Self::bytes_of(body.to_string().into_bytes())
    }

    pub(crate) fn bytes_of(body: Vec<u8>) -> Self {
        Self {
            start: "POST /mcp HTTP/1.1".into(),
            headers: vec![
                ("Content-Type".into(), "application/json".into()),
                (
                    "Accept".into(),
                    "application/json, text/event-stream".into(),
                ),
            ],
            body,
        }
    }

    pub(crate) fn start(mut self, start: &str) -> Self {
        self.start = start.into();
        self
    }

    /// Adds a header line.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers
            .retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self
    }

    /// Replaces a header.
    pub(crate) fn with(self, name: &str, value: &str) -> Self {
        self.without(name).header(name, value)
    }

    pub(crate) fn body(mut self, change: impl FnOnce(&mut Value)) -> Self {
        let mut body = serde_json::from_slice(&self.body).unwrap();
        change(&mut body);
        self.body = body.to_string().into_bytes();
        self
    }

    pub(crate) fn bytes(&self, port: u16) -> Vec<u8> {
        let mut bytes = format!("{}\r\n", self.start).into_bytes();
        let has = |name: &str| {
            self.headers
                .iter()
                .any(|(other, _)| other.eq_ignore_ascii_case(name))
        };
        if !has("Host") {
            bytes.extend_from_slice(format!("Host: 127.0.0.1:{port}\r\n").as_bytes());
        }
        if !has("Content-Length") && !has("Transfer-Encoding") {
            bytes.extend_from_slice(format!("Content-Length: {}\r\n", self.body.len()).as_bytes());
        }
        for (name, value) in &self.headers {
            // One byte for each character, so that a test can write bytes that are no text.
            bytes.extend(format!("{name}: ").bytes());
            bytes.extend(value.chars().map(|c| u8::try_from(c).unwrap()));
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// The status, and the code of the error or 0.
    pub(crate) fn code(&self) -> (u16, i64) {
        (
            self.status,
            self.json()["error"]["code"].as_i64().unwrap_or(0),
        )
    }

    /// The messages of a stream.
    pub(crate) fn events(&self) -> Vec<Value> {
        assert_eq!(self.header("content-type"), Some("text/event-stream"));
        events(&self.body)
    }
}

pub(crate) fn events(text: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(text).unwrap();
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap())
        .collect()
}

/// A connection, and what was read beyond the last answer.
pub(crate) struct Peer(pub(crate) TcpStream, Vec<u8>);

impl Peer {
    pub(crate) async fn connect(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        Self(stream, Vec::new())
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).await.unwrap();
    }

    /// Writes to a connection that may be closed by now; `None` if it is.
    pub(crate) async fn try_write(&mut self, bytes: &[u8]) -> Option<()> {
        self.0.write_all(bytes).await.ok()
    }

    /// A whole answer; `None` if the connection is closed instead.
    pub(crate) async fn try_reply(&mut self) -> Option<Reply> {
        if self.1.is_empty() && !self.more().await {
            return None;
        }
        Some(self.reply().await)
    }

    /// Reads more; `false` at the end.
    async fn more(&mut self) -> bool {
        self.0.read_buf(&mut self.1).await.unwrap_or(0) > 0
    }

    /// Whether the server closes the connection without another byte.
    pub(crate) async fn is_closed(&mut self) -> bool {
        self.1.is_empty() && !self.more().await
    }

    /// Waits for the end of the connection, whatever comes before it.
    pub(crate) async fn until_closed(&mut self) {
        while self.more().await {}
    }

    /// The head of an answer.
    pub(crate) async fn head(&mut self) -> Reply {
        let end = loop {
            if let Some(end) = find(&self.1, b"\r\n\r\n") {
                break end;
            }
            assert!(
                self.more().await,
                "closed within the head: {:?}",
                String::from_utf8_lossy(&self.1)
            );
        };
        let rest = self.1.split_off(end + 4);
        let head = String::from_utf8(std::mem::replace(&mut self.1, rest)).unwrap();
        let mut lines = head.trim_end().split("\r\n");
        let status = lines
            .next()
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
        let headers = lines
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Reply {
            status,
            headers,
            body: Vec::new(),
        }
    }

    /// A whole answer, however its body is framed.
    pub(crate) async fn reply(&mut self) -> Reply {
        let mut reply = self.head().await;
        if let Some(length) = reply.header("content-length") {
            let length: usize = length.parse().unwrap();
            while self.1.len() < length {
                assert!(self.more().await, "closed within the body");
            }
            let rest = self.1.split_off(length);
            reply.body = std::mem::replace(&mut self.1, rest);
        } else if reply.header("transfer-encoding").is_some() {
            while let Some(chunk) = self.chunk().await {
                reply.body.extend(chunk);
            }
        }
        reply
    }

    /// The next chunk of a chunked body; `None` after the last.
    pub(crate) async fn chunk(&mut self) -> Option<Vec<u8>> {
        let (start, length) = loop {
            if let Some(end) = find(&self.1, b"\r\n") {
                let digits = std::str::from_utf8(&self.1[..end]).unwrap();
                break (end + 2, usize::from_str_radix(digits, 16).unwrap());
            }
            assert!(self.more().await, "closed within the body");
        };
        while self.1.len() < start + length + 2 {
            assert!(self.more().await, "closed within a chunk");
        }
        let rest = self.1.split_off(start + length + 2);
        let chunk = std::mem::replace(&mut self.1, rest);
        (length > 0).then(|| chunk[start..start + length].to_vec())
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}
