//! Steps that are not to be run again: their results are remembered.

use std::cell::RefCell;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context as TaskContext, Poll};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::RoundEnded;
use super::{Conversation, Entry, failed, over};
use crate::convert::ToolError;
use crate::dispatch::Context;
use crate::dispatch::context::Waiting;
use crate::dispatch::digest::short_digest;
use crate::dispatch::environment::NoRandomness;
use crate::json::{read_own, write_owned};

/// A text that is the same each time one step of one conversation is run, and no other's.
///
/// Give it to a service that takes such keys: it then does its work once, even if the step is cut between the effect and the
/// moment when its result is kept, and is run again. It has 22 characters of the alphabet of base64url.
///
/// A task has one from its beginning to its end. A call in rounds has one as soon as it has something to carry: as long as it
/// has done nothing but wait for its first answer, the client has only that answer to send, and sending it twice is two calls.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Context {
    /// Runs a step whose result is remembered: later runs of the function get it without running the step.
    ///
    /// The result is anything that goes to JSON and back, and the value that comes back is given on each run, the first one
    /// too. A step that fails is not remembered. While it runs no round ends, so it is not cut by a question that is asked beside
    /// it; in it no question can be asked, and no other step begun. A task that the function has spawned, and that outlives
    /// its round or run, begins no step any more.
    ///
    /// A step must not spawn what asks either, where nobody can tell it from a question beside the step. If it waits for the answer,
    /// the round waits for the step, and the call comes to the end of its time, of which the log tells the reason. If the
    /// answer is there, as in a task, later runs skip the question with the step, and its key is free for another one.
    ///
    /// In rounds a step is kept when its round ends. A client that sends one round twice has the step run twice: where
    /// that matters, use a [`ReplayGuard`](crate::sealing::ReplayGuard), or a task.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    ///
    /// /// Roll a die that stays as it fell, however often the user is asked about it.
    /// #[mcp_tool]
    /// async fn roll(ctx: &Context) -> Result<u8, ToolError> {
    ///     ctx.once("roll", async { Ok::<_, ToolError>(4) }).await
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The error of the step; or a failure of the request (−32603), if the result does not go to JSON and back, or the
    /// journal has something else under the key.
    pub fn once<'f, T, E, F>(&self, key: impl Into<String>, step: F) -> StepFuture<'f, T>
    where
        T: Serialize + DeserializeOwned + Send + 'f,
        E: Into<ToolError> + 'f,
        F: Future<Output = Result<T, E>> + Send + 'f,
    {
        let remembering = Remembering::new(self, &key.into());
        StepFuture(Box::pin(
            async move { remembering?.run(|_| Ok(step)).await },
        ))
    }

    /// The same for a step that is given a text under which a service does its work only once.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    /// # async fn charge(_: u32, _: IdempotencyKey) -> Result<String, std::io::Error> { Ok("R-1".into()) }
    ///
    /// /// Pay the bill.
    /// #[mcp_tool]
    /// async fn pay(cents: u32, ctx: &Context) -> Result<String, ToolError> {
    ///     ctx.once_with("charge", |idempotency_key| charge(cents, idempotency_key)).await
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As those of [`once`](Self::once).
    pub fn once_with<'f, T, E, F, S>(&self, key: impl Into<String>, step: S) -> StepFuture<'f, T>
    where
        T: Serialize + DeserializeOwned + Send + 'f,
        E: Into<ToolError> + 'f,
        F: Future<Output = Result<T, E>> + Send + 'f,
        S: FnOnce(IdempotencyKey) -> F + Send + 'f,
    {
        let remembering = Remembering::new(self, &key.into());
        StepFuture(Box::pin(async move {
            let run = |remembering: &Remembering| Ok(step(remembering.idempotency_key()?));
            remembering?.run(run).await
        }))
    }
}

/// A step whose result is remembered: a future of it, which runs the step when it is first polled, if it has to.
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub struct StepFuture<'f, T>(Pin<Box<dyn Future<Output = Result<T, ToolError>> + Send + 'f>>);

impl<T> fmt::Debug for StepFuture<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StepFuture")
    }
}

impl<T> Future for StepFuture<'_, T> {
    type Output = Result<T, ToolError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(task)
    }
}

/// A step, by its key with its number.
struct Remembering {
    context: Context,
    key: String,
}

impl Remembering {
    /// A step that begins here; none can begin within another, since it would be missing, and its number given to
    /// somebody else, on each run that skips the other.
    fn new(context: &Context, key: &str) -> Result<Self, ToolError> {
        let conversation = context.conversation();
        if let Some(outer) = enclosing_step(conversation) {
            return Err(failed(format!(
                "the step `{key}` begins within the step `{outer}`, which later runs skip: put one behind the other"
            )));
        }
        Ok(Self {
            context: context.clone(),
            key: conversation.number(key),
        })
    }

