//! Ends the response to a call: checks what the function wrote, and completes it or writes why the call failed.

use std::time::Duration;

use serde_json::Value;

use super::call::Call;
use super::error::names_capabilities;
use super::options::cache_members;
use super::target::{CallTarget, Reading};
use super::tools;
use super::{CacheScope, CallHandle, Core, DispatchError};
use crate::convert::{Failure, Rejected, Rejection, Reply, ResourceError, ToolError, Written};
use crate::json::write_str;
use crate::jsonrpc::RawId;
use crate::protocol::{Meta, Revision, key};
use crate::registry::Prompt;

impl Call<'_> {
    /// Notes that the parameters of a call could not be filled.
    pub(super) fn reject(&self, Rejected(rejection): Rejected, reply: &mut Reply) {
        match rejection {
            Rejection::Arguments(faults) => reply.failure(Failure::Arguments(
                if self.core.options.profile.answers().handlers_check_arguments
                    && let Some(missing) = faults.iter().find(|fault| fault.is_missing())
                {
                    missing.to_string()
                } else {
                    let lines: Vec<_> = faults.iter().map(ToString::to_string).collect();
                    lines.join("\n")
                },
            )),
            Rejection::Texts(faults) => reply.failure(Failure::Arguments(faults.to_string())),
            Rejection::Injection(error) => reply.failure(error.0),
            Rejection::Schema(problems) => {
                tracing::error!("a tool cannot be called: {problems}");
                reply.failure(Failure::Broken);
            }
        }
    }

    /// Ends a response: checks what was written, adds metadata, or writes how the call failed.
    ///
    /// `start` is where the response begins in the buffer.
    pub(super) fn finish(&self, id: RawId<'_>, start: usize, reply: Reply) -> Vec<u8> {
        let mut written = reply.into_parts();
        if written.failure.is_none() {
            written.failure = match &self.called {
                CallTarget::Tool(tool) => tools::check_result(&self.core, tool, &written),
                CallTarget::Prompt(prompt) => {
                    describe(prompt, &mut written);
                    None
                }
                CallTarget::Completion | CallTarget::Tasks => None,
                CallTarget::Resource(reading) => {
                    if written.revision.is_stateless {
                        add_cache_hints(reading, &mut written);
                    }
                    None
                }
            };
        }
        written.cut_structured();
        let mut out = written.out;
        match written.failure {
            None => match written.meta {
                None => out.extend_from_slice(self.core.closing(written.revision)),
                Some(meta) => self.close_with(meta, written.revision, &mut out),
            },
            Some(Failure::InputRequired(input)) => {
                out.truncate(start);
                match self.write_returned_round(id, input, &mut out) {
                    Err(DispatchError::Handler(error)) => {
                        self.write_failure(Failure::Request(error), id, &mut out);
                    }
                    written => self.or_error(written, id, &mut out),
                }
            }
            Some(failure) => {
                out.truncate(start);
                self.write_failure(failure, id, &mut out);
            }
        }
        self.bound_answer(id, start, &mut out);
        if let Some(context) = self.context() {
            context.end();
        }
        out
    }

    /// Replaces an answer that is too large.
    pub(super) fn bound_answer(&self, id: RawId<'_>, start: usize, out: &mut Vec<u8>) {
        let is_tool = matches!(self.called, CallTarget::Tool(_));
        self.core
            .bound_answer(is_tool, &self.control, id, start, out);
    }

    /// Writes how the call failed: a result of a tool, an error of all other requests.
    pub(super) fn write_failure(&self, failure: Failure, id: RawId<'_>, out: &mut Vec<u8>) {
        let error = match (failure, &self.called) {
            (Failure::InputRequired(_), _) => unreachable!("`finish` ends the round"),
            // In a session the model reads what its client lacks.
            (Failure::Request(error), CallTarget::Tool(_))
                if self.control.session().is_some() && names_capabilities(&error) =>
            {
                let text = format!("Error: {}", error.message);
                self.core.write_failed_call(&self.control, id, &text, out);
                return;
            }
            (Failure::Request(error), _) => DispatchError::Handler(error),
            (Failure::Broken, CallTarget::Tool(tool)) => {
                DispatchError::BrokenSchema(tool.name.clone().into_owned())
            }
            (failure, CallTarget::Tool(_)) => {
                let text = self.failed_tool_text(failure);
                self.core.write_failed_call(&self.control, id, &text, out);
                return;
            }
            (Failure::Arguments(text), CallTarget::Resource(reading)) => {
                DispatchError::BadUri(reading.uri.to_string(), text)
            }
            (Failure::Arguments(text), _) => DispatchError::BadArguments(text),
            (Failure::NotFound, CallTarget::Resource(reading)) => {
                DispatchError::UnknownResource(reading.uri.to_string())
            }
            (Failure::NotFound, _) => DispatchError::Failed(ResourceError::not_found().to_string()),
            (Failure::Tool(text), called) if self.core.options.mask_errors => {
                tracing::warn!("{called} failed: {text}");
                DispatchError::Failed(called.failed().to_owned())
            }
            (Failure::Tool(text), _) => DispatchError::Failed(text),
            (Failure::Panic | Failure::Broken, called) => {
                DispatchError::Failed(called.failed().to_owned())
            }
        };
        self.or_error(Err(error), id, out);
    }

    /// The text of a failed tool, which the model reads.
    fn failed_tool_text(&self, failure: Failure) -> String {
        let text = match failure {
            Failure::Arguments(text) => return text,
            Failure::NotFound => ToolError::from(ResourceError::not_found()).to_string(),
            Failure::Tool(text) if self.core.options.mask_errors => {
                tracing::warn!("{} failed: {text}", self.called);
                self.called.failed().to_owned()
            }
            Failure::Tool(text) => text,
            Failure::Panic | Failure::Broken | Failure::Request(_) | Failure::InputRequired(_) => {
                self.called.failed().to_owned()
            }
        };
        format!("Error: {text}")
    }

    /// Writes the error of a response that could not be written.
    pub(super) fn or_error(
        &self,
        written: Result<(), DispatchError>,
        id: RawId<'_>,
        out: &mut Vec<u8>,
    ) {
        if let Err(error) = written {
            self.core.write_call_error(&error, &self.control, id, out);
        }
    }

    /// Ends a result that has metadata of its own.
    fn close_with(&self, mut meta: Meta, revision: &Revision, out: &mut Vec<u8>) {
        if revision.is_bare {
            out.extend_from_slice(self.core.closing(revision));
            return;
        }
        if revision.is_stateless {
            let info = serde_json::to_value(&self.core.options.info).unwrap_or_default();
            meta.insert(key::SERVER_INFO.to_owned(), info);
        }
        out.extend_from_slice(br#","_meta":"#);
        out.extend_from_slice(Value::from(meta).to_string().as_bytes());
        out.extend_from_slice(b"}}");
    }
}

