//! No transport at all: the server is called.

use mcp_runtime::Server;
use serde_json::Value;

use super::conversation::Transport;

pub(crate) struct Memory(Server);

impl Memory {
    pub(crate) fn start() -> Self {
        Self(mcp_tests::conversation::server().build().unwrap())
    }

    /// The same with a layer.
    pub(crate) fn start_layered() -> Self {
        let server = mcp_tests::layer::layered(mcp_tests::conversation::server());
        Self(server.build().unwrap())
    }
}

impl Transport for Memory {
    const NOTIFIES: bool = false;

    fn say(&mut self, text: &str) -> Vec<Value> {
        let mut answer = Vec::new();
        self.0.handle_message(text.as_bytes(), &mut answer);
        if answer.is_empty() {
            return Vec::new();
        }
        vec![serde_json::from_slice(&answer).unwrap()]
    }
}
