//! What a call is of: a tool, a prompt, a resource, a completion, or the store of tasks.

use std::fmt;
use std::sync::Arc;

use super::state::Target;
use super::{CallHandle, Principal, digest};
use crate::protocol::Method;
use crate::registry::{Prompt, Resource, TaskSupport, Tool, ToolInput};
use crate::schema::identity;

/// What is called, which decides how a reply ends.
#[derive(Debug, Clone)]
pub(super) enum CallTarget {
    Tool(Arc<Tool>),
    Prompt(Arc<Prompt>),
    Resource(Arc<Reading>),
    Completion,
    Tasks,
}

/// A resource that is read, under the URI that the client wrote.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) resource: Arc<Resource>,
    pub(super) uri: Box<str>,
    /// The request carries on an earlier one, so that its contents may depend on more than the URI.
    pub(super) carries_a_round: bool,
}

impl fmt::Display for CallTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(tool) => write!(f, "the tool `{}`", tool.name),
            Self::Prompt(prompt) => write!(f, "the prompt `{}`", prompt.name),
            Self::Completion => f.write_str("the completion"),
            Self::Tasks => f.write_str("the task store"),
            Self::Resource(reading) => write!(f, "the resource `{}`", reading.resource.name),
        }
    }
}

impl CallTarget {
    /// The request that this is, to which states are bound; `None` for one that has no rounds (basic/patterns/mrtr,
    /// "Supported Requests").
    pub(super) fn target(&self, arguments: &str, control: &CallHandle) -> Option<Target> {
        let principal = control.principal().map(Principal::id);
        let target = |method: Method, name, arguments: &str, schema| {
            // The text was read as JSON before, so it always has an identity.
            let identity = identity(arguments).unwrap_or_else(|| arguments.to_owned());
            Target::new(method.name(), name, &identity, schema, principal)
        };
        Some(match self {
            Self::Tool(tool) => {
                let input = tool.input().ok();
                let canonical = input.and_then(|input| input.schema.canonical_all(arguments));
                let schema = input.map(|ToolInput { schema, digest, .. }| {
                    digest.get_or_init(|| digest::digest(&[schema.json().as_bytes()]).into())
                });
                target(
                    Method::CallTool,
                    &tool.name,
                    canonical.as_deref().unwrap_or(arguments),
                    schema.map_or("", |digest| digest),
                )
            }
            Self::Prompt(prompt) => target(Method::GetPrompt, &prompt.name, arguments, ""),
            // A resource has no arguments; what a client sends as such is nothing to it.
            Self::Resource(reading) => target(Method::ReadResource, &reading.uri, "{}", ""),
            Self::Completion | Self::Tasks => return None,
        })
    }

    /// Whether it has said that it may be a task.
    pub(super) fn may_be_task(&self) -> bool {
        matches!(self, Self::Tool(tool) if tool.task != TaskSupport::Forbidden)
    }

    /// Whether it may send log messages (server/utilities/logging).
    pub(super) fn may_log(&self) -> bool {
        !matches!(self, Self::Completion)
    }

    /// Whether it has rounds.
    pub(super) fn may_ask(&self) -> bool {
        !matches!(self, Self::Completion | Self::Tasks)
    }

    /// What a client is told of a failure that is not its business.
    pub(super) fn failed(&self) -> &'static str {
        match self {
            Self::Tool(_) => "the tool failed",
            Self::Prompt(_) => "the prompt failed",
            Self::Resource(_) => "the resource failed",
            Self::Completion => "the completion failed",
            Self::Tasks => "the task store failed",
        }
    }
}
