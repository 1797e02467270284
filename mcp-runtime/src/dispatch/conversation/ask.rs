//! Asking: one future for questions of all kinds, and the methods of the context that make it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::RoundEnded;
use super::once::enclosing_step;
use super::{Conversation, Entry, NextKey, Question, failed, over};
use crate::convert::ToolError;
use crate::dispatch::Context;
use crate::dispatch::context::Waiting;
use crate::form::ElicitForm;
use crate::json::bounded;
use crate::protocol::{
    CreateMessageRequest, CreateMessageResult, ElicitAction, ElicitResult, InputRequest,
    ListRootsResult, Root,
};
use crate::schema::MORE;

/// What a user did with a question (client/elicitation, "Response Actions").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "the specification's three actions")]
pub enum ElicitOutcome<T> {
    /// Answered it.
    Accepted(T),
    /// Refused to answer.
    Declined,
    /// Left it without a decision.
    Cancelled,
}

impl<T> ElicitOutcome<T> {
    /// The answer, if there is one.
    #[must_use]
    pub fn accepted(self) -> Option<T> {
        match self {
            Self::Accepted(answer) => Some(answer),
            Self::Declined | Self::Cancelled => None,
        }
    }
}

impl Context {
    /// Asks the user to fill in a form.
    ///
    /// The function is plain code, and yet the answer may come hours later and to another process: the call ends with the
    /// question, the client sends it again with the answer, and the function runs again from the top. What it has asked
    /// before is answered at once, by its `key`. Several questions that wait at one time, as in `join!`, are asked together.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    ///
    /// #[derive(ElicitForm)]
    /// struct Confirm {
    ///     /// Is that what you want?
    ///     yes: bool,
    /// }
    ///
    /// /// Delete a project after asking the user.
    /// #[mcp_tool(destructive)]
    /// async fn delete_project(name: String, ctx: &Context) -> Result<String, ToolError> {
    ///     match ctx.elicit::<Confirm>("confirm", format!("Delete {name}?")).await? {
    ///         ElicitOutcome::Accepted(answer) if answer.yes => Ok(format!("{name} deleted")),
    ///         _ => Ok("kept".into()),
    ///     }
    /// }
    /// ```
    ///
    /// # Before a question
    ///
    /// Everything up to a question runs again with each round, so it must do no harm twice. This charges the card twice:
    ///
    /// ```
    /// # use mcp_runtime::prelude::*;
    /// # #[mcp_type] #[derive(Debug)] struct Receipt {}
    /// # async fn charge(_: u32) -> Result<Receipt, std::io::Error> { Ok(Receipt {}) }
    /// # #[derive(ElicitForm)] struct Tip { cents: u32 }
    /// /// Pay the bill.
    /// #[mcp_tool]
    /// async fn pay(cents: u32, ctx: &Context) -> Result<String, ToolError> {
    ///     let receipt = charge(cents).await?; // wrong: this runs before the question, and again before the answer
    ///     let tip = ctx.elicit::<Tip>("tip", "A tip for the crew?").await?;
    ///     Ok(format!("{receipt:?}, with a tip: {}", tip.accepted().is_some()))
    /// }
    /// ```
    ///
    /// The mend is to ask first, or to make it a step whose result is remembered, with [`once`](Self::once):
    ///
    /// ```
    /// # use mcp_runtime::prelude::*;
    /// # #[mcp_type] #[derive(Debug)] struct Receipt {}
    /// # async fn charge(_: u32) -> Result<Receipt, std::io::Error> { Ok(Receipt {}) }
    /// # #[derive(ElicitForm)] struct Tip { cents: u32 }
    /// /// Pay the bill.
    /// #[mcp_tool]
    /// async fn pay(cents: u32, ctx: &Context) -> Result<String, ToolError> {
    ///     let receipt = ctx.once("charge", charge(cents)).await?;
    ///     let tip = ctx.elicit::<Tip>("tip", "A tip for the crew?").await?;
    ///     Ok(format!("{receipt:?}, with a tip: {}", tip.accepted().is_some()))
    /// }
    /// ```
    ///
    /// With a client that has not declared that it can be asked, the call fails at the question, and the step was for nothing: a
    /// function with steps before its question calls [`require`](Self::require) before them.
    ///
    /// A function has to come by the same keys in the same order on each run. What may differ between runs (the time, a random
    /// number, the rows of a table) belongs into a `once` before anything depends on it. A key that is given again gets a
    /// running number, in the order of the calls; futures that run at one time use keys of their own, so that this order
    /// is always the same. An answer is taken for a question of the same key and form, whatever the words around it: a question
    /// that means something else takes another key. When a round ends, whatever else the function waits for is dropped at the
    /// place where it waits; a question of a task that it has spawned fails then.
    ///
    /// As long as a call has nothing to remember, the client carries nothing between its rounds, and nobody knows what it was
    /// asked: an answer in its first request is taken, since it cannot be told from one in the second. Once there is something
    /// to remember, and always with a [`ReplayGuard`](crate::sealing::ReplayGuard), an answer that nobody asked for is none.
    ///
    /// # Errors
    ///
    /// The client has not declared that it shows forms (−32021); or the journal has something else under the key, since the
    /// function took another way than before (−32603). An answer that does not fit the form is no error: it is asked for again, and the
    /// message then says what is wrong with it: what is missing first, and up to eight faults.
    pub fn elicit<T: ElicitForm>(
        &self,
        key: impl Into<String>,
        message: impl Into<String>,
    ) -> ElicitFuture<ElicitOutcome<T>> {
        let (message, schema) = (message.into(), T::requested_schema());
        let request = InputRequest::form(message.clone(), schema);
        let mut asking = ElicitFuture::new(self, key.into(), &request, read_form::<T>);
        asking.form = Some(AskedForm {
            message,
            schema,
            faults: faults_of::<T>,
        });
        asking
    }

