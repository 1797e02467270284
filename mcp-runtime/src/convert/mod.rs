//! Between Rust values and protocol values: parameters in, results out.
//!
//! What a parameter or a result *is* gets decided here, by trait, never by how a type is spelled.
//! The sentences that the compiler shows for unfit types stand here too.

mod arguments;
pub mod choices;
pub mod complete;
mod content_file;
pub mod context_param;
mod error;
mod input_required;
pub mod ladder;
mod lend;
pub mod mistaken;
pub mod output;
pub mod param;
pub mod prompt;
mod reply;
pub mod resource;
pub mod shape;
pub mod slot;
pub mod text_param;
pub mod text_slot;
mod texts;

pub use self::arguments::Rejected;
pub(crate) use self::arguments::{Rejection, fill};
pub(crate) use self::complete::Asked;
pub(crate) use self::complete::Completer;
pub use self::complete::{Completing, Completion, IntoCompletion};
pub(crate) use self::context_param::Needs;
pub use self::context_param::{Extension, FromContext, State};
pub(crate) use self::error::Failure;
pub use self::error::{MissingCapability, ToolError};
pub use self::input_required::InputRequired;
pub use self::lend::Lend;
pub use self::output::{IntoToolResult, Json, OutputSpec, ToolResult};
pub use self::param::{Fill, Param, ParamEntry, ParamKind};
pub use self::prompt::{IntoPromptResult, PromptResult};
pub use self::reply::Reply;
pub(crate) use self::reply::{ReadTarget, Written};
pub use self::resource::{IntoResourceResult, ResourceError, ResourceResult};
pub use self::text_param::{FillText, TextParam};
pub(crate) use self::texts::{Sentences, Texts, text_position};
