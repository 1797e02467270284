//! Macros that stand in the user's crate because they need its name, its tests or its dependencies.

/// Runs a server as a command line program; the value is the [`ExitCode`](std::process::ExitCode) for `main`.
///
/// The argument is a [`ServerBuilder`](crate::ServerBuilder); without one it is [`server!()`](crate::server).
/// It is evaluated only when a command needs it, so `--help` opens no database.
///
/// ```no_run
/// use mcp_runtime::prelude::*;
///
/// /// Add two integers.
/// #[mcp_tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// fn server() -> ServerBuilder {
///     mcp_runtime::server!().instructions("Adds.")
/// }
///
/// fn main() -> std::process::ExitCode {
///     mcp_runtime::main!(server())
/// }
/// ```
///
/// A server without options needs no argument:
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     mcp_runtime::main!()
/// }
/// ```
///
/// | command | what it does |
/// |---|---|
/// | none, or `stdio` | serves over standard input and output |
/// | `http` | with the feature `http`, serves Streamable HTTP at `--addr` (`127.0.0.1:8000`) and `--path` (`/mcp`) |
/// | `list` | lists the tools, prompts and resources; `--json` prints them as clients get them |
/// | `call add a=2 b=3` | calls a tool through the whole pipeline; `--raw` prints the response |
/// | `prompt NAME id=7` | gets a prompt; `--raw` prints the response |
/// | `read URI` | reads a resource; `--raw` prints the response |
/// | `schema add` | shows the input and output schema of a tool; without a name, of all |
/// | `doctor` | reports what is registered and from where, what is wrong, and what some hosts do not accept |
/// | `--help`, `--version` | says more, with the lines for a host's configuration |
///
/// # Arguments of a call
///
/// A value is read as the tool's schema wants it: numbers, booleans and `null` where they may stand, JSON for objects and
/// arrays, and a string as it is. Parts of objects and arrays are named: `user.name=Ada`, `tags[]=a tags[]=b` or
/// `tags=a tags=b`. `--json '{"a": 2}'` gives all at once, and `--json -` or a lone `-` reads them from standard input:
///
/// ```text
/// $ calculator call add a=2 b=3
/// 5
/// $ echo '{"a": 2, "b": 3}' | calculator call add -
/// 5
/// $ calculator call ad a=2
/// error: no tool is called `ad`; did you mean `add`?
/// ```
///
/// Images and sound are shown as one line with their type and size.
///
/// # Exit codes
///
/// | code | meaning |
/// |---|---|
/// | 0 | done |
/// | 1 | the call failed (an error, or a result with `isError`), or `doctor` found something wrong |
/// | 2 | the command line is wrong: an unknown command, tool or option, or an argument that is not `name=value` |
/// | 3 | the server could not start, or could not go on serving |
///
/// # Log and colours
///
/// If no `tracing` subscriber is set, one is set that writes to standard error; `MCP_LOG` chooses the level
/// (`off`, `error`, `warn`, `info`, `debug`, `trace`), which is `warn` unless set.
/// Colours appear only on terminals, and not if `NO_COLOR` is set.
#[cfg(feature = "cli")]
#[macro_export]
macro_rules! main {
    () => {
        $crate::main!($crate::server!())
    };
    ($server:expr $(,)?) => {
        $crate::__private::run_command_line(
            $crate::__private::Program {
                name: ::core::env!("CARGO_PKG_NAME"),
                version: ::core::env!("CARGO_PKG_VERSION"),
                description: ::core::env!("CARGO_PKG_DESCRIPTION"),
                // The crate of the binary decides how the whole program panics.
                panic_aborts: ::core::cfg!(panic = "abort"),
            },
            || $server,
        )
    };
}

/// The command line of a server is left out of this build.
#[cfg(not(feature = "cli"))]
#[macro_export]
macro_rules! main {
    ($($server:tt)*) => {
        ::core::compile_error!(
            "`main!` needs the feature `cli` of mcp-runtime: write \
             `mcp-runtime = { version = \"0.1\", features = [\"cli\"] }`, or call `serve_stdio_blocking` yourself"
        )
    };
}

/// Makes a test that fails with everything that is wrong with a server.
///
/// It looks at all tools that are linked into the test program, makes their schemas, and reports equal names, missing states,
/// unusable schemas and what else [`build`](crate::ServerBuilder::build) refuses: the same that the command `doctor` reports
/// as errors. Put it into `main.rs` or `lib.rs`, once for each server; without an argument it checks
/// [`server!()`](crate::server).
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// fn server() -> ServerBuilder {
///     mcp_runtime::server!()
/// }
///
/// fn admin() -> ServerBuilder {
///     mcp_runtime::server!().groups(["admin"])
/// }
///
/// #[cfg(test)]
/// mcp_runtime::check!(server(), admin());
/// ```
///
/// The test is called `mcp_check`.
#[macro_export]
macro_rules! check {
    () => {
        $crate::check!($crate::server!());
    };
    ($($server:expr),+ $(,)?) => {
        // By its path, for crates without the prelude.
        #[::core::prelude::v1::test]
        fn mcp_check() {
            $($crate::__private::check($server);)+
        }
    };
}

/// Links crates whose tools are to be served.
///
/// The linker leaves out a crate that no code names, and its tools vanish without a word.
/// The names are those in `Cargo.toml`, with `_` for `-`. Linking a crate that is linked anyway does no harm.
///
/// Two versions of one library are two dependencies with names of their own, such as `my_tools` and
/// `old_tools = { package = "my-tools", version = "1" }`; to [`exclude`](crate::ServerBuilder::exclude) and
/// [`rename`](crate::ServerBuilder::rename) their functions are `my_tools@2.0.0::search` and `my_tools@1.4.2::search`.
///
/// ```
/// // In a program these are the crates of your tools.
/// mcp_runtime::link!(serde, serde_json);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! link {
    ($($name:ident),+ $(,)?) => {
        $(
            // An `extern crate` means the dependency even where a module has its name. Loading a crate is enough: the
            // compiler then hands its `#[used]` statics, which the entries are, to the linker.
            extern crate $name as _;
        )+
    };
    ($($other:tt)*) => {
        ::core::compile_error!(
            "`link!` takes the names of dependencies as Rust code spells them, with `_` for `-`: \
             `mcp_runtime::link!(my_tools, other_tools);`; two versions of one library are two dependencies, such as \
             `old_tools = { package = \"my-tools\", version = \"1\" }`"
        );
    };
}
