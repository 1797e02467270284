//! Between Rust values and protocol values: parameters in, results out.
//!
//! What a parameter or a result *is* gets decided here, by trait, never by how a type is spelled.
//! The sentences that the compiler shows for unfit types stand here too.

mod arguments;
pub mod autoref;
mod borrowed;
pub mod choices;
pub mod complete;
mod content_file;
pub mod context_param;
mod error;
mod input_required;
pub mod misuse;
pub mod output;
pub mod param;
pub mod prompt;
mod reply;
pub mod resource;
pub mod shape;
pub mod slot;
mod string_args;
pub mod text_param;
pub mod text_slot;

pub use self::arguments::Rejected;
pub(crate) use self::arguments::{Rejection, fill};
pub use self::borrowed::Borrowed;
pub(crate) use self::complete::Completer;
pub(crate) use self::complete::CompletionRequest;
pub use self::complete::{Completion, CompletionContext, IntoCompletion};
pub(crate) use self::context_param::Needs;
pub use self::context_param::{Extension, FromContext, State};
pub(crate) use self::error::Failure;
pub use self::error::{MissingCapability, ToolError};
pub use self::input_required::InputRequired;
pub use self::output::{IntoToolResult, Json, OutputSpec, ToolResult};
pub use self::param::{Fill, Param, ParamEntry, ParamKind};
pub use self::prompt::{IntoPromptResult, PromptResult};
pub use self::reply::Reply;
pub(crate) use self::reply::{ReadTarget, Written};
pub use self::resource::{IntoResourceResult, ResourceError, ResourceResult};
pub(crate) use self::string_args::{Sentences, Texts, text_position};
pub use self::text_param::{FillText, TextParam};
