//! The bounds that all calls of a server share, and what a call takes of them before it runs.

use std::sync::Arc;

use super::message::string;
use super::{Core, DispatchError, Limits, Request};
use crate::bound::{Bound, Full, Permit, Sender};
use crate::json::{nested_value_bytes, value_bytes};
use crate::protocol::Method;

/// What a message is taken to need beyond its text while it arrives.
const MESSAGE_OVERHEAD: usize = 4096;

/// The bounds of one server.
#[derive(Debug)]
pub(crate) struct Bounds {
    /// The calls that run.
    #[cfg(feature = "http")]
    pub(crate) calls: Arc<Bound>,
    /// The streams of `subscriptions/listen` that are open.
    pub(crate) streams: Arc<Bound>,
    /// The memory of messages that arrive and of calls that run.
    pub(crate) call_memory: Arc<Bound>,
    /// The memory of answers that clients have not taken yet.
    pub(crate) max_answer_memory: Arc<Bound>,
}

impl Bounds {
    pub(super) fn new(limits: &Limits) -> Self {
        let message = limits.max_message_size.saturating_add(MESSAGE_OVERHEAD);
        Self {
            #[cfg(feature = "http")]
            calls: Bound::new(limits.max_calls_in_flight),
            streams: Bound::new(limits.max_listen_streams),
            max_answer_memory: Bound::new(limits.max_answer_memory),
            call_memory: Bound::new(limits.max_call_memory.max(Bound::for_one_sender(message))),
        }
    }
}

impl Core {
    /// Takes the memory that a request needs, for as long as the permit is held.
    pub(crate) fn admit_memory(
        &self,
        request: &Request<'_>,
        sender: Option<Sender>,
    ) -> Result<Permit, DispatchError> {
        let bound = &self.bounds.call_memory;
        let (size, limit) = (self.memory_of(request), bound.limit());
        if size > limit {
            return Err(DispatchError::CallTooLarge { size, limit });
        }
        let permit = bound.acquire(sender, size);
        permit.map_err(|Full| DispatchError::TooMuchMemory)
    }

    /// Takes memory for bytes of an answer until the client has taken them; the log names a refusal.
    #[cfg(feature = "http")]
    pub(crate) fn acquire_answer_memory(
        &self,
        sender: Option<Sender>,
        bytes: usize,
    ) -> Result<Permit, Full> {
        let memory = self.bounds.max_answer_memory.acquire(sender, bytes);
        if memory.is_err() {
            self.log_refusal(&DispatchError::TooManyBytes);
        }
        memory
    }

    /// The bytes of a request's message, and those of the values that are made of it.
    fn memory_of(&self, request: &Request<'_>) -> usize {
        let text = request.text;
        let arguments = request.params().and_then(|params| params.arguments);
        let Some((arguments, [before, after])) = arguments.and_then(|arguments| {
            let arguments = arguments.get().as_bytes();
            Some((arguments, around(text, arguments)?))
        }) else {
            return text.len() + value_bytes(text, false);
        };
        let mut values = nested_value_bytes(before, false) + nested_value_bytes(after, false);
        // Arguments that become no `Value` may be long, and are not looked at.
        if self.takes_values(request) {
            values += value_bytes(arguments, self.options.repair);
        }
        text.len() + values
    }

    /// Whether the arguments of a request, or a part of them, become a `Value`.
    fn takes_values(&self, request: &Request<'_>) -> bool {
        let name = request.params().and_then(|params| params.name);
        let called = name.filter(|_| request.method == Some(Method::CallTool));
        let Some(name) = called.and_then(string) else {
            return false;
        };
        let registry = self.registry.load();
        registry.tool(&name).is_some_and(|tool| tool.takes_values())
    }
}

/// The text before a part of it, and behind.
fn around<'t>(text: &'t [u8], part: &[u8]) -> Option<[&'t [u8]; 2]> {
    let start = part.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    let end = start.checked_add(part.len())?;
    Some([text.get(..start)?, text.get(end..)?])
}
