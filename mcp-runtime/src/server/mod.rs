//! The server that users meet: built once, called from anywhere.

mod builder;
mod call;
mod change;
#[cfg_attr(
    not(feature = "cli"),
    allow(dead_code, reason = "only the command line shows all of it")
)]
mod check;
mod drive;
mod environment;
mod into_builder;
mod layer;
mod limits;
mod ordered_members;
mod outcome;
mod recorded_request;
mod registration;
mod request;
#[cfg(any(feature = "stdio", feature = "http"))]
mod runtime;
mod sealing_keys;
mod selection;
mod shutdown;
mod sleep;
#[cfg(any(feature = "stdio", feature = "http"))]
mod spawner;
mod task;

use std::sync::Arc;

use serde_json::Value;

pub use self::builder::ServerBuilder;
pub(crate) use self::call::{of_name, of_uri};
pub use self::check::check;
#[cfg(feature = "cli")]
pub(crate) use self::check::{Examination, Examined, Kind, Standing};
pub(crate) use self::drive::wait;
#[cfg(not(any(feature = "stdio", feature = "http")))]
pub(crate) use self::drive::{Timer, answer_on_thread, control_here, outside_runtimes, park};
#[cfg(not(any(feature = "stdio", feature = "http")))]
use self::drive::{control, permitted_here, to_end};
pub use self::into_builder::IntoServerBuilder;
pub(crate) use self::ordered_members::in_order;
pub use self::outcome::CallOutcome;
pub use self::recorded_request::RecordedRequest;
use self::request::json_text;
pub(crate) use self::request::{Caller, json_string, request};
#[cfg(any(feature = "stdio", feature = "http"))]
pub(crate) use self::runtime::{
    LazyRuntime, Timer, answer_on_thread, block_on, control_here, outside_runtimes,
};
#[cfg(any(feature = "stdio", feature = "http"))]
use self::runtime::{control, permitted_here, to_end};
pub use self::sealing_keys::SealingKeys;
pub(crate) use self::shutdown::ended;
use self::shutdown::{Hooks, Owner};
pub(crate) use self::sleep::pause;
use crate::clock;
use crate::dispatch::{
    Answer, CallHandle, Core, DispatchError, Opened, Principal, Routed, TOO_LONG,
};
use crate::json::{read_own, write_value};
use crate::jsonrpc::readable_id;
use crate::registry::Problem;

/// A server with its tools: cheap to clone, shared by all who call it.
///
/// It is made by [`ServerBuilder`] and is served over a transport, or called in process:
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// /// Add two integers.
/// #[mcp_tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// # fn main() -> Result<(), BuildError> {
/// let server = mcp_runtime::server!().build()?;
/// let result = server.call_blocking("add", serde_json::json!({"a": 2, "b": 3}));
/// assert_eq!(result.text(), "5");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Server {
    core: Arc<Core>,
    owner: Arc<Owner>,
}

impl Server {
    fn new(core: Core, hooks: Hooks) -> Self {
        let core = Arc::new(core);
        let owner = Owner {
            core: Arc::clone(&core),
            hooks,
        };
        Self {
            core,
            owner: Arc::new(owner),
        }
    }

