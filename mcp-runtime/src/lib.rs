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
//! assert_eq!(server.call_blocking("add", serde_json::json!({"a": 2, "b": 3})).text(), "5");
//! # Ok(())
//! # }
//! ```
//!
//! - **Parameters**: everything that implements [`Param`](tool::Param), which is every type with `Deserialize` and `JsonSchema`, and every
//!   [`FromContext`](tool::FromContext), among them [`State`] and [`Context`].
//! - **Results**: text, structured values, content, or a [`ToolResult`]: see [`IntoToolResult`](tool::IntoToolResult). Errors are anything that can
//!   be displayed, or a [`ToolError`].
//! - **Servers**: [`ServerBuilder`] has the options and their limits, [`Server`] the ways of calling it.
//! - **Tests**: [`Server::call_blocking`], and a [`Client`](client::Client) for functions that ask.
//! - **Profiles**: [`Profile`] chooses between the published protocol and a bare JSON-RPC contract.
//!
//! # Features
//!
//! | feature | default | gives |
//! |---|---|---|
//! | `macros` | yes | `#[mcp_tool]`, `#[mcp_prompt]`, `#[mcp_resource]`, `#[mcp_type]` |
//! | `stdio` | yes | serving over standard input and output; brings tokio |
//! | `cli` | yes | `main!`: the command line of a server; brings clap |
//! | `legacy` | yes | clients of the revisions that begin with `initialize`, over stdio and in process |
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
pub mod client;
mod clock;
mod connection;
mod convert;
mod debounce;
mod dispatch;
mod exec;
pub mod form;
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
pub mod task;
pub mod transport;
mod uri;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use self::convert::{Extension, Json, ResourceError, State, ToolError, ToolResult};
pub use self::dispatch::{Context, Limits, Notifier, Principal, Profile};
pub use self::protocol::{PROTOCOL_VERSION, SUPPORTED_VERSIONS};
pub use self::registry::{BuildError, Problem, RegisterError};
pub use self::server::{IntoServerBuilder, Server, ServerBuilder};
#[cfg(feature = "macros")]
pub use mcp_macros::{mcp_prompt, mcp_resource, mcp_tool, mcp_type};

/// Tools: parameters, results, and handlers that are registered at run time.
pub mod tool {
    pub use crate::convert::{
        Borrowed, FromContext, InputRequired, IntoToolResult, OutputSpec, Param,
    };
    pub use crate::registry::{HandlerExt, Inline, IntoHandler};
}

/// Content of results, prompts and resources.
pub mod content {
    pub use crate::protocol::{
        Annotations, AudioContent, ContentBlock, EmbeddedResource, Icon, ImageContent,
        Implementation, Meta, ResourceContents, ResourceLink, Role, TextContent, Theme,
    };
}

/// Prompts: parameters, results and handlers.
pub mod prompt {
    pub use crate::convert::{IntoPromptResult, PromptResult, TextParam};
    pub use crate::protocol::{PromptArgument, PromptMessage};
    pub use crate::registry::IntoPromptHandler;
}

/// Resources: results, handlers, and how long clients may cache them.
pub mod resource {
    pub use crate::convert::{IntoResourceResult, ResourceResult};
    pub use crate::dispatch::CacheScope;
    pub use crate::registry::{IntoResourceHandler, IntoTemplateHandler};
}

/// Completion of arguments of prompts and resource templates.
pub mod completion {
    pub use crate::convert::{Completion, CompletionContext, IntoCompletion};
}

/// What a function reads, sends and asks by its [`Context`].
pub mod context {
    pub use crate::convert::MissingCapability;
    pub use crate::dispatch::{
        Amount, Answers, ElicitFuture, ElicitOutcome, Extensions, IdempotencyKey, Progress,
        StepFuture, TraceContext,
    };
    pub use crate::jsonrpc::{ErrorObject, RequestId};
    pub use crate::protocol::LoggingLevel;
}

/// Requests to the client's language model, and their results.
pub mod sampling {
    pub use crate::protocol::{
        CreateMessageRequest, CreateMessageResult, IncludeContext, ModelPreferences,
        SamplingContent, SamplingMessage, ToolChoice, ToolResultContent, ToolUseContent,
    };
}

/// Keys and guards of what clients carry from one round of a call to the next.
pub mod sealing {
    pub use crate::dispatch::{MemoryReplayGuard, ReplayGuard};
    pub use crate::server::SealingKeys;
}

/// Layers around calls, as [`ServerBuilder::layer`](crate::ServerBuilder::layer) takes them.
pub mod layer {
    pub use crate::dispatch::{
        BoxError, CallFuture, CallKind, CallRequest, CallResponse, CallService,
    };
}

/// Streamable HTTP: options, and the service for routers.
#[cfg(feature = "http")]
pub mod http {
    pub use crate::transport::http::{HttpBody, HttpOptions, HttpService, PeerAddress};
}

/// What a file of tools needs.
pub mod prelude {
    pub use crate::client::Capability;
    pub use crate::completion::{Completion, CompletionContext};
    pub use crate::content::{ContentBlock, ResourceContents};
    pub use crate::context::{ElicitOutcome, IdempotencyKey};
    pub use crate::form::ElicitForm;
    pub use crate::prompt::{IntoPromptResult, PromptMessage, PromptResult};
    pub use crate::resource::{IntoResourceResult, ResourceResult};
    pub use crate::tool::{FromContext, HandlerExt, InputRequired, IntoToolResult};
    pub use crate::{
        BuildError, Context, Extension, Json, ResourceError, Server, ServerBuilder, State,
        ToolError, ToolResult,
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
