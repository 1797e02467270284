//! A call as layers see it.

use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::call::Call;
use crate::dispatch::{Extensions, Principal};

/// What is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallKind {
    /// A tool, by `tools/call`.
    Tool,
    /// A prompt, by `prompts/get`.
    Prompt,
    /// A resource, by `resources/read`.
    Resource,
}

/// A call of a tool, a prompt or a resource, on its way through the [layers](crate::ServerBuilder::layer) to its function.
///
/// A clone is the same call once more, for layers that retry; a request of a later round whose state is good for one use
/// ([`replay_guard`](crate::ServerBuilder::replay_guard)) is refused the second time.
#[derive(Clone)]
pub struct CallRequest {
    pub(super) kind: CallKind,
    pub(super) name: Arc<str>,
    /// Those that a layer has put in place of the client's.
    pub(super) new_arguments: Option<Arc<RawValue>>,
    pub(super) extensions: Extensions,
    pub(super) call: Arc<Call>,
}

impl fmt::Debug for CallRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallRequest")
            .field("kind", &self.kind)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl CallRequest {
    /// What is called.
    #[must_use]
    pub fn kind(&self) -> CallKind {
        self.kind
    }

    /// The name of the tool or the prompt, or the URI of the resource, as the client sent it.
    ///
    /// Nothing needs to exist under it: the function's service refuses what does not.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The arguments as JSON text, not yet checked against any schema; `{}` where the client sent none.
    #[must_use]
    pub fn arguments(&self) -> &RawValue {
        match &self.new_arguments {
            Some(arguments) => arguments,
            None => self.call.arguments(),
        }
    }

    /// Replaces the arguments, which are then checked as if the client had sent them; resources take none.
    ///
    /// A task is stored with the arguments as its first call left them, and each of its runs passes the layers with these.
    pub fn set_arguments(&mut self, arguments: Box<RawValue>) {
        self.new_arguments = Some(arguments.into());
    }

    /// On whose behalf the call is made, if that is known.
    #[must_use]
    pub fn principal(&self) -> Option<&Principal> {
        self.call.control.principal()
    }

    /// The protocol revision that the request names; `None` where it names none, which only the contract profile allows.
    #[must_use]
    pub fn protocol_version(&self) -> Option<&str> {
        self.call.protocol_version.as_deref()
    }

    /// Returns `true` for a run of a task, and `false` for a request of a client, among them the one that creates a task.
    #[must_use]
    pub fn is_task_run(&self) -> bool {
        self.call.task.is_some()
    }

    /// The values attached to the request; see [`Extensions`].
    #[must_use]
    pub fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    /// The same, to attach values that the function reads.
    pub fn extensions_mut(&mut self) -> &mut Extensions {
        &mut self.extensions
    }
}
