//! The server of the tools that do what a function may do where it runs, and what it may not.

use std::process::ExitCode;

mcp_runtime::link!(mcp_tests);

fn main() -> ExitCode {
    let server = mcp_runtime::server!().groups(["execution"]);
    mcp_runtime::main!(mcp_tests::layer::layered_by_environment(server))
}
