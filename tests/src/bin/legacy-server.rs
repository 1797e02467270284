//! The server for clients of older revisions as a program.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcp_runtime::main!(mcp_tests::legacy::server())
}
