//! Conversations: read, held, compared and recorded.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::protocol::Protocol;

/// Something that carries messages to the server and back.
pub(crate) trait Transport {
    /// Says something; gives all that the server says to it.
    fn say(&mut self, text: &str) -> Vec<Value>;
}

/// How the names of files begin whose clients open a session.
const SESSION: &str = "legacy-";

/// The states that a server hands out, which differ each time: in files the first is `state 1`, and so on.
#[derive(Default)]
struct States(Vec<String>);

impl States {
    /// Replaces the state of a server's message by its name.
    fn take(&mut self, message: &mut Value) {
        if let Some(Value::String(state)) = message.pointer_mut("/result/requestState") {
            self.0.push(std::mem::take(state));
            *state = self.name(self.0.len() - 1);
        }
        if let Some(id) = message.pointer_mut("/params/elicitationId") {
            *id = "random".into();
        }
    }

    /// Replaces the names in a client's message by the states.
    fn insert(&self, text: String) -> String {
        let states = self.0.iter().enumerate();
        states.fold(text, |text, (index, state)| {
            text.replace(
                &json!(self.name(index)).to_string(),
                &json!(state).to_string(),
            )
        })
    }

    fn name(&self, index: usize) -> String {
        format!("state {}", index + 1)
    }
}

/// What a client says, and what the server says to it.
struct Exchange {
    client: Value,
    server: Vec<Value>,
}

/// A conversation and the file that it stands in.
pub(crate) struct Conversation {
    file: PathBuf,
    exchanges: Vec<Exchange>,
}

impl Conversation {
    /// Those of the current revision, by name.
    pub(crate) fn all() -> Vec<Self> {
        Self::where_name(|name| !name.starts_with(SESSION))
    }

    /// Those of clients that begin with `initialize`, one for each revision.
    pub(crate) fn of_sessions() -> Vec<Self> {
        Self::where_name(|name| name.starts_with(SESSION))
    }

    /// The revision of a client that begins with `initialize`.
    fn revision(&self) -> &str {
        let name = self.file.file_stem().unwrap().to_str().unwrap();
        name.strip_prefix(SESSION).unwrap()
    }

    fn where_name(is_wanted: impl Fn(&str) -> bool) -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/session");
        let mut files: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|file| is_wanted(file.file_name().unwrap().to_str().unwrap()))
            .collect();
        files.sort();
        files.into_iter().map(Self::read).collect()
    }

    fn read(file: PathBuf) -> Self {
        let mut exchanges: Vec<Exchange> = Vec::new();
        for line in fs::read_to_string(&file).unwrap().lines() {
            let mut line: Value = serde_json::from_str(line)
                .unwrap_or_else(|error| panic!("{}: {error}: {line}", file.display()));
            match (line.get_mut("client"), exchanges.last_mut()) {
                (Some(said), _) => exchanges.push(Exchange {
                    client: said.take(),
                    server: Vec::new(),
                }),
                (None, Some(exchange)) => exchange.server.push(line["server"].take()),
                (None, None) => panic!("{}: the client speaks first", file.display()),
            }
        }
        Self { file, exchanges }
    }

    /// Has the conversation, and compares what the server says with the file.
    pub(crate) fn hold(&self, transport: &mut impl Transport) {
        let mut states = States::default();
        for exchange in &self.exchanges {
            let mut said = transport.say(&states.insert(exchange.text()));
            said.iter_mut().for_each(|message| states.take(message));
            assert_eq!(
                said,
                exchange.server,
                "{}: {}",
                self.file.display(),
                exchange.client
            );
        }
    }

    /// Checks that all that the server says is what the protocol lets it say.
    pub(crate) fn check(&self, protocol: &mut Protocol) {
        for exchange in &self.exchanges {
            for said in &exchange.server {
                let faults = protocol.faults(&exchange.client, said);
                assert_eq!(faults, [""; 0], "{}: {said}", self.file.display());
            }
        }
    }

    /// Checks that all that the server says in a session is what its revision lets it say.
    pub(crate) fn check_session(&self) {
        let mut revision = Protocol::of(self.revision());
        let mut current = Protocol::read();
        let mut methods = BTreeMap::new();
        for exchange in &self.exchanges {
            let client = &exchange.client;
            if let Some(method) = client["method"].as_str() {
                methods.insert(client["id"].to_string(), method);
            }
            let is_modern = client["params"]["_meta"]
                .get("io.modelcontextprotocol/protocolVersion")
                .is_some();
            for said in &exchange.server {
                let faults = if is_modern {
                    current.faults(client, said)
                } else {
                    let method = methods.get(&said["id"].to_string());
                    revision.session_faults(method.copied(), said)
                };
                assert_eq!(faults, [""; 0], "{}: {said}", self.file.display());
            }
        }
    }

    /// Has the conversation, and writes down what the server says.
    pub(crate) fn record(&self, transport: &mut impl Transport) {
        let mut lines = String::new();
        let mut states = States::default();
        for exchange in &self.exchanges {
            lines.push_str(&format!("{}\n", json!({"client": exchange.client})));
            for mut message in transport.say(&states.insert(exchange.text())) {
                states.take(&mut message);
                lines.push_str(&format!("{}\n", json!({"server": message})));
            }
        }
        fs::write(&self.file, lines).unwrap();
    }
}

impl Exchange {
    fn text(&self) -> String {
        match &self.client {
            Value::String(text) => text.clone(),
            message => message.to_string(),
        }
    }
}

/// Whether the server answers a text at all: it does unless that is a notification.
pub(crate) fn is_answered(text: &str) -> bool {
    serde_json::from_str::<Value>(text).map_or(true, |message| {
        message.get("method").is_none() || message.get("id").is_some()
    })
}

/// Whether a message of the server is no response, and asks for none.
pub(crate) fn is_notification(message: &Value) -> bool {
    message.get("method").is_some() && message.get("id").is_none()
}
