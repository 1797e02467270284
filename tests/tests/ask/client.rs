//! A client that answers what it is asked.

use mcp_runtime::Server;
use serde_json::{Map, Value, json};

/// A request that is sent again and again until it is done.
#[derive(Clone)]
pub(crate) struct Request {
    method: &'static str,
    params: Value,
}

impl Request {
    pub(crate) fn new(method: &'static str, mut params: Value) -> Self {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {
                "elicitation": {"form": {}, "url": {}},
                "sampling": {"tools": {}},
                "roots": {},
            },
        });
        Self { method, params }
    }

    pub(crate) fn call(tool: &str, arguments: Value) -> Self {
        Self::new("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The same from a client that can do this and nothing else.
    pub(crate) fn capable_of(mut self, capabilities: Value) -> Self {
        self.params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
        self
    }

    pub(crate) fn with(mut self, member: &str, value: Value) -> Self {
        self.params[member] = value;
        self
    }

    /// The next round of the request, with answers and with the state that the last one gave.
    pub(crate) fn next(&self, last: &Value, answers: Value) -> Self {
        let mut next = self.clone();
        next.params["inputResponses"] = answers;
        match last.get("requestState") {
            Some(state) => next.params["requestState"] = state.clone(),
            None => {
                next.params.as_object_mut().unwrap().remove("requestState");
            }
        }
        next
    }

    pub(crate) fn message(&self) -> Value {
        json!({"jsonrpc": "2.0", "id": 1, "method": self.method, "params": self.params})
    }

    /// The response to the request.
    pub(crate) fn response(&self, server: &Server) -> Value {
        server.handle_request(&self.message()).unwrap()
    }

    /// The result of the request, which has to succeed.
    #[track_caller]
    pub(crate) fn send(&self, server: &Server) -> Value {
        let response = self.response(server);
        let result = response.get("result");
        result.unwrap_or_else(|| panic!("{response}")).clone()
    }

    /// The error of the request, which has to be refused.
    #[track_caller]
    pub(crate) fn refused(&self, server: &Server) -> (i64, String) {
        let response = self.response(server);
        let error = response.get("error");
        let error = error.unwrap_or_else(|| panic!("{response}"));
        let message = error["message"].as_str().unwrap();
        (error["code"].as_i64().unwrap(), message.to_owned())
    }
}

/// The keys of a round's questions, in their order on the wire.
#[track_caller]
pub(crate) fn asked(round: &Value) -> Vec<&str> {
    assert_eq!(round["resultType"], "input_required", "{round}");
    let requests = round["inputRequests"].as_object().unwrap();
    requests.keys().map(String::as_str).collect()
}

/// The text of a result that is complete.
#[track_caller]
pub(crate) fn text(result: &Value) -> &str {
    assert_eq!(result["resultType"], "complete", "{result}");
    result["content"][0]["text"].as_str().unwrap()
}

pub(crate) fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

/// Answers to the keys.
pub(crate) fn answers<const N: usize>(answers: [(&str, Value); N]) -> Value {
    let members = answers.map(|(key, answer)| (key.to_owned(), answer));
    Value::Object(Map::from_iter(members))
}
