//! A call's answer while it is being written: the result's members go straight into the output buffer.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::{Completion, Failure, PromptResult, ResourceResult, ToolResult};
use crate::dispatch::CacheScope;
use crate::json::{WriteError, write_escaped_copy, write_owned, write_str, write_value};
use crate::protocol::{ContentBlock, Meta, Revision, StructuredContent};

/// The most values of a completion that the specification allows.
const MAX_VALUES: usize = 100;

/// What stands before structured content.
const STRUCTURED_CONTENT: &[u8] = br#""structuredContent":"#;

/// The members of a result of `tools/call`, `prompts/get` or `resources/read`, written once and in order.
///
/// It begins behind `"result":` and leaves the object open: who dispatches the call adds the metadata and closes it.
#[derive(Debug)]
pub struct Reply {
    out: Vec<u8>,
    /// Where the result's object begins.
    start: usize,
    revision: &'static Revision,
    /// Structured content of any kind is the member `result` of an object, as the schema in the list says.
    is_wrapped: bool,
    structured: Option<Range<usize>>,
    is_error: bool,
    is_described: bool,
    read: Option<Box<ReadTarget>>,
    cache: Option<(Duration, CacheScope)>,
    meta: Option<Meta>,
    failure: Option<Failure>,
}

/// The resource that is read.
#[derive(Debug)]
pub(crate) struct ReadTarget {
    /// As the client wrote it.
    pub(crate) uri: Box<str>,
    /// What the attribute says, or an empty string.
    pub(crate) mime_type: &'static str,
}

impl Reply {
    /// Begins behind what stands in the buffer.
    pub(crate) fn new(out: Vec<u8>, revision: &'static Revision) -> Self {
        Self {
            start: out.len(),
            out,
            revision,
            is_wrapped: false,
            structured: None,
            is_error: false,
            is_described: false,
            read: None,
            cache: None,
            meta: None,
            failure: None,
        }
    }

    /// Says which resource the contents are of, where they do not say so themselves.
    pub(crate) fn reading(mut self, target: ReadTarget) -> Self {
        self.read = Some(Box::new(target));
        self
    }

    /// Says whether structured content is wrapped even if it is an object.
    pub(crate) fn wrapped(mut self, is_wrapped: bool) -> Self {
        self.is_wrapped = is_wrapped;
        self
    }

    /// Takes the reply along, leaving one behind that is never sent.
    pub(crate) fn take(&mut self) -> Self {
        let left = Self::new(Vec::new(), self.revision);
        std::mem::replace(self, left)
    }

    /// Adds metadata to the result.
    pub(crate) fn add_meta(&mut self, key: &str, value: Value) {
        self.meta
            .get_or_insert_default()
            .insert(key.to_owned(), value);
    }

    /// Takes the reply apart once the tool is done.
    pub(crate) fn into_parts(self) -> Written {
        Written {
            out: self.out,
            revision: self.revision,
            structured: self.structured,
            is_error: self.is_error,
            is_described: self.is_described,
            cache: self.cache,
            meta: self.meta,
            failure: self.failure,
        }
    }

    /// Drops the members that were written so far.
    fn reset(&mut self) {
        self.out.truncate(self.start);
        self.structured = None;
        self.is_error = false;
        self.is_described = false;
    }

