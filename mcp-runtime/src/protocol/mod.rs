//! The wire types of MCP revision 2026-07-28, one file for each page of the specification.
//!
//! Serde only: nothing here looks anything up, does I/O or waits.

mod capability;
mod client_capability;
mod content;
mod discover;
pub(crate) mod error;
mod implementation;
mod input;
mod logging;
mod meta;
mod method;
pub(crate) mod notification;
mod params;
mod prompt;
mod revision;
mod sampling;
mod session;
mod tool;

pub(crate) use self::capability::{Offer, ServerCapabilities};
pub use self::client_capability::Capability;
pub use self::content::{
    Annotations, AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceContents,
    ResourceLink, Role, TextContent,
};
pub(crate) use self::discover::DiscoverResult;
pub use self::implementation::{Icon, Implementation, Theme};
pub use self::input::Root;
pub(crate) use self::input::{ElicitAction, ElicitResult, InputRequest, ListRootsResult};
pub use self::logging::LoggingLevel;
pub use self::meta::Meta;
pub(crate) use self::meta::{RequestMeta, key};
pub(crate) use self::method::{Feature, Method, TASKS_EXTENSION};
pub(crate) use self::params::Params;
pub use self::prompt::{PromptArgument, PromptMessage};
pub(crate) use self::revision::{Revision, StructuredContent};
pub use self::sampling::{
    CreateMessageRequest, CreateMessageResult, IncludeContext, ModelPreferences, SamplingContent,
    SamplingMessage, ToolChoice, ToolResultContent, ToolUseContent,
};
pub(crate) use self::session::Session;
pub(crate) use self::tool::ToolAnnotations;

/// The revision of the protocol that is spoken here.
pub const PROTOCOL_VERSION: &str = "2026-07-28";

/// All revisions that are served, newest first.
pub const SUPPORTED_VERSIONS: &[&str] = &[PROTOCOL_VERSION];
