//! One prompt of the table, whether it was annotated or registered at run time.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use super::handler::PromptInput;
use super::{Handler, PromptEntry, write};
use crate::convert::{ParamEntry, ParamKind};
use crate::exec::Execution;
use crate::json::write_str;
use crate::protocol::{PromptArgument, Revision};

/// A prompt that can be listed and asked for.
#[derive(Debug)]
pub(crate) struct Prompt {
    pub(crate) name: Cow<'static, str>,
    pub(crate) description: Cow<'static, str>,
    pub(crate) source: PromptSource,
    execution: Execution,
}

/// What runs when the prompt is asked for.
#[derive(Debug)]
pub(crate) enum PromptSource {
    /// An annotated function.
    Function(&'static PromptEntry),
    /// A handler registered at run time, and its arguments.
    Handler(Box<[PromptArgument]>, Arc<dyn Handler<PromptInput>>),
}

impl Prompt {
    /// The prompt of an annotated function, under its own name or another.
    pub(crate) fn annotated(entry: &'static PromptEntry, name: Option<String>) -> Self {
        Self {
            name: name.map_or(Cow::Borrowed(entry.item.name), Cow::Owned),
            description: Cow::Borrowed(entry.item.description),
            source: PromptSource::Function(entry),
            execution: entry.item.call.execution(),
        }
    }

    /// A prompt registered at run time.
    pub(crate) fn registered(
        name: String,
        description: String,
        arguments: Box<[PromptArgument]>,
        handler: Arc<dyn Handler<PromptInput>>,
    ) -> Self {
        Self {
            name: Cow::Owned(name),
            description: Cow::Owned(description),
            execution: handler.execution(),
            source: PromptSource::Handler(arguments, handler),
        }
    }

    /// The entry of an annotated function.
    pub(crate) fn entry(&self) -> Option<&'static PromptEntry> {
        match self.source {
            PromptSource::Function(entry) => Some(entry),
            PromptSource::Handler(..) => None,
        }
    }

    /// How long a call may take: `None` leaves it to the server, zero means without limit.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.entry().and_then(|entry| entry.item.timeout())
    }

    /// Where it runs.
    pub(crate) fn execution(&self) -> Execution {
        self.execution
    }

    /// The prompt and its place, for reports.
    pub(crate) fn place(&self) -> String {
        match self.entry() {
            Some(entry) => entry.item.place(),
            None => format!("`{}`, registered at run time", self.name),
        }
    }

    /// The parameters of an annotated function, arguments and others; none of a handler.
    pub(crate) fn params(&self) -> &'static [ParamEntry] {
        self.entry().map_or(&[], |entry| entry.item.params)
    }

    /// Whether it gets the context.
    pub(crate) fn takes_context(&self) -> bool {
        match &self.source {
            PromptSource::Function(entry) => {
                entry.item.params.iter().any(ParamEntry::takes_context)
            }
            PromptSource::Handler(_, handler) => handler.takes_context(),
        }
    }

    /// Writes the prompt as lists show it (server/prompts, "Prompt").
    pub(crate) fn write(&self, revision: &Revision, out: &mut Vec<u8>) {
        let title = self.entry().map_or("", |entry| entry.item.title);
        write::open(out, revision, &self.name, title, &self.description);
        let mut separator: &[u8] = br#","arguments":["#;
        let mut argument = |out: &mut Vec<u8>, name: &str, description: &str, required: bool| {
            out.extend_from_slice(separator);
            write_argument(out, name, description, required);
            separator = b",";
        };
        match &self.source {
            PromptSource::Function(entry) => {
                for param in entry.item.params {
                    if let ParamKind::Text { optional, .. } = param.kind {
                        let required = !optional && param.default.is_none();
                        argument(out, param.name, param.description, required);
                    }
                }
            }
            PromptSource::Handler(arguments, _) => {
                for PromptArgument {
                    name,
                    description,
                    required,
                } in arguments
                {
                    argument(out, name, description, *required);
                }
            }
        }
        if separator == b"," {
            out.push(b']');
        }
        if let Some(entry) = self.entry() {
            write::extras(out, revision, &entry.item);
        }
        out.push(b'}');
    }
}

fn write_argument(out: &mut Vec<u8>, name: &str, description: &str, required: bool) {
    out.extend_from_slice(br#"{"name":"#);
    write_str(out, name);
    if !description.is_empty() {
        write::text(out, "description", description);
    }
    write::member(out, "required", &required);
    out.push(b'}');
}
