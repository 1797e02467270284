//! A request and what comes of it: an answer at once, rounds of questions, or a task that is looked at until it ends
//! (basic/patterns/mrtr, and the extension for tasks).
//!
//! Who answers is not decided here: it may be a person at a terminal, or a test that has the answers ready.

use std::thread;
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::channel::Channel;
use crate::dispatch::Profile;
use crate::protocol::Method;
use crate::server::{Caller, Server, in_order, outside_runtimes, pause, request};

/// The pauses between looks at a task, each twice as long as the one before; it runs in this process, so that a look costs
/// nothing.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Who is asked in the course of a request.
pub(crate) trait Respondent {
    /// Why somebody cannot go on.
    type Error;

    /// Answers all questions of a round, by their keys; `None` leaves the request where it stands.
    fn answer(&mut self, questions: &Questions) -> Result<Option<Map<String, Value>>, Self::Error>;

    /// Receives the status of a task.
    fn tell(&mut self, status: &str) -> Result<(), Self::Error>;

    /// Receives a notification about the request.
    fn notify(&mut self, _notification: Value) {}
}

/// The questions of a round, by their keys, in the server's order.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct Questions(
    #[serde(deserialize_with = "in_order")] pub(crate) Vec<(String, Question)>,
);

/// One request for input, of which nothing is judged here.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct Question {
    pub(crate) method: String,
    pub(crate) params: Option<Box<RawValue>>,
}

/// A request on its way, from its first message to its last response.
#[derive(Debug)]
struct Conversation<'c> {
    profile: Profile,
    caller: &'c Caller,
    method: &'c str,
    /// The members of its parameters, without braces.
    params: &'c str,
    phase: Phase,
}

/// What the next response answers.
#[derive(Debug, Default)]
enum Phase {
    /// The request itself.
    #[default]
    Round,
    /// A look at the task that it became.
    Look(Task),
    /// Answers to the questions of that task.
    Update(Task),
}

#[derive(Debug)]
struct Task {
    id: Box<RawValue>,
    told: Option<String>,
    pause: Duration,
}

/// How it goes on.
enum Next {
    /// With this message, after a time.
    Send(String, Duration),
    /// Not at all: this is the response that the request would have had at once.
    End(Vec<u8>),
}

impl Server {
    /// Sends a request, goes on until it is done, and gives its last response, as it would go over the wire.
    pub(crate) fn converse<R: Respondent<Error: Send> + Send>(
        &self,
        caller: &Caller,
        respondent: &mut R,
        method: &str,
        params: &str,
    ) -> Result<Vec<u8>, R::Error> {
        let (mut conversation, mut message) = self.begin(caller, method, params);
        outside_runtimes(|| {
            let mut channel = Channel::new(self, caller);
            loop {
                channel.send(&message);
                let response = channel.response_blocking(|told| respondent.notify(told));
                match conversation.next(response, respondent)? {
                    Next::End(response) => return Ok(response),
                    Next::Send(next, Duration::ZERO) => message = next,
                    Next::Send(next, time) => {
                        thread::sleep(time);
                        message = next;
                    }
                }
            }
        })
    }

    /// The same inside the caller's async runtime.
    pub(crate) async fn converse_async<R: Respondent>(
        &self,
        caller: &Caller,
        respondent: &mut R,
        method: &str,
        params: &str,
    ) -> Result<Vec<u8>, R::Error> {
        let (mut conversation, mut message) = self.begin(caller, method, params);
        let mut channel = Channel::new(self, caller);
        loop {
            channel.send(&message);
            let response = channel.response(|told| respondent.notify(told)).await;
            match conversation.next(response, respondent)? {
                Next::End(response) => return Ok(response),
                Next::Send(next, Duration::ZERO) => message = next,
                Next::Send(next, time) => {
                    pause(self.core(), time).await;
                    message = next;
                }
            }
        }
    }

