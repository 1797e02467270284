//! Reading answers without waiting for them, for functions that ask by returning their questions.

use std::fmt;

use serde_json::value::RawValue;

use super::ask::{ElicitOutcome, read, read_form, read_roots, read_url, unreadable};
use super::question::{self, form_subject};
use super::{Conversation, Entry};
use crate::convert::ToolError;
use crate::dispatch::Context;
use crate::form::ElicitForm;
use crate::protocol::{CreateMessageResult, Root};

/// The answers to what a function asked on earlier runs, by their keys.
///
/// A function that is not async asks by returning [`InputRequired`](crate::tool::InputRequired), and is run again with the answers:
///
/// ```
/// use mcp_runtime::prelude::*;
/// # #[derive(ElicitForm)] struct Confirm { yes: bool }
/// /// Delete a project after asking the user.
/// #[mcp_tool(destructive)]
/// fn delete_project(name: &str, ctx: &Context) -> Result<String, ToolError> {
///     match ctx.answers().elicited::<Confirm>("confirm")? {
///         None => Err(InputRequired::elicit::<Confirm>("confirm", format!("Delete {name}?")).into()),
///         Some(ElicitOutcome::Accepted(answer)) if answer.yes => Ok(format!("{name} deleted")),
///         Some(_) => Ok("kept".into()),
///     }
/// }
/// ```
///
/// An answer that does not fit its question is none, so that the function asks again. It may ask again under the same key too if
/// an answer will not do, such as a name that is taken: the latest answer counts. All of these fail (−32603) if the journal
/// has something else under the key.
#[derive(Clone, Copy)]
pub struct Answers<'a>(&'a Conversation);

impl fmt::Debug for Answers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answers")
    }
}

impl Context {
    /// The answers to what the function asked on earlier runs.
    #[must_use]
    pub fn answers(&self) -> Answers<'_> {
        Answers(self.conversation())
    }
}

impl Answers<'_> {
    /// What the user did with a form; `None` if there is no answer.
    ///
    /// # Errors
    ///
    /// The journal has something else under the key.
    pub fn elicited<T: ElicitForm>(
        &self,
        key: &str,
    ) -> Result<Option<ElicitOutcome<T>>, ToolError> {
        self.get(key, &form_subject(T::requested_schema()), read_form::<T>)
    }

    /// What the user did with a URL; `None` if there is no answer.
    ///
    /// # Errors
    ///
    /// The journal has something else under the key.
    pub fn elicited_url(&self, key: &str) -> Result<Option<ElicitOutcome<()>>, ToolError> {
        self.get(key, question::URL, read_url)
    }

    /// What the client's model said; `None` if there is no answer.
    ///
    /// # Errors
    ///
    /// The journal has something else under the key.
    pub fn sampled(&self, key: &str) -> Result<Option<CreateMessageResult>, ToolError> {
        self.get(key, question::SAMPLING, read)
    }

    /// The client's roots; `None` if there is no answer.
    ///
    /// # Errors
    ///
    /// The journal has something else under the key.
    pub fn roots(&self, key: &str) -> Result<Option<Vec<Root>>, ToolError> {
        self.get(key, question::ROOTS, read_roots)
    }

    fn get<T>(
        &self,
        key: &str,
        subject: &str,
        read: fn(&RawValue) -> Option<T>,
    ) -> Result<Option<T>, ToolError> {
        let conversation = self.0;
        if let Some(recalled) = conversation.recall_answer(key, subject)? {
            match read(&recalled.response) {
                Some(value) => return Ok(Some(value)),
                None if recalled.is_read => return Err(unreadable(key)),
                None => {
                    conversation.forget(key);
                    conversation.driver().refuse(key);
                }
            }
        }
        let Some(response) = conversation.driver().take_answer(key, subject)? else {
            return Ok(None);
        };
        let Some(value) = read(&response) else {
            conversation.driver().refuse(key);
            return Ok(None);
        };
        // It need not be kept before the function goes on: where it came from, it can be taken from again.
        let entry = Entry::Answer {
            question: subject.to_owned(),
            response,
            is_unread: false,
        };
        conversation.remember(key, entry);
        Ok(Some(value))
    }
}