    /// Asks the user whether to go on, and tells whether they want to: to accept is `true`, to decline or to cancel is `false`.
    ///
    /// It is an [`elicit`](Self::elicit) whose form has no fields:
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    ///
    /// /// Delete a project after asking the user.
    /// #[mcp_tool(destructive)]
    /// async fn delete_project(name: String, ctx: &Context) -> Result<String, ToolError> {
    ///     if !ctx.confirm("delete", format!("Delete {name}?")).await? {
    ///         return Ok("kept".into());
    ///     }
    ///     Ok(format!("{name} deleted"))
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As those of [`elicit`](Self::elicit).
    pub fn confirm(
        &self,
        key: impl Into<String>,
        message: impl Into<String>,
    ) -> ElicitFuture<bool> {
        let request = InputRequest::form(message.into(), NO_FIELDS);
        ElicitFuture::new(self, key.into(), &request, read_agreement)
    }

    /// Asks the user to go to a URL, and goes on when they have agreed to; what they do there, the server learns by itself.
    ///
    /// This is the way for secrets, which must not pass through the client: passwords, tokens, payments. The URL must not itself
    /// hold what only the user may know.
    ///
    /// # Errors
    ///
    /// As those of [`elicit`](Self::elicit), for clients that open no URLs; or what stands for the URL is none: it has a scheme,
    /// and is made of the characters of RFC 3986.
    pub fn elicit_url(
        &self,
        key: impl Into<String>,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> ElicitFuture<ElicitOutcome<()>> {
        let request = InputRequest::url(message.into(), url.into());
        ElicitFuture::new(self, key.into(), &request, read_url)
    }

    /// Asks the client's model. Deprecated in this revision of the protocol: call a provider of models yourself where you can.
    ///
    /// # Errors
    ///
    /// As those of [`elicit`](Self::elicit), for clients without a model, or without what else the request needs; or the request
    /// is none that the protocol has, such as one with a tool use that has no result.
    pub fn sample(
        &self,
        key: impl Into<String>,
        request: CreateMessageRequest,
    ) -> ElicitFuture<CreateMessageResult> {
        let request = InputRequest::Sampling(Box::new(request));
        let asking = ElicitFuture::new(self, key.into(), &request, read::<CreateMessageResult>);
        // It may be nested too deep, of which `asking` tells.
        let _ = bounded(request);
        asking
    }

    /// Asks for the folders that the client's user works on. Deprecated in this revision of the protocol: take paths as arguments.
    ///
    /// # Errors
    ///
    /// As those of [`elicit`](Self::elicit), for clients without roots.
    pub fn list_roots(&self, key: impl Into<String>) -> ElicitFuture<Vec<Root>> {
        ElicitFuture::new(self, key.into(), &InputRequest::Roots, read_roots)
    }
}

/// So many faults of an answer are told to the person who is asked again; more would fill the window that asks.
const FAULTS_TOLD: usize = 8;

/// The schema of a form without fields, as the derive writes it.
const NO_FIELDS: &str = r#"{"type":"object","properties":{}}"#;

/// Reads whether the user agrees; `None` if it is no answer.
fn read_agreement(response: &RawValue) -> Option<bool> {
    let result: ElicitResult = read(response)?;
    let content = result.content.as_deref().map_or("{}", RawValue::get);
    content
        .starts_with('{')
        .then_some(matches!(result.action, ElicitAction::Accept))
}

/// Reads the answer to a form; `None` if it is none.
pub(super) fn read_form<T: ElicitForm>(response: &RawValue) -> Option<ElicitOutcome<T>> {
    let result: ElicitResult = read(response)?;
    Some(match result.action {
        ElicitAction::Accept => {
            // A form without required members may be sent empty, and some clients then send none.
            let empty = serde_json::from_str::<&RawValue>("{}").ok();
            let content = result.content.as_deref().or(empty)?;
            ElicitOutcome::Accepted(T::from_content(content).ok()?)
        }
        ElicitAction::Decline => ElicitOutcome::Declined,
        ElicitAction::Cancel => ElicitOutcome::Cancelled,
    })
}

/// What is wrong with an accepted answer to a form.
fn faults_of<T: ElicitForm>(response: &RawValue) -> Option<String> {
    let result: ElicitResult = read(response)?;
    let faults = T::from_content(result.content.as_deref()?).err()?;
    let told = faults.iter().take(FAULTS_TOLD).map(ToString::to_string);
    let more = (faults.len() > FAULTS_TOLD).then(|| MORE.to_owned());
    Some(told.chain(more).collect::<Vec<_>>().join("; "))
}

/// Reads what became of a URL; `None` if it is no answer.
pub(super) fn read_url(response: &RawValue) -> Option<ElicitOutcome<()>> {
    let result: ElicitResult = read(response)?;
    Some(match result.action {
        ElicitAction::Accept => ElicitOutcome::Accepted(()),
        ElicitAction::Decline => ElicitOutcome::Declined,
        ElicitAction::Cancel => ElicitOutcome::Cancelled,
    })
}

pub(super) fn read_roots(response: &RawValue) -> Option<Vec<Root>> {
    read::<ListRootsResult>(response).map(|result| result.roots)
}

pub(super) fn read<T: for<'de> Deserialize<'de>>(response: &RawValue) -> Option<T> {
    serde_json::from_str(response.get()).ok()
}

/// A question that waits for its answer: a future of it, which asks when it is first polled.
///
/// Dropping it takes the question back.
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub struct ElicitFuture<T> {
    waiting: Waiting,
    /// The key as the handler gave it.
    key: String,
    /// The same with its number, on which the numbers are built under which it is asked again: what else is asked at one time
    /// has others, in whichever order the answers come.
    numbered: String,
    read: fn(&RawValue) -> Option<T>,
    form: Option<AskedForm>,
    /// How often what came was no answer.
    refusals: u32,
    stage: Stage<T>,
}

/// A form that is asked for, and what tells why an answer does not fit it.
struct AskedForm {
    message: String,
    schema: &'static str,
    faults: fn(&RawValue) -> Option<String>,
}

enum Stage<T> {
    /// It cannot be asked.
    Failed(ToolError),
    /// It may have been answered in an earlier round.
    Recalling(Question),
    /// It has no answer yet.
    Waiting(Question),
    /// The answer is being kept.
    Saving(Question, Entry, T),
    Done,
}

// Nothing is pinned in it: answers are moved.
impl<T> Unpin for ElicitFuture<T> {}

impl<T> fmt::Debug for ElicitFuture<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ElicitFuture({})", self.key)
    }
}

