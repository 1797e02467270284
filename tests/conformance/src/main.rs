//! The server under test of the official conformance suite: what the suite calls, by the names that it knows.
//!
//! ```text
//! cargo run -p conformance-server -- http --addr 127.0.0.1:8000    # the endpoint is /mcp
//! bash .ci/run conformance                                         # the suite, on a port of its own
//! ```
//!
//! It holds fixtures alone. What the protocol asks of every server is the library's, and nothing here helps it.

mod ask;
mod call;
mod content;
mod form;
mod media;
mod prompt;
mod resource;
mod schema;
mod task;

use mcp_runtime::prelude::*;

fn server() -> ServerBuilder {
    let builder = mcp_runtime::server!();
    schema::register(builder.instructions("Fixtures for a test suite; of no use to a model."))
}

fn main() -> std::process::ExitCode {
    mcp_runtime::main!(server())
}

#[cfg(test)]
mcp_runtime::check!(server());
