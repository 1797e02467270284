//! A connection in memory: several calls at once, their cancellation, their limits of time, streams and the end.

use std::sync::{Arc, Condvar, Mutex};

use mcp_runtime::prelude::*;
use mcp_runtime::{Principal, transport::Connection};
use serde_json::{Value, json};
use tokio::sync::Notify;

/// A gate that plain functions wait at.
#[derive(Default)]
struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn open(&self) {
        *self.is_open.lock().unwrap() = true;
        self.opened.notify_all();
    }
}

/// Wait at the gate, on a thread that may block.
#[mcp_tool(group = "connection")]
fn block(gate: State<Arc<Gate>>) -> &'static str {
    let open = gate.is_open.lock().unwrap();
    drop(gate.opened.wait_while(open, |is_open| !*is_open).unwrap());
    "opened"
}

/// Tell when it is dropped.
struct Dropped(Arc<Notify>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// Wait for ever, and tell when it is dropped.
#[mcp_tool(group = "connection")]
async fn linger(dropped: State<Arc<Notify>>) {
    let _dropped = Dropped(Arc::clone(&dropped));
    std::future::pending().await
}

/// Wait for ever, but not longer than a moment.
#[mcp_tool(group = "connection", timeout = "20ms")]
async fn late() {
    std::future::pending().await
}

/// Go on for as long as others have something to do.
#[mcp_tool(group = "connection")]
async fn step_aside(ctx: &Context) -> String {
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    ctx.principal().map_or("nobody", Principal::id).to_owned()
}

struct Peer {
    server: Server,
    connection: Connection,
    unread: Vec<Value>,
    gate: Arc<Gate>,
    dropped: Arc<Notify>,
}

impl Peer {
    fn new() -> Self {
        let (gate, dropped) = (Arc::<Gate>::default(), Arc::<Notify>::default());
        let server = mcp_runtime::server!()
            .groups(["connection"])
            .state(Arc::clone(&gate))
            .state(Arc::clone(&dropped))
            .build()
            .unwrap();
        Self {
            connection: server.connect_as(&Principal::new("ada")),
            server,
            unread: Vec::new(),
            gate,
            dropped,
        }
    }

    fn send(&mut self, message: &Value) {
        self.connection.receive(format!("{message}\n").as_bytes());
    }

    fn request(&mut self, id: i32, method: &str, mut params: Value) {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    fn call(&mut self, id: i32, tool: &str) {
        self.request(id, "tools/call", json!({"name": tool}));
    }

    /// The next message of the server; `None` after the end.
    async fn next(&mut self) -> Option<Value> {
        while self.unread.is_empty() {
            let bytes = self.connection.transmit().await?;
            let lines = bytes.split(|byte| *byte == b'\n');
            let lines = lines.filter(|line| !line.is_empty());
            self.unread
                .extend(lines.map(|line| serde_json::from_slice::<Value>(line).unwrap()));
        }
        Some(self.unread.remove(0))
    }

    /// The id and the text of the next answer.
    async fn answer(&mut self) -> (i64, String) {
        let message = self.next().await.unwrap();
        let text = &message["result"]["content"][0]["text"];
        let text = text.as_str().or(message["error"]["message"].as_str());
        (message["id"].as_i64().unwrap(), text.unwrap().to_owned())
    }
}

#[tokio::test]
async fn a_slow_call_delays_no_other() {
    let mut peer = Peer::new();
    peer.call(1, "block");
    peer.call(2, "linger");
    peer.call(3, "step_aside");
    assert_eq!(peer.answer().await, (3, "ada".to_owned()));
    peer.gate.open();
    assert_eq!(peer.answer().await, (1, "opened".to_owned()));
}

#[tokio::test]
async fn a_cancelled_call_is_dropped_and_not_answered() {
    let mut peer = Peer::new();
    peer.call(1, "linger");
    peer.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
    );
    peer.call(2, "step_aside");
    assert_eq!(peer.answer().await.0, 2);
    peer.dropped.notified().await;
}

#[tokio::test]
async fn an_id_in_flight_is_refused() {
    let mut peer = Peer::new();
    peer.call(1, "block");
    peer.call(1, "step_aside");
    let refused = peer.next().await.unwrap();
    assert!(refused.get("id").is_none(), "{refused}");
    assert_eq!(refused["error"]["code"], -32600);
    peer.gate.open();
    assert_eq!(peer.answer().await, (1, "opened".to_owned()));
}

#[tokio::test]
async fn a_limit_of_time_is_kept() {
    let mut peer = Peer::new();
    peer.call(1, "late");
    assert_eq!(peer.answer().await, (1, "tool timed out".to_owned()));
}

#[test]
fn limits_of_time_need_no_timers_of_the_caller() {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(async {
        let mut peer = Peer::new();
        peer.call(1, "late");
        assert_eq!(peer.answer().await, (1, "tool timed out".to_owned()));
    });
}

#[tokio::test]
async fn a_stream_tells_of_changes_and_ends_with_the_connection() {
    let mut peer = Peer::new();
    let filter = json!({"notifications": {"toolsListChanged": true}});
    peer.request(1, "subscriptions/listen", filter);
    let acknowledged = peer.next().await.unwrap();
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    let schema = json!({"type": "object", "properties": {}});
    let handler = |_: Value| Ok::<_, ToolError>("new");
    for name in ["one", "two"] {
        let registered = peer
            .server
            .register_tool(name, "New.", schema.clone(), handler);
        registered.unwrap();
    }
    let changed = peer.next().await.unwrap();
    assert_eq!(changed["method"], "notifications/tools/list_changed");
    peer.connection.end();
    let cancelled = peer.next().await.unwrap();
    assert_eq!(cancelled["method"], "notifications/cancelled");
    let ended = peer.next().await.unwrap();
    assert_eq!(ended["id"], 1);
    assert_eq!(peer.next().await, None);
}

#[tokio::test]
async fn the_end_waits_for_calls_that_run() {
    let mut peer = Peer::new();
    peer.call(1, "block");
    peer.connection.end();
    assert!(!peer.connection.is_open());
    peer.call(2, "step_aside");
    peer.gate.open();
    assert_eq!(peer.answer().await, (1, "opened".to_owned()));
    assert_eq!(peer.next().await, None);
    assert_eq!(peer.next().await, None);
}

#[tokio::test]
async fn bytes_come_in_any_pieces_and_the_last_line_may_be_unfinished() {
    let mut peer = Peer::new();
    for byte in b"\xEF\xBB\xBF{}\r\n\n[" {
        peer.connection.receive(&[*byte]);
    }
    peer.connection.end();
    let codes = [peer.next().await, peer.next().await, peer.next().await];
    let codes = codes.map(|message| message.map(|message| message["error"]["code"].clone()));
    assert_eq!(codes, [Some(json!(-32600)), Some(json!(-32700)), None]);
}

#[tokio::test]
async fn a_connection_that_is_dropped_drops_its_calls() {
    let mut peer = Peer::new();
    peer.call(1, "linger");
    peer.call(2, "step_aside");
    assert_eq!(peer.answer().await.0, 2);
    let Peer {
        connection,
        dropped,
        ..
    } = peer;
    drop(connection);
    dropped.notified().await;
}