    fn begin<'c>(
        &self,
        caller: &'c Caller,
        method: &'c str,
        params: &'c str,
    ) -> (Conversation<'c>, String) {
        let conversation = Conversation {
            profile: self.core().options.profile,
            caller,
            method,
            params,
            phase: Phase::Round,
        };
        let message = conversation.message(method, params);
        (conversation, message)
    }
}

impl Conversation<'_> {
    fn message(&self, method: &str, params: &str) -> String {
        request(self.profile, method, self.caller, params)
    }

    fn next<R: Respondent>(
        &mut self,
        response: Vec<u8>,
        respondent: &mut R,
    ) -> Result<Next, R::Error> {
        match std::mem::take(&mut self.phase) {
            Phase::Round => self.after_round(response, respondent),
            Phase::Look(task) => self.after_look(task, response, respondent),
            // If the answers were refused, the task says how it stands.
            Phase::Update(task) => Ok(self.look(task, Duration::ZERO)),
        }
    }

    fn after_round<R: Respondent>(
        &mut self,
        response: Vec<u8>,
        respondent: &mut R,
    ) -> Result<Next, R::Error> {
        let turn = Turn::of(&response);
        if let Some(id) = turn.task_id.filter(|_| turn.result_type == "task") {
            let task = Task {
                id,
                told: None,
                pause: FIRST_PAUSE,
            };
            return Ok(self.look(task, Duration::ZERO));
        }
        let Some(questions) = turn.input_requests else {
            return Ok(Next::End(response));
        };
        let Some(answers) = respondent.answer(&questions)? else {
            return Ok(Next::End(response));
        };
        let mut params = with_answers(self.params, answers);
        if let Some(state) = turn.request_state {
            params.push_str(&format!(r#","requestState":{state}"#));
        }
        Ok(Next::Send(
            self.message(self.method, &params),
            Duration::ZERO,
        ))
    }

    fn look(&mut self, task: Task, pause: Duration) -> Next {
        let message = self.message(Method::GetTask.name(), &task.params());
        self.phase = Phase::Look(task);
        Next::Send(message, pause)
    }

    fn after_look<R: Respondent>(
        &mut self,
        mut task: Task,
        response: Vec<u8>,
        respondent: &mut R,
    ) -> Result<Next, R::Error> {
        let turn = Turn::of(&response);
        if turn.status_message.is_some() && turn.status_message != task.told {
            task.told = turn.status_message;
            respondent.tell(task.told.as_deref().unwrap_or_default())?;
        }
        let end = |member: &str, value: Option<Box<RawValue>>| {
            let value = value.unwrap_or_else(|| RawValue::NULL.to_owned());
            Next::End(format!(r#"{{"jsonrpc":"2.0","id":1,"{member}":{value}}}"#).into_bytes())
        };
        Ok(match turn.status.as_str() {
            "working" => {
                let pause = task.pause;
                task.pause = LONGEST_PAUSE.min(pause * 2);
                self.look(task, pause)
            }
            "input_required" => {
                let answers = match &turn.input_requests {
                    Some(questions) => respondent.answer(questions)?,
                    None => None,
                };
                let Some(answers) = answers else {
                    return Ok(Next::End(response));
                };
                task.pause = FIRST_PAUSE;
                let params = with_answers(&task.params(), answers);
                let message = self.message(Method::UpdateTask.name(), &params);
                self.phase = Phase::Update(task);
                Next::Send(message, Duration::ZERO)
            }
            "completed" => end("result", turn.result),
            "failed" => end("error", turn.error),
            // Somebody else has cancelled it, or the task is gone.
            _ => Next::End(response),
        })
    }
}

impl Task {
    fn params(&self) -> String {
        format!(r#""taskId":{}"#, self.id)
    }
}

fn with_answers(params: &str, answers: Map<String, Value>) -> String {
    format!(r#"{params},"inputResponses":{}"#, Value::Object(answers))
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
