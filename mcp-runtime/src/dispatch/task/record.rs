//! A task as it is stored, and as the protocol shows it (SEP-2663, "Tasks").

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::time::Timestamp;
use crate::dispatch::Core;
use crate::dispatch::conversation::{ConversationId, Entry, Journal, Question, fits, subject_of};
use crate::json::write_str;
use crate::task::{StoredTask, TaskId};

/// The most bytes that a task says of itself, which whoever looks at it gets each time.
const STATUS_MESSAGE: usize = 1024;

/// Everything that has to survive a crash, but for what a store has to know itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
// What a newer program has written must not be lost by an older one that writes it back.
#[serde(deny_unknown_fields)]
pub(super) struct TaskRecord {
    /// The name of the tool.
    pub(super) tool: String,
    /// The digest of what the tool was when the task began.
    pub(super) schema: String,
    /// The request that the task comes from, as a message.
    pub(super) request: Box<RawValue>,
    pub(super) created_at: u64,
    pub(super) updated_at: u64,
    pub(super) ttl: Option<u64>,
    pub(super) poll_interval: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) status_message: Option<String>,
    /// The client wants it to end.
    #[serde(default)]
    pub(super) is_cancelled: bool,
    pub(super) progress: Progress,
    /// What all runs have in common, from which keys of steps are made.
    pub(super) conversation: ConversationId,
    /// What earlier runs have learnt and done.
    #[serde(default)]
    pub(super) journal: Journal,
    /// What the client has answered and the journal does not have yet, by the keys that were asked for.
    #[serde(default)]
    pub(super) answers: BTreeMap<String, Box<RawValue>>,
    /// What these answers are to, so that none is taken for one to another question.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) subjects: BTreeMap<String, String>,
}

/// How far a task has come.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Progress {
    /// It runs, and asks for what stands here, in this order.
    Active(Vec<OpenQuestion>),
    /// It has a result.
    Completed(Box<RawValue>),
    /// It has ended with a JSON-RPC error.
    Failed(Box<RawValue>),
    /// It was ended by the client.
    Cancelled,
}

/// One question to the client.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OpenQuestion {
    pub(super) key: String,
    /// The `InputRequest`.
    pub(super) request: Box<RawValue>,
}

impl OpenQuestion {
    pub(super) fn new(question: &Question) -> Self {
        match RawValue::from_string(question.request.clone()) {
            Ok(request) => Self {
                key: question.key.clone(),
                request,
            },
            Err(_) => unreachable!("a question was written as JSON"),
        }
    }

    /// How much there is to store and to send, in bytes.
    pub(super) fn size(&self) -> usize {
        self.key.len() + self.request.get().len()
    }
}

impl TaskRecord {
    /// Reads what a store has kept.
    pub(super) fn read(stored: &StoredTask) -> serde_json::Result<Self> {
        serde_json::from_str(&stored.content)
    }

    /// Tells those who watch the task how it stands now.
    pub(super) fn tell(&self, core: &Core, stored: &StoredTask) {
        let principal = stored.principal.as_deref();
        core.tell_task(stored.id, principal, stored.version, || {
            let mut members = Vec::new();
            self.write_detailed(stored.id, &mut members);
            members
        });
    }

    pub(super) fn is_active(&self) -> bool {
        matches!(self.progress, Progress::Active(_))
    }

    /// Says in words how it stands; what is too long ends with an ellipsis.
    pub(super) fn say(&mut self, text: &str) {
        const ELLIPSIS: &str = "…";
        self.status_message = Some(if text.len() > STATUS_MESSAGE {
            let end = text.floor_char_boundary(STATUS_MESSAGE - ELLIPSIS.len());
            format!("{}{ELLIPSIS}", &text[..end])
        } else {
            text.to_owned()
        });
    }

    /// What is asked, if the task runs.
    pub(super) fn asked(&self) -> &[OpenQuestion] {
        match &self.progress {
            Progress::Active(asked) => asked,
            Progress::Completed(_) | Progress::Failed(_) | Progress::Cancelled => &[],
        }
    }

    /// Asks for what is not answered of these, in this order, and for nothing else.
    pub(super) fn ask(&mut self, open: &[OpenQuestion]) {
        let unanswered = self.unanswered(open).cloned().collect();
        if let Progress::Active(asked) = &mut self.progress {
            *asked = unanswered;
        }
    }

