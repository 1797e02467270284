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
