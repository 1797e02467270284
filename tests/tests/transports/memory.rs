//! A connection in memory, without a transport around it.

use mcp_runtime::{ServerBuilder, transport::Connection};
use serde_json::Value;
use tokio::runtime::Runtime;

use super::conversation::{Transport, is_answered, is_notification};

pub(crate) struct Memory {
    runtime: Runtime,
    connection: Connection,
    /// What has come and is not taken yet.
    unread: Vec<u8>,
}

impl Memory {
    pub(crate) fn start() -> Self {
        Self::of(mcp_tests::conversation::server())
    }

    /// The same with a layer.
    pub(crate) fn start_layered() -> Self {
        Self::of(mcp_tests::layer::layered(mcp_tests::conversation::server()))
    }

    fn of(server: ServerBuilder) -> Self {
        let server = server.build().unwrap();
        Self {
            runtime: Runtime::new().unwrap(),
            connection: server.connect(),
            unread: Vec::new(),
        }
    }

    /// The next message of the server.
    fn next(&mut self) -> Value {
        loop {
            if let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
                let line: Vec<_> = self.unread.drain(..=end).collect();
                return serde_json::from_slice(&line).unwrap();
            }
            let bytes = self.runtime.block_on(self.connection.transmit());
            self.unread.extend(bytes.expect("the connection has ended"));
        }
    }
}

impl Transport for Memory {
    fn say(&mut self, text: &str) -> Vec<Value> {
        {
            let _inside = self.runtime.enter();
            self.connection.receive(text.as_bytes());
            self.connection.receive(b"\n");
        }
        let mut said = Vec::new();
        while is_answered(text) && said.last().is_none_or(is_notification) {
            said.push(self.next());
        }
        said
    }
}