    /// Writes one block of text.
    pub(crate) fn text(&mut self, text: &str) {
        self.begin();
        self.out
            .extend_from_slice(br#""content":[{"type":"text","text":"#);
        write_str(&mut self.out, text);
        self.out.extend_from_slice(b"}]");
    }

    /// Writes a number or a boolean as one block of text.
    pub(crate) fn json_text<T: Serialize>(&mut self, scalar: &T) {
        self.begin();
        self.out
            .extend_from_slice(br#""content":[{"type":"text","text":""#);
        match write_value(&mut self.out, scalar) {
            Ok(()) => self.out.extend_from_slice(br#""}]"#),
            Err(error) => self.unsendable(&error),
        }
    }

    /// Writes structured content, and its JSON as a block of text.
    pub(crate) fn structured<T: Serialize>(&mut self, value: T) {
        self.structured_by(|out| write_owned(out, value));
    }

    fn structured_by(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<(), WriteError>) {
        self.begin();
        if self.revision.is_bare {
            self.out
                .extend_from_slice(br#""content":[{"type":"text","text":"#);
            let from = self.out.len();
            if let Err(error) = write(&mut self.out) {
                return self.unsendable(&error);
            }
            let json = from..self.out.len();
            write_escaped_copy(&mut self.out, json.clone());
            self.out.drain(json);
            self.out.extend_from_slice(b"}]");
            return;
        }
        match self.structured_content(write) {
            Ok(json) => {
                self.out
                    .extend_from_slice(br#""content":[{"type":"text","text":"#);
                write_escaped_copy(&mut self.out, json);
                self.out.extend_from_slice(b"}]");
            }
            Err(error) => self.unsendable(&error),
        }
    }

    /// Writes the member `structuredContent` and a comma; gives the place of the value.
    fn structured_content(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), WriteError>,
    ) -> Result<Range<usize>, WriteError> {
        const WRAPPING: &[u8] = br#"{"result":"#;
        self.out.extend_from_slice(STRUCTURED_CONTENT);
        let from = self.out.len();
        write(&mut self.out)?;
        let mut json = from..self.out.len();
        let is_object = self.out.get(from) == Some(&b'{');
        let takes_objects = self.revision.structured == StructuredContent::Objects;
        if takes_objects && (self.is_wrapped || !is_object) {
            self.out.splice(from..from, WRAPPING.iter().copied());
            json = from + WRAPPING.len()..self.out.len();
            self.out.push(b'}');
        }
        self.out.push(b',');
        self.structured = Some(json.clone());
        Ok(json)
    }

    /// Writes a value whose type says nothing of what it becomes: a scalar as text, `null` as no content,
    /// everything else as structured content.
    pub(crate) fn value<T: Serialize>(&mut self, value: T) {
        let mut json = Vec::new();
        if let Err(error) = write_owned(&mut json, value) {
            return self.unsendable(&error);
        }
        match json.first() {
            Some(b'{' | b'[') => self.structured_by(|out| {
                out.extend_from_slice(&json);
                Ok(())
            }),
            Some(b'n') => self.result(ToolResult::default()),
            Some(b'"') => match serde_json::from_slice::<String>(&json) {
                Ok(text) => self.text(&text),
                Err(error) => self.unsendable(&error),
            },
            // A number or a boolean.
            _ => self.text(&String::from_utf8_lossy(&json)),
        }
    }

    /// Writes a result that a tool made itself.
    pub(crate) fn result(&mut self, result: ToolResult) {
        match self.try_result(&result) {
            Ok(()) => self.extend_meta(result.meta),
            Err(error) => {
                self.unsendable(&error);
                error.release(result);
            }
        }
    }

    fn try_result(&mut self, result: &ToolResult) -> Result<(), WriteError> {
        check_meta(result.meta.as_ref())?;
        let is_empty = result.content.is_empty();
        let is_bare = self.revision.is_bare;
        let structured = result.structured_content.as_ref();
        self.begin();
        let mut json = None;
        match structured {
            Some(value) if is_bare => write_value(&mut Vec::new(), value)?,
            Some(value) => json = Some(self.structured_content(|out| write_value(out, value))?),
            None => {}
        }
        self.out.extend_from_slice(br#""content":"#);
        match json {
            Some(json) if is_empty && self.revision.structured == StructuredContent::Absent => {
                self.out.extend_from_slice(br#"[{"type":"text","text":"#);
                write_escaped_copy(&mut self.out, json);
                self.out.extend_from_slice(b"}]");
            }
            // A bare result has one block of text, whatever it is that was returned.
            _ if is_bare && is_empty && !result.is_error => self
                .out
                .extend_from_slice(br#"[{"type":"text","text":"null"}]"#),
            _ => self.content(&result.content)?,
        }
        if result.is_error {
            self.out.extend_from_slice(br#","isError":true"#);
            self.is_error = true;
        }
        Ok(())
    }

    /// Writes blocks of content; those that the revision does not have become text.
    fn content(&mut self, blocks: &[ContentBlock]) -> Result<(), WriteError> {
        if blocks.iter().all(|block| block.is_in(self.revision)) {
            return write_value::<[ContentBlock]>(&mut self.out, blocks);
        }
        let blocks: Vec<_> = blocks
            .iter()
            .map(|block| block.told_in(self.revision))
            .collect();
        write_value(&mut self.out, &blocks)
    }

    /// Writes the messages of a prompt.
    pub(crate) fn messages(&mut self, result: PromptResult) {
        match self.try_messages(&result) {
            Ok(()) => self.extend_meta(result.meta),
            Err(error) => {
                self.unsendable(&error);
                error.release(result);
            }
        }
    }

    fn try_messages(&mut self, result: &PromptResult) -> Result<(), WriteError> {
        check_meta(result.meta.as_ref())?;
        self.begin();
        if let Some(description) = &result.description {
            self.out.extend_from_slice(br#""description":"#);
            write_str(&mut self.out, description);
            self.out.push(b',');
        }
        self.out.extend_from_slice(br#""messages":"#);
        let revision = self.revision;
        if (result.messages.iter()).all(|message| message.content.is_in(revision)) {
            write_value(&mut self.out, &result.messages)?;
        } else {
            let mut messages = result.messages.clone();
            for message in &mut messages {
                message.content = message.content.told_in(revision);
            }
            write_value(&mut self.out, &messages)?;
        }
        self.is_described = result.description.is_some();
        Ok(())
    }

    /// Writes the contents of a resource; `mime_type` is for those that have none.
    pub(crate) fn contents(&mut self, mut result: ResourceResult, mime_type: &'static str) {
        if let Some(target) = &self.read {
            let mime_type = if target.mime_type.is_empty() {
                mime_type
            } else {
                target.mime_type
            };
            for contents in &mut result.contents {
                if contents.uri.is_empty() {
                    contents.uri = target.uri.clone().into();
                }
                if contents.mime_type.is_none() && !mime_type.is_empty() {
                    contents.mime_type = Some(mime_type.to_owned());
                }
            }
        }
        match self.try_contents(&result) {
            Ok(()) => self.extend_meta(result.meta),
            Err(error) => {
                self.unsendable(&error);
                error.release(result);
            }
        }
    }

    fn try_contents(&mut self, result: &ResourceResult) -> Result<(), WriteError> {
        check_meta(result.meta.as_ref())?;
        self.begin();
        self.out.extend_from_slice(br#""contents":"#);
        write_value(&mut self.out, &result.contents)?;
        self.cache = result.cache;
        Ok(())
    }

    /// Writes what an argument can be completed to: the first hundred values (server/utilities/completion).
    pub(crate) fn completion(&mut self, completion: &Completion) {
        let Completion { values, total } = completion;
        let sent = &values[..values.len().min(MAX_VALUES)];
        let count = u64::try_from(values.len()).unwrap_or(u64::MAX);
        let total = total.unwrap_or(count).max(count);
        let has_more = total > u64::try_from(sent.len()).unwrap_or(u64::MAX);
        self.begin();
        self.out.extend_from_slice(br#""completion":{"values":"#);
        if let Err(error) = write_value(&mut self.out, sent) {
            return self.unsendable(&error);
        }
        let rest = format!(r#","total":{total},"hasMore":{has_more}}}"#);
        self.out.extend_from_slice(rest.as_bytes());
    }

    /// Writes a result of a type of its own, with members that each begin with a comma.
    pub(crate) fn typed(&mut self, result_type: &str, members: &[u8]) {
        self.out.extend_from_slice(br#"{"resultType":""#);
        self.out.extend_from_slice(result_type.as_bytes());
        self.out.push(b'"');
        self.out.extend_from_slice(members);
    }

    /// Notes a failure; who dispatches the call decides how it is told.
    pub(crate) fn failure(&mut self, failure: Failure) {
        self.reset();
        self.failure = Some(failure);
    }

    /// Adds the metadata that a function gave with its result.
    fn extend_meta(&mut self, meta: Option<Meta>) {
        if let Some(meta) = meta {
            self.meta.get_or_insert_default().extend(meta);
        }
    }

    /// Opens the result's object.
    fn begin(&mut self) {
        self.out.push(b'{');
        if self.revision.is_stateless {
            self.out.extend_from_slice(br#""resultType":"complete","#);
        }
    }

    fn unsendable(&mut self, error: &dyn fmt::Display) {
        self.failure(Failure::Tool(format!(
            "the result of the tool cannot be sent: {error}"
        )));
    }
}

/// Checks that metadata can be written; it is written once the result is complete.
fn check_meta(meta: Option<&Meta>) -> Result<(), WriteError> {
    match meta {
        Some(meta) => write_value(&mut Vec::new(), meta),
        None => Ok(()),
    }
}

/// A reply that a tool has finished.
#[derive(Debug)]
pub(crate) struct Written {
    /// The buffer, with the result's object open at its end.
    pub(crate) out: Vec<u8>,
    /// What the client's revision can say.
    pub(crate) revision: &'static Revision,
    /// Where the structured content stands in it.
    pub(crate) structured: Option<Range<usize>>,
    /// The tool says itself that the call failed.
    pub(crate) is_error: bool,
    /// How long the contents of a resource may be kept, if the result says so.
    pub(crate) cache: Option<(Duration, CacheScope)>,
    /// The result of a prompt has a description.
    pub(crate) is_described: bool,
    /// Metadata that the tool gave.
    pub(crate) meta: Option<Meta>,
    /// How the call failed, in which case nothing was written.
    pub(crate) failure: Option<Failure>,
}

impl Written {
    /// Cuts out structured content that the revision does not have, once it has been checked.
    pub(crate) fn cut_structured(&mut self) {
        if self.revision.structured == StructuredContent::Absent
            && let Some(json) = self.structured.take()
        {
            // It stands between its name and a comma.
            let start = json.start - STRUCTURED_CONTENT.len();
            self.out.drain(start..=json.end);
        }
    }
}
