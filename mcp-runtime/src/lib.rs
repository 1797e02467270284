//! Serve annotated Rust functions to AI models over the [Model Context Protocol], revision 2026-07-28.
//!
//! [`#[mcp_tool]`](mcp_tool) on a function makes it a tool, [`#[mcp_prompt]`](mcp_prompt) a prompt and
//! [`#[mcp_resource]`](mcp_resource) a resource; [`main!`] makes a server of all tools that are linked into
//! the program; [`check!`] tests them. That is all there is to begin with:
//!
//! ```standalone_crate
//! use mcp_runtime::prelude::*;
//!
//! /// Add two integers.
//! #[mcp_tool(read_only, inline)]
//! fn add(
//!     /// First addend.
//!     a: i64,
//!     /// Second addend.
//!     b: i64,
//! ) -> i64 {
//!     a + b
//! }
//!
//! fn server() -> ServerBuilder {
//!     mcp_runtime::server!().instructions("For sums.")
//! }
//!
//! # fn main() -> Result<(), BuildError> {
//! // `fn main() -> std::process::ExitCode { mcp_runtime::main!(server()) }` would serve it; a test calls it in process:
//! let server = server().build()?;
//! assert_eq!(server.call("add", serde_json::json!({"a": 2, "b": 3})).text(), "5");
//! # Ok(())
//! # }
//! ```
//!
//! - **Parameters**: everything that implements [`Param`], which is every type with `Deserialize` and `JsonSchema`, and every
//!   [`FromContext`], among them [`State`] and [`Context`].
//! - **Results**: text, structured values, content, or a [`ToolResult`]: see [`IntoToolResult`]. Errors are anything that can
//!   be displayed, or a [`ToolError`].
//! - **Servers**: [`ServerBuilder`] has the options and their limits, [`Server`] the ways of calling it.
//! - **Tests**: [`Server::call`], and a [`Client`] for functions that ask.
//! - **Profiles**: [`Profile`] chooses between the published protocol and a bare JSON-RPC contract.
//!
//! # Features
//!
//! | feature | default | gives |
//! |---|---|---|
//! | `macros` | yes | `#[mcp_tool]`, `#[mcp_prompt]`, `#[mcp_resource]`, `#[mcp_type]` |
//! | `stdio` | yes | serving over standard input and output; brings tokio |
//! | `cli` | yes | `main!`: the command line of a server; brings clap |
//! | `http` | no | Streamable HTTP: a tower service, and a server that is ready to run; brings tokio and hyper |
//! | `sqlite` | no | tasks that survive their process, in one SQLite file; brings rusqlite with SQLite itself |
//! | `full-schema` | no | every keyword of JSON Schema 2020-12 in schemas given by hand, which are then published exactly as given; brings jsonschema |
//!
//! Without any of them the crate has no async runtime and does no I/O.
//!
//! [Model Context Protocol]: https://modelcontextprotocol.io
#![cfg_attr(
    not(feature = "stdio"),
    allow(
        dead_code,
        unused_imports,
        reason = "the core keeps what only a transport asks of it"
    )
)]

mod bound;
#[cfg(feature = "cli")]
mod cli;
mod client;
mod clock;
mod connection;
mod convert;
mod debounce;
mod dispatch;
mod exec;
mod form;
mod json;
mod jsonrpc;
#[cfg(feature = "legacy")]
mod legacy;
mod macros;
mod panic;
mod protocol;
mod refusal_log;
mod registry;
mod schema;
mod server;
mod task;
mod transport;
mod uri;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use self::client::{Client, ClientError, Subscription};
pub use self::convert::{
    Borrowed, Completion, CompletionContext, Extension, FromContext, InputRequired, IntoCompletion,
    IntoPromptResult, IntoResourceResult, IntoToolResult, Json, MissingCapability, OutputSpec,
    Param, PromptResult, ResourceError, ResourceResult, State, TextParam, ToolError, ToolResult,
};
pub use self::dispatch::{
    Amount, Answers, BoxError, CacheScope, CallFuture, CallKind, CallRequest, CallResponse,
    CallService, Context, ElicitFuture, ElicitOutcome, Extensions, IdempotencyKey, Limits,
    MemoryReplayGuard, Notifier, Principal, Profile, Progress, ReplayGuard, StepFuture,
    TraceContext,
};
pub use self::form::{ElicitForm, FormFault};
pub use self::jsonrpc::{ErrorObject, RequestId};
pub use self::protocol::{
    Annotations, AudioContent, Capability, ContentBlock, CreateMessageRequest, CreateMessageResult,
    EmbeddedResource, Icon, ImageContent, Implementation, IncludeContext, LoggingLevel, Meta,
    ModelPreferences, PROTOCOL_VERSION, PromptArgument, PromptMessage, ResourceContents,
    ResourceLink, Role, Root, SUPPORTED_VERSIONS, SamplingContent, SamplingMessage, TextContent,
    Theme, ToolChoice, ToolResultContent, ToolUseContent,
};
pub use self::registry::{
    BuildError, HandlerExt, Inline, IntoHandler, IntoPromptHandler, IntoResourceHandler,
    IntoTemplateHandler, Problem, RegisterError,
};
pub use self::server::{
    CallOutcome, IntoServerBuilder, RecordedRequest, SealingKeys, Server, ServerBuilder,
};
#[cfg(feature = "sqlite")]
pub use self::task::SqliteTaskStore;
pub use self::task::{
    LeaseOwner, MemoryTaskStore, NotATaskId, StoreFuture, StoredTask, TaskFuture, TaskId,
    TaskLease, TaskQuota, TaskSpawner, TaskStore, TaskStoreError,
};
#[cfg(feature = "http")]
pub use self::transport::http::{HttpBody, HttpOptions, HttpService, PeerAddress};
pub use self::transport::memory::Connection;
pub use self::transport::{TransportError, TransportErrorKind};
#[cfg(feature = "macros")]
pub use mcp_macros::{ElicitForm, mcp_prompt, mcp_resource, mcp_tool, mcp_type};

/// What a file of tools needs.
pub mod prelude {
    pub use crate::{
        BuildError, Capability, Completion, CompletionContext, ContentBlock, Context, ElicitForm,
        ElicitOutcome, FromContext, HandlerExt, IdempotencyKey, InputRequired, IntoPromptResult,
        IntoResourceResult, IntoToolResult, Json, PromptMessage, PromptResult, ResourceContents,
        ResourceError, ResourceResult, Server, ServerBuilder, State, ToolError, ToolResult,
    };
    #[cfg(feature = "macros")]
    pub use crate::{mcp_prompt, mcp_resource, mcp_tool, mcp_type};
}

/// Begins a server with the name and version of the crate that it stands in.
#[macro_export]
macro_rules! server {
    () => {
        $crate::ServerBuilder::new(
            ::core::env!("CARGO_PKG_NAME"),
            ::core::env!("CARGO_PKG_VERSION"),
        )
    };
}
