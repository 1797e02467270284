//! A request and what comes of it: an answer at once, rounds of questions, or a task that is looked at until it ends.

use std::io;
use std::thread;
use std::time::Duration;

use serde_json::value::RawValue;

use super::person::{Person, Questions};
use crate::protocol::method;
use crate::server::{Server, outside_runtimes, request};

/// How often a task is looked at; it runs in this process, so that a look costs nothing.
const LOOK: Duration = Duration::from_millis(50);

/// What a person can do.
const CAPABILITIES: &str =
    r#"{"elicitation":{"form":{},"url":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;

/// Sends a request and gives the last response, as it would go over the wire; `params` are the members of its
/// parameters, without braces.
pub(super) fn converse(
    server: &Server,
    method: &str,
    params: &str,
    person: &mut Person<'_>,
) -> io::Result<Vec<u8>> {
    outside_runtimes(|| Conversation { server, person }.rounds(method, params))
}

struct Conversation<'c, 'p> {
    server: &'c Server,
    person: &'c mut Person<'p>,
}

/// The members of a result that say how it goes on.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Turn {
    result_type: String,
    input_requests: Option<Questions>,
    request_state: Option<Box<RawValue>>,
    task_id: Option<Box<RawValue>>,
    status: String,
    status_message: Option<String>,
    result: Option<Box<RawValue>>,
    error: Option<Box<RawValue>>,
}

impl Turn {
    /// Reads it; an error, or a response of another shape, is the end.
    fn of(response: &[u8]) -> Self {
        #[derive(serde::Deserialize)]
        struct Response {
            result: Turn,
        }
        serde_json::from_slice(response)
            .map(|response: Response| response.result)
            .unwrap_or_default()
    }
}

impl Conversation<'_, '_> {
    fn send(&self, method: &str, params: &str) -> Vec<u8> {
        let profile = self.server.core().options.profile;
        let message = request(profile, method, CAPABILITIES, params);
        let mut response = Vec::new();
        self.server.drive(None, message.as_bytes(), &mut response);
        response
    }

    fn rounds(&mut self, method: &str, params: &str) -> io::Result<Vec<u8>> {
        let mut response = self.send(method, params);
        loop {
            let turn = Turn::of(&response);
            if let Some(id) = turn.task_id.filter(|_| turn.result_type == "task") {
                return self.follow(&id);
            }
            let Some(questions) = turn.input_requests else {
                return Ok(response);
            };
            let Some(answers) = self.person.answer(&questions)? else {
                return Ok(response);
            };
            let mut more = format!(r#"{params},"inputResponses":{answers}"#);
            if let Some(state) = turn.request_state {
                more.push_str(&format!(r#","requestState":{state}"#));
            }
            response = self.send(method, &more);
        }
    }

    /// Looks at a task until it ends, and gives the response that its call would have had.
    fn follow(&mut self, id: &RawValue) -> io::Result<Vec<u8>> {
        let params = format!(r#""taskId":{id}"#);
        let mut told = None;
        loop {
            let response = self.send(method::TASKS_GET, &params);
            let turn = Turn::of(&response);
            if turn.status_message.is_some() && turn.status_message != told {
                told = turn.status_message;
                self.person.tell(told.as_deref().unwrap_or_default())?;
            }
            let end = |member: &str, value: Option<Box<RawValue>>| {
                let value = value.unwrap_or_else(|| RawValue::NULL.to_owned());
                format!(r#"{{"jsonrpc":"2.0","id":1,"{member}":{value}}}"#).into_bytes()
            };
            match turn.status.as_str() {
                "working" => thread::sleep(LOOK),
                "input_required" => {
                    let questions = turn.input_requests;
                    let answers = match &questions {
                        Some(questions) => self.person.answer(questions)?,
                        None => None,
                    };
                    let Some(answers) = answers else {
                        return Ok(response);
                    };
                    let answers = format!(r#"{params},"inputResponses":{answers}"#);
                    self.send(method::TASKS_UPDATE, &answers);
                }
                "completed" => return Ok(end("result", turn.result)),
                "failed" => return Ok(end("error", turn.error)),
                // Nobody is left who would cancel it, or the task is gone.
                _ => return Ok(response),
            }
        }
    }
}
