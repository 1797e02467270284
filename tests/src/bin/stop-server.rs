//! A server that is watched while it ends, with the command line of `main!`; what happens on its way out is told on
//! standard error.
//!
//! The environment sets what differs: `STUCK_DROP` makes a state whose drop never returns, `STUCK_HOOK` a shutdown hook
//! that never returns, `LIMITS` narrow limits, and `TOKIO` a runtime within which the command line runs.
#![allow(
    clippy::needless_pass_by_value,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "what tools print is one of the things that are tested, stderr tells the tests what happened, and \
              parameters are passed by value"
)]

use std::env;
use std::io;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use mcp_runtime::prelude::*;

/// Whether a tool holds what it was asked to hold.
static IS_HELD: AtomicBool = AtomicBool::new(false);

fn never_return() -> ! {
    loop {
        thread::park();
    }
}

/// A state that tells when it is dropped.
struct Told(&'static str);

impl Drop for Told {
    fn drop(&mut self) {
        eprintln!("dropped {}", self.0);
    }
}

/// A state that a tool holds while the server ends.
struct Held(#[allow(dead_code, reason = "its drop is what counts")] Told);

/// A state that no tool holds.
struct Free(Told);

/// A state whose drop never returns.
struct Stuck;

impl Drop for Stuck {
    fn drop(&mut self) {
        never_return()
    }
}

/// Add two integers.
#[mcp_tool(read_only)]
fn add(
    /// First addend.
    a: i64,
    /// Second addend.
    b: i64,
    free: State<Free>,
) -> i64 {
    let Told(_) = &free.0;
    a + b
}

fn hold_now(what: &str) {
    match what {
        "stdout" => {
            let _held = io::stdout().lock();
            IS_HELD.store(true, Ordering::Release);
            never_return()
        }
        "stderr" => {
            let _held = io::stderr().lock();
            IS_HELD.store(true, Ordering::Release);
            never_return()
        }
        "stdin" => {
            let _held = io::stdin().lock();
            IS_HELD.store(true, Ordering::Release);
            never_return()
        }
        // Text that waits for its newline is flushed when the process ends.
        "full stderr" => {
            print!("no newline");
            IS_HELD.store(true, Ordering::Release);
            loop {
                eprintln!("{}", "x".repeat(1 << 10));
            }
        }
        _ => {
            IS_HELD.store(true, Ordering::Release);
            never_return()
        }
    }
}

/// Hold a standard stream and a state, and never return.
#[mcp_tool]
fn hold(what: String, _held: State<Held>) {
    hold_now(&what);
}

/// Hold a standard stream in a thread, and return.
#[mcp_tool]
fn hold_in_thread(what: String) {
    thread::spawn(move || hold_now(&what));
}

/// Tell whether something is held.
#[mcp_tool]
fn is_held() -> bool {
    IS_HELD.load(Ordering::Acquire)
}

/// Print lines to both standard streams.
#[mcp_tool]
fn print_lines(lines: u32) -> u32 {
    for line in 0..lines {
        println!("line {line}");
        eprintln!("error line {line}");
    }
    lines
}

/// Wait without end.
#[mcp_tool(timeout = "50ms")]
async fn wait_without_end() {
    std::future::pending().await
}

/// Spawn a task from a plain function, and wait for it.
#[mcp_tool]
fn spawn_from_plain() -> Result<&'static str, ToolError> {
    let spawned = tokio::spawn(async { "spawned" });
    let current = tokio::runtime::Handle::current();
    Ok(current.block_on(spawned)?)
}

/// Block the thread of an async function.
#[mcp_tool]
async fn block_async(ms: u64) -> u64 {
    thread::sleep(Duration::from_millis(ms));
    ms
}

fn main() -> ExitCode {
    let is_set = |name| env::var_os(name).is_some();
    let mut server = mcp_runtime::server!()
        .state(Held(Told("held")))
        .state(Free(Told("free")))
        .on_shutdown(|| eprintln!("hook ran"))
        .on_shutdown(|| panic!("a hook that panics"))
        .on_shutdown(|| eprintln!("last hook ran"));
    if is_set("STUCK_DROP") {
        server = server
            .state(Stuck)
            .shutdown_timeout(Duration::from_millis(100));
    }
    if is_set("STUCK_HOOK") {
        server = server
            .on_shutdown(|| never_return())
            .shutdown_timeout(Duration::from_millis(100));
    }
    if is_set("LIMITS") {
        server = server
            .max_calls_in_flight(1)
            .max_listen_streams(0)
            .max_message_size(2_000);
    }
    if is_set("TOKIO") {
        let Ok(runtime) = tokio::runtime::Runtime::new() else {
            return ExitCode::FAILURE;
        };
        return runtime.block_on(async { mcp_runtime::main!(server) });
    }
    mcp_runtime::main!(server)
}