impl<T> ElicitFuture<T> {
    /// Gives the key its number now, since the order of calls is the same on each run, and that of polls may not be.
    fn new(
        context: &Context,
        key: String,
        request: &InputRequest,
        read: fn(&RawValue) -> Option<T>,
    ) -> Self {
        let mut numbered = String::new();
        let mut begin = || {
            // A step is skipped on later runs, so it must not use up a number.
            outside_of_steps(context.conversation(), &key)?;
            numbered = context.conversation().number(&key);
            context.require_all(request.needs())?;
            Question::new(numbered.clone(), request)
        };
        let stage = begin().map_or_else(Stage::Failed, Stage::Recalling);
        Self {
            waiting: Waiting::new(context),
            key,
            numbered,
            read,
            form: None,
            refusals: 0,
            stage,
        }
    }

    /// Takes one step; `None` if there is another to take at once.
    fn step(
        &mut self,
        stage: Stage<T>,
        task: &mut TaskContext<'_>,
    ) -> Option<Poll<Result<T, ToolError>>> {
        let context = self.waiting.context().clone();
        let conversation = context.conversation();
        match stage {
            Stage::Failed(error) => return Some(Poll::Ready(Err(error))),
            Stage::Recalling(question) => {
                let recalled = conversation.recall_answer(&question.key, &question.subject);
                self.stage = match recalled {
                    Err(error) => Stage::Failed(error),
                    Ok(None) => Stage::Waiting(question),
                    Ok(Some(recalled)) => match (self.read)(&recalled.response) {
                        Some(value) => return Some(Poll::Ready(Ok(value))),
                        None if recalled.is_read => Stage::Failed(unreadable(&question.key)),
                        None => {
                            conversation.forget(&question.key);
                            self.refuse(question, &recalled.response)
                        }
                    },
                };
            }
            Stage::Waiting(question) => {
                if let Err(error) = outside_of_steps(conversation, &question.key) {
                    return Some(Poll::Ready(Err(error)));
                }
                let polled = self.waiting.poll(task, |context, task| {
                    let driver = context.conversation().driver();
                    driver.poll_answer(&question, task)
                });
                self.stage = match polled {
                    Poll::Pending => {
                        self.stage = Stage::Waiting(question);
                        context.attend();
                        return Some(Poll::Pending);
                    }
                    Poll::Ready(Err(RoundEnded)) => Stage::Failed(over(&question.key)),
                    Poll::Ready(Ok(Err(error))) => Stage::Failed(error),
                    Poll::Ready(Ok(Ok(response))) => match (self.read)(&response) {
                        Some(value) => {
                            let entry = Entry::Answer {
                                question: question.subject.clone(),
                                response,
                                is_unread: false,
                            };
                            Stage::Saving(question, entry, value)
                        }
                        None => self.refuse(question, &response),
                    },
                };
            }
            Stage::Saving(question, entry, value) => {
                let kept = self.waiting.poll(task, |context, task| {
                    let driver = context.conversation().driver();
                    driver.poll_save(&question.key, &entry, task)
                });
                match kept {
                    Poll::Pending => {
                        self.stage = Stage::Saving(question, entry, value);
                        return Some(Poll::Pending);
                    }
                    Poll::Ready(Err(RoundEnded)) => {
                        return Some(Poll::Ready(Err(over(&question.key))));
                    }
                    Poll::Ready(Ok(Err(error))) => return Some(Poll::Ready(Err(error))),
                    Poll::Ready(Ok(Ok(()))) => {
                        conversation.remember(&question.key, entry);
                        return Some(Poll::Ready(Ok(value)));
                    }
                }
            }
            // Nobody polls a future that is done, and nothing comes of it.
            Stage::Done => return Some(Poll::Pending),
        }
        None
    }

