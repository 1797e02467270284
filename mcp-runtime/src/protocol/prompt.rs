//! Messages of prompts (server/prompts, "PromptMessage").

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceLink, Role, TextContent,
};

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptMessage {
    /// Who says it.
    pub role: Role,
    /// What is said: one block.
    pub content: ContentBlock,
}

impl PromptMessage {
    /// A message of any content.
    pub fn new(role: Role, content: impl Into<ContentBlock>) -> Self {
        Self {
            role,
            content: content.into(),
        }
    }

    /// A text of the user's.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, TextContent::new(text))
    }

    /// A text of the model's.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, TextContent::new(text))
    }
}

macro_rules! texts {
    ($($Text:ty),*) => { $(
        impl From<$Text> for PromptMessage {
            fn from(text: $Text) -> Self {
                Self::user(&*text)
            }
        }
    )* };
}
texts!(&str, String, Cow<'_, str>, Box<str>, Arc<str>);

macro_rules! contents {
    ($($Content:ty),*) => { $(
        impl From<$Content> for PromptMessage {
            fn from(content: $Content) -> Self {
                Self::new(Role::User, content)
            }
        }
    )* };
}
contents!(
    ContentBlock,
    TextContent,
    ImageContent,
    AudioContent,
    ResourceLink,
    EmbeddedResource
);

/// An argument of a prompt that is registered at run time (server/prompts, "Prompt").
///
/// ```
/// use mcp_runtime::prompt::PromptArgument;
///
/// let arguments = [
///     PromptArgument::required("text", "What to review."),
///     PromptArgument::optional("tone", "How to put it."),
/// ];
/// assert!(arguments[0].required && !arguments[1].required);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptArgument {
    /// The name.
    pub name: String,
    /// What it is for; empty if nothing is to be said.
    pub description: String,
    /// A request without it is refused.
    pub required: bool,
}

impl PromptArgument {
    /// An argument that must be given.
    pub fn required(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            required: true,
        }
    }

    /// An argument that may be left out.
    pub fn optional(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            required: false,
            ..Self::required(name, description)
        }
    }
}
