//! The threads over a pair of sockets.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;
use tower::{ServiceBuilder, ServiceExt as _};

use super::{Stdio, Wire};
use crate::server::{Server, ServerBuilder};
use crate::{
    Context, ToolError,
    layer::{BoxError, CallRequest, CallService},
};

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

fn cancel(id: u32) -> String {
    let params = json!({ "requestId": id });
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string()
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
    use crate::tool::HandlerExt as _;
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
        .shutdown_timeout(Duration::ZERO)
        .build()
        .unwrap();
    let (stdio, mut client) = start(&server);
    assert!(shared.set(Arc::downgrade(&stdio)).is_ok());
    client.send(&call(1, "wait"));
    client.end().unwrap();
    assert!(stdio.lock().connection.is_closed());
}

/// A server of one call in flight with a plain function that goes on, although its call is cancelled, until it is released.
struct Held {
    builder: ServerBuilder,
    /// Hears of the beginning, and of the cancellation.
    progress: Receiver<&'static str>,
    release: Sender<()>,
}

fn held() -> Held {
    let (tell, progress) = channel();
    let (release, released) = channel();
    let released = Mutex::new(released);
    let hold = move |_: Value, context: Context| {
        tell.send("begun").map_err(ToolError::from)?;
        while !context.is_cancelled() {
            thread::sleep(Duration::from_millis(1));
        }
        tell.send("cancelled").map_err(ToolError::from)?;
        released.lock().unwrap().recv().map_err(ToolError::from)?;
        Ok::<_, ToolError>("released")
    };
    let echo = |_: Value| Ok::<_, ToolError>("echo");
    let builder = builder()
        .max_calls_in_flight(1)
        .register_tool("hold", "Hold.", schema(), hold)
        .register_tool("echo", "Echo.", schema(), echo);
    Held {
        builder,
        progress,
        release,
    }
}

impl Client {
    /// Makes a call that is one too many.
    fn call_refused(&mut self, id: u32) {
        self.send(&call(id, "echo"));
        let refused = self.message();
        assert_eq!(refused["id"], id, "{refused}");
        let message = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("Too many calls"), "{refused}");
    }

    /// Calls until a call is not refused; the place is free a moment after its function has returned.
    fn call_until_served(&mut self) {
        for id in 100.. {
            self.send(&call(id, "echo"));
            let answer = self.message();
            if answer["result"].is_object() {
                assert_eq!(answer["id"], id, "{answer}");
                return;
            }
        }
    }
}

#[test]
fn a_cancelled_plain_function_counts_until_it_returns_with_and_without_layers() {
    for has_layer in [false, true] {
        let mut held = held();
        if has_layer {
            held.builder = held.builder.layer(ServiceBuilder::new());
        }
        let (_, mut client) = start(&held.builder.build().unwrap());
        client.send(&call(1, "hold"));
        assert_eq!(held.progress.recv_timeout(PATIENCE), Ok("begun"));
        client.send(&cancel(1));
        assert_eq!(held.progress.recv_timeout(PATIENCE), Ok("cancelled"));
        client.call_refused(2);
        held.release.send(()).unwrap();
        client.call_until_served();
        client.end().unwrap();
    }
}

#[test]
fn a_plain_function_that_a_layer_leaves_behind_hears_of_it_and_counts_until_it_returns() {
    let held = held();
    let given_up = Arc::new(Notify::new());
    let layer = {
        let given_up = Arc::clone(&given_up);
        tower::layer::layer_fn(move |inner: CallService| {
            let given_up = Arc::clone(&given_up);
            tower::service_fn(move |call: CallRequest| {
                let (inner, given_up) = (inner.clone(), Arc::clone(&given_up));
                async move {
                    tokio::select! {
                        outcome = inner.oneshot(call) => outcome,
                        () = given_up.notified() => Err(BoxError::from("given up")),
                    }
                }
            })
        })
    };
    let server = held.builder.layer_for(|call| call.name() == "hold", layer);
    let (_, mut client) = start(&server.build().unwrap());
    client.send(&call(1, "hold"));
    assert_eq!(held.progress.recv_timeout(PATIENCE), Ok("begun"));
    given_up.notify_one();
    let answer = client.message();
    let text = &answer["result"]["content"][0]["text"];
    assert_eq!(
        (&answer["id"], text),
        (&json!(1), &json!("Error: given up"))
    );
    assert_eq!(held.progress.recv_timeout(PATIENCE), Ok("cancelled"));
    client.call_refused(2);
    held.release.send(()).unwrap();
    client.call_until_served();
    client.end().unwrap();
}