    async fn run<T, E, F>(
        self,
        step: impl FnOnce(&Self) -> Result<F, ToolError>,
    ) -> Result<T, ToolError>
    where
        T: Serialize + DeserializeOwned,
        E: Into<ToolError>,
        F: Future<Output = Result<T, E>>,
    {
        if let Some(result) = self.context.conversation().recall_step(&self.key)? {
            return self.read(&result);
        }
        self.may_begin().await?;
        let running = Running::begin(&self.context).map_err(|RoundEnded| over(&self.key))?;
        let begun = {
            let _within = Within::enter(&self);
            step(&self)?
        };
        let step = Step {
            remembering: &self,
            step: pin!(begun),
        };
        let result = self.write(step.await.map_err(Into::into)?)?;
        // What goes on is what all later runs will see.
        let value = self.read(&result)?;
        self.keep(result).await?;
        drop(running);
        Ok(value)
    }

    /// Waits until it is certain that the step is nobody else's.
    ///
    /// A function is not polled where it is not, but what it has spawned is.
    async fn may_begin(&self) -> Result<(), ToolError> {
        let mut waiting = Waiting::new(&self.context);
        let begun = poll_fn(|task| {
            waiting.poll(task, |context, task| {
                context.conversation().driver().poll_begin(task)
            })
        });
        match begun.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(RoundEnded)) | Err(RoundEnded) => Err(over(&self.key)),
        }
    }

    fn idempotency_key(&self) -> Result<IdempotencyKey, ToolError> {
        let id = self
            .context
            .conversation()
            .id(self.context.environment())
            .map_err(|NoRandomness| failed("the system has no random bytes".to_owned()))?;
        Ok(IdempotencyKey(short_digest(&[&id, self.key.as_bytes()])))
    }

    fn write<T: Serialize>(&self, value: T) -> Result<Box<RawValue>, ToolError> {
        let mut json = Vec::new();
        let written = write_owned(&mut json, value).map_err(|error| error.to_string());
        written
            .and_then(|()| serde_json::from_slice(&json).map_err(|error| error.to_string()))
            .map_err(|error| {
                failed(format!(
                    "the result of the step `{}` cannot be written as JSON: {error}",
                    self.key
                ))
            })
    }

    fn read<T: DeserializeOwned>(&self, result: &RawValue) -> Result<T, ToolError> {
        read_own(result.get().as_bytes()).map_err(|error| {
            failed(format!(
                "the result of the step `{}` cannot be read back: {error}",
                self.key
            ))
        })
    }

    async fn keep(&self, result: Box<RawValue>) -> Result<(), ToolError> {
        let entry = Entry::Once(result);
        let mut waiting = Waiting::new(&self.context);
        let kept = poll_fn(|task| {
            waiting.poll(task, |context, task| {
                let driver = context.conversation().driver();
                driver.poll_save(&self.key, &entry, task)
            })
        });
        kept.await.map_err(|RoundEnded| over(&self.key))??;
        self.context.conversation().remember(&self.key, entry);
        Ok(())
    }
}

/// Holds the end of the round off while it lives.
struct Running<'a>(&'a Context);

impl<'a> Running<'a> {
    fn begin(context: &'a Context) -> Result<Self, RoundEnded> {
        context.conversation().step_begins()?;
        Ok(Self(context))
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.conversation().step_ends();
        // A question may have waited for this alone.
        self.0.attend();
    }
}

thread_local! {
    /// The steps that are being polled on this thread, the innermost last: where their conversations are, and their keys.
    static POLLED: RefCell<Vec<(usize, String)>> = const { RefCell::new(Vec::new()) };
}

/// The step that is being polled on this thread for a conversation, if there is one.
pub(in crate::dispatch) fn enclosing_step(conversation: &Conversation) -> Option<String> {
    let place = place(conversation);
    POLLED.with_borrow(|polled| {
        let step = polled.iter().rev().find(|(other, _)| *other == place);
        step.map(|(_, key)| key.clone())
    })
}

/// Where the conversation is, which tells it from all others as long as it is there.
fn place(conversation: &Conversation) -> usize {
    std::ptr::from_ref(conversation).addr()
}

/// The time in which a step is begun or polled.
struct Within;

impl Within {
    fn enter(remembering: &Remembering) -> Self {
        let place = place(remembering.context.conversation());
        let key = remembering.key.clone();
        POLLED.with_borrow_mut(|polled| polled.push((place, key)));
        Self
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        POLLED.with_borrow_mut(Vec::pop);
    }
}

/// A step that is known to be polled while it is.
struct Step<'a, F> {
    remembering: &'a Remembering,
    step: Pin<&'a mut F>,
}

impl<F: Future> Future for Step<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<F::Output> {
        let _within = Within::enter(self.remembering);
        self.step.as_mut().poll(task)
    }
}