    /// Whether exactly what is not answered of these is asked, in these words.
    pub(super) fn asks(&self, open: &[OpenQuestion]) -> bool {
        fn parts(asked: &OpenQuestion) -> (&str, &str) {
            (&asked.key, asked.request.get())
        }
        let asked = self.asked().iter().map(parts);
        asked.eq(self.unanswered(open).map(parts))
    }

    /// What is asked under the key of a question, if that is another one: by a run of another version of the program.
    pub(super) fn asked_otherwise(&self, question: &Question) -> Option<String> {
        let mut asked = self.asked().iter();
        let asked = asked.find(|asked| asked.key == question.key)?;
        if asked.request.get() == question.request {
            return None;
        }
        let subject = subject_of(asked.request.get());
        (!fits(&subject, &question.subject)).then_some(subject)
    }

    /// What came under a key, and to what it is an answer, if that is known.
    pub(super) fn answered(&self, key: &str) -> Option<(Box<RawValue>, Option<String>)> {
        let answer = self.answers.get(key)?;
        Some((answer.clone(), self.subjects.get(key).cloned()))
    }

    fn unanswered<'o>(
        &'o self,
        open: &'o [OpenQuestion],
    ) -> impl Iterator<Item = &'o OpenQuestion> {
        open.iter()
            .filter(|asked| !self.answers.contains_key(&asked.key))
    }

    /// Takes an answer to something that is asked; tells whether it was.
    pub(super) fn answer(&mut self, key: &str, answer: &RawValue) -> bool {
        let Progress::Active(asked) = &mut self.progress else {
            return false;
        };
        let Some(position) = asked.iter().position(|asked| asked.key == key) else {
            return false;
        };
        let asked = asked.remove(position);
        self.subjects
            .insert(key.to_owned(), subject_of(asked.request.get()));
        self.answers.insert(key.to_owned(), answer.to_owned());
        true
    }

    /// Keeps an entry of the journal; an answer that it is made of is no longer needed.
    pub(super) fn keep(&mut self, key: &str, entry: &Entry) {
        self.journal.insert(key.to_owned(), entry.clone());
        self.answers.remove(key);
        self.subjects.remove(key);
    }

    /// Forgets what came under a key, since it is no answer, but not that it came.
    pub(super) fn refuse(&mut self, key: &str) {
        if let Some(answer) = self.answers.get_mut(key) {
            RawValue::NULL.clone_into(answer);
            self.subjects.remove(key);
        }
    }

    fn status(&self) -> &'static str {
        match &self.progress {
            Progress::Active(asked) if asked.is_empty() => "working",
            Progress::Active(_) => "input_required",
            Progress::Completed(_) => "completed",
            Progress::Failed(_) => "failed",
            Progress::Cancelled => "cancelled",
        }
    }

    /// Writes the members of a `Task`, each with a comma before it.
    pub(super) fn write_task(&self, id: TaskId, out: &mut Vec<u8>) {
        let text = format!(r#","taskId":"{id}","status":"{}""#, self.status());
        out.extend_from_slice(text.as_bytes());
        if let Some(message) = &self.status_message {
            out.extend_from_slice(br#","statusMessage":"#);
            write_str(out, message);
        }
        let ttl = self.ttl.map_or("null".to_owned(), |ttl| ttl.to_string());
        let text = format!(
            r#","createdAt":"{}","lastUpdatedAt":"{}","ttlMs":{ttl},"pollIntervalMs":{}"#,
            Timestamp(self.created_at),
            Timestamp(self.updated_at),
            self.poll_interval,
        );
        out.extend_from_slice(text.as_bytes());
    }

    /// The same, and what belongs to the status: a `DetailedTask`.
    pub(super) fn write_detailed(&self, id: TaskId, out: &mut Vec<u8>) {
        self.write_task(id, out);
        let mut member = |name: &[u8], value: &RawValue| {
            out.extend_from_slice(name);
            out.extend_from_slice(value.get().as_bytes());
        };
        match &self.progress {
            Progress::Completed(result) => member(br#","result":"#, result),
            Progress::Failed(error) => member(br#","error":"#, error),
            Progress::Active(asked) if !asked.is_empty() => {
                out.extend_from_slice(br#","inputRequests":{"#);
                for (position, asked) in asked.iter().enumerate() {
                    if position > 0 {
                        out.push(b',');
                    }
                    write_str(out, &asked.key);
                    out.push(b':');
                    out.extend_from_slice(asked.request.get().as_bytes());
                }
                out.push(b'}');
            }
            Progress::Active(_) | Progress::Cancelled => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn raw(value: &Value) -> Box<RawValue> {
        serde_json::value::to_raw_value(value).unwrap()
    }

    fn record() -> TaskRecord {
        TaskRecord {
            tool: "t".to_owned(),
            schema: "s".to_owned(),
            request: raw(&json!({})),
            created_at: 0,
            updated_at: 1_500,
            ttl: Some(60_000),
            poll_interval: 1_000,
            status_message: None,
            is_cancelled: false,
            progress: Progress::Active(Vec::new()),
            conversation: [2; 16],
            journal: Journal::default(),
            answers: BTreeMap::new(),
            subjects: BTreeMap::new(),
        }
    }

    fn shown(record: &TaskRecord) -> Value {
        let mut out = Vec::new();
        record.write_detailed(TaskId::from_bytes([1; 16]), &mut out);
        out[0] = b'{';
        out.push(b'}');
        serde_json::from_slice(&out).unwrap()
    }

    fn asked(key: &str) -> OpenQuestion {
        OpenQuestion {
            key: key.to_owned(),
            request: raw(&json!({"method": "roots/list"})),
        }
    }

    #[test]
    fn each_status_has_its_members() {
        let mut record = record();
        let mut expected = json!({
            "taskId": "01".repeat(16),
            "status": "working",
            "createdAt": "1970-01-01T00:00:00.000Z",
            "lastUpdatedAt": "1970-01-01T00:00:01.500Z",
            "ttlMs": 60_000,
            "pollIntervalMs": 1_000,
        });
        assert_eq!(shown(&record), expected);
        record.status_message = Some("half \"way\"".to_owned());
        record.ttl = None;
        record.progress = Progress::Active(vec![asked("b"), asked("a")]);
        expected["statusMessage"] = json!("half \"way\"");
        expected["ttlMs"] = Value::Null;
        expected["status"] = json!("input_required");
        expected["inputRequests"] =
            json!({"b": {"method": "roots/list"}, "a": {"method": "roots/list"}});
        assert_eq!(shown(&record), expected);
        record.progress = Progress::Completed(raw(&json!({"content": []})));
        assert_eq!(shown(&record)["status"], "completed");
        assert_eq!(shown(&record)["result"], json!({"content": []}));
        record.progress = Progress::Failed(raw(&json!({"code": 1})));
        assert_eq!(shown(&record)["status"], "failed");
        assert_eq!(shown(&record)["error"], json!({"code": 1}));
        record.progress = Progress::Cancelled;
        assert_eq!(shown(&record)["status"], "cancelled");
    }

    #[test]
    fn only_what_is_asked_can_be_answered_and_once() {
        let mut record = record();
        record.progress = Progress::Active(vec![asked("a"), asked("b")]);
        assert!(!record.answer("c", &raw(&json!(0))));
        assert!(record.answer("a", &raw(&json!(1))));
        assert!(!record.answer("a", &raw(&json!(2))));
        assert_eq!(record.status(), "input_required");
        assert!(record.answer("b", &raw(&json!(3))));
        assert_eq!(record.status(), "working");
        assert_eq!(record.answers["a"].get(), "1");
        record.progress = Progress::Cancelled;
        assert!(!record.answer("b", &raw(&json!(4))));
    }

    #[test]
    fn a_record_survives_its_store_and_one_of_a_newer_program_is_not_read() {
        let mut record = record();
        record.progress = Progress::Active(vec![asked("a")]);
        record.answer("a", &raw(&json!({"action": "accept"})));
        let mut content = serde_json::to_value(&record).unwrap();
        let stored =
            |content: &Value| StoredTask::new(TaskId::from_bytes([1; 16]), content.to_string());
        let read = TaskRecord::read(&stored(&content)).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), content);
        content["later"] = json!(1);
        assert!(TaskRecord::read(&stored(&content)).is_err());
    }
}