    /// Asks again, since what came is no answer; but not for ever, since each time costs something that is kept.
    fn refuse(&mut self, mut question: Question, response: &RawValue) -> Stage<T> {
        tracing::debug!(key = %question.key, "what came is no answer to the question, which is asked again");
        let context = self.waiting.context();
        let conversation = context.conversation();
        let next = conversation.driver().refuse(&question.key);
        let limit = context.limits().max_rounds;
        if self.refusals == limit {
            return Stage::Failed(failed(format!(
                "`{}` is not answered after {limit} attempts, which is the limit",
                self.key
            )));
        }
        self.refusals += 1;
        if next == NextKey::Numbered {
            question.key = conversation.number(&self.numbered);
        }
        match self.with_faults(&question.key, response) {
            Some(Ok(again)) => question = again,
            Some(Err(error)) => return Stage::Failed(error),
            None => {}
        }
        // An earlier run may have asked again as well, and have its answer.
        if next == NextKey::Numbered {
            Stage::Recalling(question)
        } else {
            Stage::Waiting(question)
        }
    }

    /// The question with what was wrong with the answer to it, for a person who would not know why it is asked again.
    fn with_faults(&self, key: &str, response: &RawValue) -> Option<Result<Question, ToolError>> {
        let form = self.form.as_ref()?;
        let faults = (form.faults)(response)?;
        let message = format!("{} ({faults})", form.message);
        let request = InputRequest::form(message, form.schema);
        Some(Question::new(key.to_owned(), &request))
    }
}

impl<T> Future for ElicitFuture<T> {
    type Output = Result<T, ToolError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        loop {
            let stage = std::mem::replace(&mut self.stage, Stage::Done);
            if let Some(polled) = self.step(stage, task) {
                return polled;
            }
        }
    }
}

impl<T> Drop for ElicitFuture<T> {
    fn drop(&mut self) {
        if let Stage::Waiting(question) = &self.stage {
            let conversation = self.waiting.context().conversation();
            conversation.driver().withdraw(&question.key);
            // A task still asks it, and nothing else may have its run look.
            self.waiting.context().attend();
        }
    }
}

/// Refuses a question that is asked within a step.
fn outside_of_steps(conversation: &Conversation, key: &str) -> Result<(), ToolError> {
    enclosing_step(conversation).map_or(Ok(()), |step| {
        Err(failed(format!(
            "`{key}` is asked within the step `{step}`, which a round cannot interrupt: ask before it or after it"
        )))
    })
}

/// An earlier run has read the answer, and this one cannot.
pub(super) fn unreadable(key: &str) -> ToolError {
    failed(format!(
        "the answer under `{key}` was read on an earlier run and cannot be read now: what reads it has changed"
    ))
}
