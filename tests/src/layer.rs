//! A layer that passes all calls through.

use mcp_runtime::{ServerBuilder, layer::CallRequest};
use tower::util::MapRequestLayer;

/// The variable of the environment that has the servers of the tests wrap the layer around their calls.
pub const VARIABLE: &str = "MCP_TESTS_LAYER";

/// Wraps the layer around the calls of a server.
pub fn layered(builder: ServerBuilder) -> ServerBuilder {
    builder.layer(MapRequestLayer::new(|call: CallRequest| call))
}

/// The same where the environment says so.
pub fn layered_by_environment(builder: ServerBuilder) -> ServerBuilder {
    match std::env::var_os(VARIABLE) {
        Some(_) => layered(builder),
        None => builder,
    }
}