impl Core {
    /// Replaces an answer that is too large by an error, for a tool by a failed call, and one without room by an error.
    pub(super) fn bound_answer(
        &self,
        is_tool: bool,
        control: &CallHandle,
        id: RawId<'_>,
        start: usize,
        out: &mut Vec<u8>,
    ) {
        let (size, limit) = (out.len() - start, self.options.limits.max_answer_size);
        let error = if size > limit {
            DispatchError::AnswerTooLarge { size, limit }
        } else if control
            .hold_answer(&self.bounds.max_answer_memory, size)
            .is_err()
        {
            DispatchError::TooManyBytes
        } else {
            return;
        };
        out.truncate(start);
        out.shrink_to_fit();
        if is_tool && size > limit {
            self.log_refusal(&error);
            self.write_failed_call(control, id, &format!("Error: {error}"), out);
        } else {
            self.write_call_error(&error, control, id, out);
        }
    }
}

/// Adds how long the contents may be kept, and by whom (server/utilities/caching).
///
/// Nothing is known of contents of which nobody says anything, so these are not kept, and neither are those that depend
/// on answers, which no cache asks for.
fn add_cache_hints(reading: &Reading, written: &mut Written) {
    let said = || {
        let entry = reading.resource.entry();
        let ttl = entry.and_then(|entry| entry.ttl_ms).unwrap_or(0);
        let scope = entry.and_then(|entry| entry.cache_scope);
        (Duration::from_millis(ttl), scope.unwrap_or_default())
    };
    let (ttl, scope) = if reading.carries_a_round {
        (Duration::ZERO, CacheScope::Private)
    } else {
        written.cache.unwrap_or_else(said)
    };
    written.out.push(b',');
    let members = cache_members(ttl, scope);
    written.out.extend_from_slice(members.as_bytes());
}

/// Adds the prompt's own description to a result that has none.
fn describe(prompt: &Prompt, written: &mut Written) {
    if !written.is_described {
        written.out.extend_from_slice(br#","description":"#);
        write_str(&mut written.out, &prompt.description);
    }
}