    /// Runs the shutdown hooks that have not run yet; ready when they have returned.
    ///
    /// For transports, after the last call has ended, and under a bound of time.
    #[cfg(any(feature = "stdio", feature = "http"))]
    pub(crate) async fn shut_down(&self) {
        self.owner.shut_down().await;
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// Handles one JSON-RPC message on the calling thread, which need not drive an async runtime.
    ///
    /// `None` is the answer to a notification in the strict profile, and to a response; everything else is answered.
    /// An answer that a [`Value`] cannot hold, such as one with the number `1e400`, becomes an error (−32603);
    /// [`handle_message_blocking`](Self::handle_message_blocking) gives it as it is.
    ///
    /// # Async functions
    ///
    /// With a feature that brings tokio (`stdio`, `http` or `cli`), async functions are driven on a tokio runtime of their
    /// own, which all calls in process share: timers, sockets and `tokio::spawn` work as they do when the server serves.
    /// The calling thread may drive another runtime, as in `#[tokio::test]`: it is blocked meanwhile, and what waits is
    /// polled on another thread. So a function that waits for something of the caller's runtime, such as a task which was
    /// spawned there, wants to be called with `.await`, by [`handle`](Self::handle) or
    /// [`call`](Self::call).
    ///
    /// Without these features async functions are polled on the calling thread alone. They may wait for each other, and
    /// for whatever wakes them from another thread, but they need no runtime, as timers and sockets of tokio do.
    #[must_use]
    pub fn handle_request(&self, message: &Value) -> Option<Value> {
        self.drive_value(None, &text_of(message))
    }

    fn drive_value(&self, principal: Option<&Principal>, message: &[u8]) -> Option<Value> {
        let mut out = Vec::new();
        let control = control().with_principal(principal.cloned());
        self.drive(control, message, &mut out);
        self.value_of(&out, message)
    }

    /// Handles one JSON-RPC message inside the caller's async runtime.
    ///
    /// The same as [`handle_request`](Self::handle_request), but for the limit of time of a call:
    /// without a clock of its own it leaves that to the caller.
    /// A plain function runs on a thread of that runtime which may block.
    /// Dropping the future stops an async function; a plain one learns it from
    /// [`Context::is_cancelled`](crate::Context::is_cancelled).
    pub async fn handle(&self, message: &Value) -> Option<Value> {
        self.handle_with(CallHandle::default(), &text_of(message))
            .await
    }

    /// The same on somebody's behalf, for transports of your own.
    pub async fn handle_as(&self, principal: &Principal, message: &Value) -> Option<Value> {
        let control = CallHandle::default().with_principal(Some(principal.clone()));
        self.handle_with(control, &text_of(message)).await
    }

    async fn handle_with(&self, control: CallHandle, message: &[u8]) -> Option<Value> {
        let out = self.respond(control, message).await;
        self.value_of(&out, message)
    }

    /// The bytes of the answer, if there is one.
    async fn respond(&self, control: CallHandle, message: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let control = Arc::new(control);
        control.permit(permitted_here());
        let mut readable = Vec::new();
        if let Opened::Request(request) = self.open(message, &mut readable, &mut out) {
            let memory = match self.core.admit_memory(&request, None) {
                Ok(memory) => memory,
                Err(error) => {
                    self.core.turn_away(request.id, &error, &mut out);
                    return out;
                }
            };
            match self.core.answer_routed(&request, None, &control, &mut out) {
                Routed::Answer(Answer::Written | Answer::Listening(_)) => {}
                Routed::Answer(Answer::Pending(mut call)) => {
                    out = std::future::poll_fn(|context| call.poll(request.id, context)).await;
                }
                Routed::List(page) => {
                    out.extend_from_slice(&page);
                    out.extend_from_slice(self.core.closing(self.core.revision(&control)));
                }
                Routed::NotPermitted(_) => {
                    match answer_on_thread(&self.core, message, &control, memory).await {
                        Some(answer) => out = answer,
                        None => {
                            let error = DispatchError::NoRuntime;
                            self.core.turn_away(request.id, &error, &mut out);
                        }
                    }
                }
            }
        }
        control.end();
        out
    }

    /// Handles the bytes of one message and appends the answer, if there is one, without a newline.
    ///
    /// This is [`handle_request`](Self::handle_request) without a [`Value`] on either side.
    ///
    /// ```
    /// # fn main() -> Result<(), mcp_runtime::BuildError> {
    /// let server = mcp_runtime::server!().build()?;
    /// let mut answer = Vec::new();
    /// server.handle_message_blocking(b"{}", &mut answer);
    /// assert!(String::from_utf8_lossy(&answer).contains("-32600"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn handle_message_blocking(&self, message: &[u8], out: &mut Vec<u8>) {
        self.drive(control(), message, out);
    }

    /// The same as [`handle_message_blocking`](Self::handle_message_blocking), for a call that [`control`] controls.
    fn drive(&self, control: CallHandle, message: &[u8], out: &mut Vec<u8>) {
        // A plain function may run a runtime of its own, whatever thread calls it.
        outside_runtimes(|| {
            let mut readable = Vec::new();
            if let Opened::Request(request) = &self.open(message, &mut readable, out) {
                let _memory = match self.core.admit_memory(request, None) {
                    Ok(memory) => memory,
                    Err(error) => return self.core.turn_away(request.id, &error, out),
                };
                let control = control.with_clock(clock::now);
                let control = Arc::new(control);
                if let Answer::Pending(call) = self.core.answer(request, &control, out) {
                    to_end(&self.core, request, call, &control, out);
                }
                control.end();
            }
        });
    }

    /// Makes every schema now, and tells what is wrong with them.
    ///
    /// [`check!`](crate::check), [`main!`](crate::main) and the command `doctor` do this, and so does
    /// [`build`](ServerBuilder::build) in a debug build; in a release build a server makes each schema on first use.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let registry = self.core.registry.load();
        registry
            .sorted()
            .flat_map(|tool| check::schema_problems(tool))
            .collect()
    }

    /// Reads a message; what is no request is answered here.
    ///
    /// `readable` is empty, as for [`Core::open`].
    pub(crate) fn open<'a>(
        &self,
        message: &'a [u8],
        readable: &'a mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Opened<'a> {
        if message.len() > self.core.options.limits.max_message_size {
            let error = DispatchError::NotARequest(TOO_LONG);
            let invalid = self.core.unread(error, readable_id(message));
            self.core.refuse(&invalid, out);
            return Opened::Invalid(invalid);
        }
        let opened = self.core.open(message, readable);
        if let Opened::Invalid(invalid) = &opened {
            self.core.refuse(invalid, out);
        }
        opened
    }

    /// The answer to a message as a value, if there is one.
    ///
    /// The bytes are JSON, but tools may write a number beyond a value's range.
    pub(crate) fn value_of(&self, answer: &[u8], message: &[u8]) -> Option<Value> {
        if answer.is_empty() {
            return None;
        }
        read_own(answer).ok().or_else(|| {
            let mut out = Vec::new();
            let mut readable = Vec::new();
            if let Opened::Request(request) = self.core.open(message, &mut readable) {
                self.core.write_unreadable(request.id, &mut out);
            }
            serde_json::from_slice(&out).ok()
        })
    }
}

fn text_of(message: &Value) -> Vec<u8> {
    let mut text = Vec::new();
    // A `Value` has neither NaN nor odd keys, so this fails only where it is nested too deep. What was written until then is
    // nested too deep for the dispatcher, too, which refuses it for that.
    let _ = write_value(&mut text, message);
    text
}
