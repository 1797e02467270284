//! The server of the conversations as a program, for the transports that need one.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcp_runtime::main!(mcp_tests::conversation::server())
}
