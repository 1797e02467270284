//! Serve annotated Rust functions to AI models over the Model Context Protocol, revision 2026-07-28.

#[cfg(feature = "cli")]
mod cli;
mod convert;
mod dispatch;
mod json;
mod jsonrpc;
mod macros;
mod protocol;
mod registry;
mod schema;
mod server;
mod transport;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use self::convert::{
    FromContext, InputRequired, IntoToolResult, Json, Lend, OutputSpec, Param, State, ToolError,
    ToolResult,
};
pub use self::dispatch::{CacheScope, Context, Limits, Profile};
pub use self::jsonrpc::{ErrorObject, RequestId};
pub use self::protocol::{
    Annotations, AudioContent, ContentBlock, EmbeddedResource, Icon, ImageContent, Implementation,
    Meta, PROTOCOL_VERSION, ResourceContents, ResourceLink, Role, SUPPORTED_VERSIONS, TextContent,
    Theme,
};
pub use self::registry::{BuildError, IntoHandler, Problem, RegisterError};
pub use self::server::{CallOutcome, Server, ServerBuilder};
pub use self::transport::TransportError;
#[cfg(feature = "macros")]
pub use mcp_macros::{mcp_tool, mcp_type};

/// What a file of tools needs.
pub mod prelude {
    pub use crate::{
        BuildError, ContentBlock, Context, FromContext, InputRequired, IntoToolResult, Json,
        Server, ServerBuilder, State, ToolError, ToolResult,
    };
    #[cfg(feature = "macros")]
    pub use crate::{mcp_tool, mcp_type};
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
