//! What the server has: link-time entries and tools registered at run time, as one sorted, immutable table.
//!
//! The sole user of inventory. A change at run time makes a new table; whoever holds the old one keeps it.

mod entry;
mod error;
pub mod handler;
mod hash;
mod page;
mod prompt;
mod resource;
mod table;
mod tool;
mod write;

pub(crate) use self::entry::Registered;
pub use self::entry::{
    AnnotationsEntry, CallFn, Hints, IconEntry, ItemEntry, Location, PromptEntry, Registration,
    ResourceEntry, ToolEntry,
};
pub use self::error::{BuildError, Problem, RegisterError};
pub use self::handler::IntoHandler;
pub(crate) use self::handler::{Handler, HandlerInput, HandlerRun};
pub(crate) use self::page::PageError;
pub(crate) use self::prompt::Prompt;
pub(crate) use self::resource::Resource;
pub(crate) use self::table::{Listing, Registry};
pub(crate) use self::tool::{Callee, Tool};
