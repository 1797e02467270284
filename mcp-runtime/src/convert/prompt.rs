//! What a prompt may return: a text, a message, several, or a result under its full control.

use std::borrow::Cow;
use std::sync::Arc;

use super::Reply;
use crate::protocol::{
    AudioContent, ContentBlock, EmbeddedResource, ImageContent, Meta, PromptMessage, ResourceLink,
    TextContent,
};

/// A type that a prompt can return.
///
/// Texts and content blocks become one message of the user; a [`PromptMessage`] is taken as it is, and `Vec`s and arrays of
/// all of these become messages in their order. A `Result` of one fails the request with the error's text.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// /// Have a text reviewed.
/// #[mcp_prompt]
/// fn review(text: &str) -> Vec<PromptMessage> {
///     vec![
///         PromptMessage::user(format!("Review this: {text}")),
///         PromptMessage::assistant("I will look at spelling first."),
///     ]
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a prompt",
    label = "neither text, nor a message, nor several",
    note = "return a `String`, a `PromptMessage`, a `Vec<PromptMessage>`, or a `Result` of one of them",
    note = "a type that becomes messages in its own way implements `IntoPromptResult`"
)]
pub trait IntoPromptResult: Sized {
    /// Turns the value into a result.
    fn into_prompt_result(self) -> PromptResult;
}

/// A result under full control of the prompt.
///
/// ```
/// use mcp_runtime::prompt::PromptResult;
///
/// let result = PromptResult::new(["Hello!"]).description("A greeting");
/// assert_eq!(result.messages.len(), 1);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct PromptResult {
    /// What it is, instead of the prompt's own description.
    pub description: Option<String>,
    /// The messages, in order.
    pub messages: Vec<PromptMessage>,
    /// Metadata of the result.
    pub meta: Option<Meta>,
}

impl PromptResult {
    /// A result of messages.
    pub fn new<M: Into<PromptMessage>>(messages: impl IntoIterator<Item = M>) -> Self {
        Self {
            messages: messages.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// Says what it is.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Adds metadata of your own to the result.
    #[must_use]
    pub fn with_meta(mut self, meta: Meta) -> Self {
        self.meta = Some(meta);
        self
    }
}

/// Writes what a prompt returned.
pub fn write_prompt<T: IntoPromptResult>(reply: &mut Reply, returned: T) {
    reply.messages(returned.into_prompt_result());
}

impl IntoPromptResult for PromptResult {
    fn into_prompt_result(self) -> PromptResult {
        self
    }
}

impl<M: Into<PromptMessage>> IntoPromptResult for Vec<M> {
    fn into_prompt_result(self) -> PromptResult {
        PromptResult::new(self)
    }
}

impl<M: Into<PromptMessage>, const N: usize> IntoPromptResult for [M; N] {
    fn into_prompt_result(self) -> PromptResult {
        PromptResult::new(self)
    }
}

macro_rules! single_messages {
    ($($Message:ty),*) => { $(
        impl IntoPromptResult for $Message {
            fn into_prompt_result(self) -> PromptResult {
                PromptResult::new([self])
            }
        }
    )* };
}
single_messages!(
    PromptMessage,
    String,
    &str,
    Cow<'_, str>,
    Box<str>,
    Arc<str>,
    ContentBlock,
    TextContent,
    ImageContent,
    AudioContent,
    ResourceLink,
    EmbeddedResource
);
