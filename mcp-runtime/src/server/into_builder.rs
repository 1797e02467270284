//! What `main!` and `check!` take for a server.

use std::fmt;

use super::ServerBuilder;

/// A server that can be begun: a [`ServerBuilder`], or a `Result` of one whose error can be shown.
///
/// It lets the function that makes the server fail, where a file or a database cannot be opened:
///
/// ```no_run
/// use mcp_runtime::prelude::*;
///
/// struct Rules(String);
///
/// fn server() -> Result<ServerBuilder, std::io::Error> {
///     let rules = std::fs::read_to_string("rules.txt")?;
///     Ok(mcp_runtime::server!().state(Rules(rules)))
/// }
///
/// fn main() -> std::process::ExitCode {
///     mcp_runtime::main!(server()) // "could not start: No such file or directory", exit code 3
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no server that can be begun",
    label = "not a server",
    note = "give a `ServerBuilder` that is not built yet, or a `Result<ServerBuilder, E>` with `E: Display`"
)]
pub trait IntoServerBuilder {
    /// The builder, or why there is none.
    #[doc(hidden)]
    fn into_server_builder(self) -> Result<ServerBuilder, String>;
}

impl IntoServerBuilder for ServerBuilder {
    fn into_server_builder(self) -> Result<ServerBuilder, String> {
        Ok(self)
    }
}

impl<E: fmt::Display> IntoServerBuilder for Result<ServerBuilder, E> {
    fn into_server_builder(self) -> Result<ServerBuilder, String> {
        // Some errors tell their causes as well, when they are asked for all.
        self.map_err(|error| format!("{error:#}"))
    }
}
