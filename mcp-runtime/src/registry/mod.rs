//! What the server has: link-time entries and what was registered at run time, as sorted, immutable tables.
//!
//! The sole user of inventory. A change at run time makes a new table; whoever holds the old one keeps it.

mod entry;
mod error;
pub mod handler;
mod hash;
mod page;
mod prompt;
mod resource;
mod snapshot;
mod table;
mod tool;
mod write;

pub(crate) use self::entry::Registered;
pub use self::entry::{
    AnnotationsEntry, CallFn, Hints, IconEntry, ItemEntry, Location, PromptEntry, Registration,
    ResourceEntry, TaskSupport, ToolEntry,
};
pub use self::error::{BuildError, Problem, RegisterError};
pub(crate) use self::handler::{
    Handler, HandlerInput, HandlerRun, PromptInput, ResourceInput, TemplateInput,
};
pub use self::handler::{
    HandlerExt, Inline, IntoHandler, IntoPromptHandler, IntoResourceHandler, IntoTemplateHandler,
};
pub(crate) use self::page::PageError;
pub(crate) use self::prompt::{Prompt, PromptSource};
pub(crate) use self::resource::{Resource, ResourceSource};
pub(crate) use self::snapshot::{Listing, Registry};
pub(crate) use self::tool::{Callee, Tool, ToolInput};
