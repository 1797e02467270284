//! The threads over a pair of sockets.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, OnceLock, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Stdio, Wire};
use crate::ToolError;
use crate::server::{Server, ServerBuilder};

/// Longer than anything takes on a busy machine; a test waits so long only if it fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// The client's ends of the streams, and the thread that serves.
struct Client {
    input: UnixStream,
    output: BufReader<UnixStream>,
    served: JoinHandle<std::io::Result<()>>,
}

fn start(server: &Server) -> (Arc<Stdio>, Client) {
    let (input, theirs) = UnixStream::pair().unwrap();
    let (output, ours) = UnixStream::pair().unwrap();
    output.set_read_timeout(Some(PATIENCE)).unwrap();
    let wire = Wire::between(theirs, ours);
    let stdio = Stdio::new(Arc::clone(server.core()), wire).unwrap();
    let serving = Arc::clone(&stdio);
    let client = Client {
        input,
        output: BufReader::new(output),
        served: thread::spawn(move || serving.supervise().0),
    };
    (stdio, client)
}

fn call(id: u32, tool: &str) -> String {
    let params = json!({"name": tool, "arguments": {}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

impl Client {
    fn send(&mut self, message: &str) {
        writeln!(self.input, "{message}").unwrap();
    }

    fn message(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Ends the input, and waits for the end of serving.
    fn end(self) -> std::io::Result<()> {
        self.input.shutdown(Shutdown::Write).unwrap();
        self.served.join().unwrap()
    }
}

fn builder() -> ServerBuilder {
    ServerBuilder::new("tested", "1.0.0")
}

fn schema() -> Value {
    json!({"type": "object", "properties": {}})
}

#[test]
fn plain_functions_run_beside_each_other_and_inline_ones_on_the_thread_that_reads() {
    let thread_name = |_: Value| Ok::<_, ToolError>(thread::current().name().map(str::to_owned));
    let meeting = Arc::new(std::sync::Barrier::new(8));
    let meet = move |_: Value| {
        meeting.wait();
        Ok::<_, ToolError>("met")
    };
    use crate::HandlerExt as _;
    let server = builder()
        .register_tool("inline", "Tell.", schema(), thread_name.inline())
        .register_tool("meet", "Meet.", schema(), meet)
        .build()
        .unwrap();
    let (_, mut client) = start(&server);
    client.send(&call(0, "inline"));
    let name = client.message()["result"]["content"][0]["text"].clone();
    assert_eq!(name, "mcp-stdio-read");
    for id in 1..=8 {
        client.send(&call(id, "meet"));
    }
    for _ in 1..=8 {
        assert_eq!(client.message()["result"]["content"][0]["text"], "met");
    }
    client.end().unwrap();
}

/// Asks for the lock of the transport when it is dropped.
struct Returning(Arc<OnceLock<Weak<Stdio>>>);

impl Drop for Returning {
    fn drop(&mut self) {
        if let Some(stdio) = self.0.get().and_then(Weak::upgrade) {
            drop(stdio.lock());
        }
    }
}

#[test]
fn calls_that_wait_when_serving_ends_are_dropped_without_the_lock() {
    let shared = Arc::<OnceLock<Weak<Stdio>>>::default();
    let handler = {
        let shared = Arc::clone(&shared);
        move |_: Value| {
            let returning = Returning(Arc::clone(&shared));
            async move {
                let _returning = returning;
                std::future::pending::<Result<String, ToolError>>().await
            }
        }
    };
    let server = builder()
        .register_tool("wait", "Wait.", schema(), handler)
        .grace(Duration::ZERO)
        .build()
        .unwrap();
    let (stdio, mut client) = start(&server);
    assert!(shared.set(Arc::downgrade(&stdio)).is_ok());
    client.send(&call(1, "wait"));
    client.end().unwrap();
    assert!(stdio.lock().connection.is_closed());
}
