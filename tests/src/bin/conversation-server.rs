//! The server of the conversations as a program, for the transports that need one.

use std::process::ExitCode;

fn main() -> ExitCode {
    let server = mcp_tests::conversation::server();
    mcp_runtime::main!(mcp_tests::layer::layered_by_environment(server))
}
