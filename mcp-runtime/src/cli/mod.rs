//! The command line of a server binary: serving, and looking at the tools without a client.
//!
//! Nothing here knows the rules of the protocol: commands send the requests that a client would send. What a command has to
//! say is made as text first and written in one place.

mod arguments;
mod call;
mod command;
mod converse;
mod doctor;
mod list;
mod log;
mod outcome;
mod palette;
mod person;
mod pretty;
mod prompt;
mod request;
mod serve;
mod shape;
mod show;
mod show_schema;

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::process::ExitCode;
use std::time::Duration;

use self::command::Command;
use self::outcome::{Exit, Outcome};
use self::palette::Palette;
use crate::registry::Registered;
use crate::schema::nearest;
use crate::server::{IntoServerBuilder, Server, ServerBuilder, ended, wait};
use crate::transport::stdio::{self, flush_stdout};

/// The program that a command line belongs to.
///
/// Not public API. Used by [`main!`](crate::main).
#[derive(Debug, Clone, Copy)]
#[allow(clippy::exhaustive_structs, reason = "a macro fills it in")]
pub struct Program {
    /// The name of the crate.
    pub name: &'static str,
    /// The version of the crate.
    pub version: &'static str,
    /// What the crate says of itself, or an empty string.
    pub description: &'static str,
    /// Whether a panic ends the process instead of the call alone.
    pub panic_aborts: bool,
}

/// Runs the command line of the process.
///
/// Not public API. Used by [`main!`](crate::main).
pub fn main<'a, S: IntoServerBuilder>(
    program: Program,
    server: impl FnOnce() -> S + 'a,
) -> ExitCode {
    run(program, Box::new(|| server().into_server_builder()))
}

fn run(program: Program, server: Maker<'_>) -> ExitCode {
    let streams = Streams {
        stdin: &mut BufReader::new(io::stdin()),
        talk: &mut io::stderr(),
        out: Palette::of(&io::stdout()),
        err: Palette::of(&io::stderr()),
    };
    let outcome = outcome(&program, env::args_os(), server, streams);
    log::flush();
    flush_stdout(FLUSH_TIMEOUT);
    ExitCode::from(write(outcome) as u8)
}

/// How long text that waits in a buffer of the standard library may take to be written.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(200);

/// How long the reason may take to be written why a server does not serve.
const REASON_TIMEOUT: Duration = Duration::from_secs(1);

/// Writes the texts of an outcome; returns the exit code of the process.
///
/// The locks of the standard library are left alone, as a thread of a tool may hold one for as long as it likes.
fn write(outcome: Outcome) -> Exit {
    if outcome.exit != Exit::NotServed {
        return write_unlocked(&outcome);
    }
    // Who does not read the reason must not keep the process from ending.
    let exit = outcome.exit;
    let written = ended("mcp-reason", move || {
        write_unlocked(&outcome);
    });
    wait(written, REASON_TIMEOUT);
    exit
}

fn write_unlocked(outcome: &Outcome) -> Exit {
    let written = outcome.write(&mut stdio::unlocked_stdout(), &mut stdio::unlocked_stderr());
    match written {
        Ok(()) => outcome.exit,
        Err(error) => {
            // If standard error is what failed, the exit code has to say it alone.
            let _ = writeln!(
                stdio::unlocked_stderr(),
                "error: the output cannot be written: {error}"
            );
            Exit::Failed
        }
    }
}

/// What a command may know of the process's streams.
struct Streams<'a> {
    stdin: &'a mut (dyn BufRead + Send),
    /// Where people are asked.
    talk: &'a mut (dyn Write + Send),
    out: Palette,
    err: Palette,
}

/// Carries out a command line; only serving touches the process's streams itself.
fn outcome(
    program: &Program,
    line: impl IntoIterator<Item = OsString>,
    server: Maker<'_>,
    streams: Streams<'_>,
) -> Outcome {
    let command = match command::parse(program, line) {
        Ok(command) => command,
        Err(outcome) => return outcome,
    };
    let Streams { out, err, .. } = streams;
    match command {
        Command::Serve => serve::serve(server, err),
        #[cfg(feature = "http")]
        Command::Http(line) => built(server, err, |server| serve::serve_http(server, line, err)),
        Command::List { json } => built(server, err, |server| list::list(server, json, out)),
        Command::Call { tool, given, raw } => built(server, err, |server| {
            call::call(server, &tool, &given, raw, streams)
        }),
        Command::Prompt { name, pairs, raw } => built(server, err, |server| {
            prompt::prompt(server, &name, &pairs, raw, streams)
        }),
        Command::Read { uri, raw } => built(server, err, |server| {
            prompt::read(server, &uri, raw, streams)
        }),
        Command::Schema { tool } => built(server, err, |server| {
            show_schema::schema(server, tool.as_deref())
        }),
        Command::Doctor { strict } => made(server, err, |builder| {
            doctor::doctor(program, builder, strict, out)
        }),
    }
}

/// What makes the server: the user's code, which runs once and only for commands that need it.
type Maker<'a> = Box<dyn FnOnce() -> Result<ServerBuilder, String> + 'a>;

/// Runs the user's code, and lets the log be seen unless that has set a subscriber of its own.
fn made(
    server: Maker<'_>,
    errors: Palette,
    with: impl FnOnce(ServerBuilder) -> Outcome,
) -> Outcome {
    let builder = server();
    log::install();
    match builder {
        Ok(builder) => with(builder),
        Err(error) => not_started(&error, errors),
    }
}

/// Builds the server and goes on with it, or tells everything that stands against it.
fn built(server: Maker<'_>, errors: Palette, with: impl FnOnce(&Server) -> Outcome) -> Outcome {
    made(server, errors, |builder| match builder.make(true) {
        Ok(server) => {
            let outcome = with(&server);
            let grace = server.core().options.limits.shutdown_timeout;
            server.drop_within(grace);
            outcome
        }
        Err(error) => not_started(&error, errors),
    })
}

fn not_started(error: &dyn fmt::Display, errors: Palette) -> Outcome {
    Outcome::failed(
        Exit::NotServed,
        format!("{}: {error}\n", errors.error("could not start")),
    )
}

/// A tool that is not there, with the nearest one that is.
fn unknown_tool(server: &Server, name: &str) -> Outcome {
    let registry = server.core().registry.load();
    let names = registry.sorted().map(|tool| &*tool.name);
    Outcome::usage(&if Registered::all()
        .tools
        .iter()
        .any(|entry| entry.item.name == name)
    {
        format!("`{name}` is not served by this server; `doctor` says why")
    } else {
        other_name("tool", name, names)
    })
}

/// Says that nothing has this name, with the nearest one that there is.
fn other_name<'n>(kind: &str, name: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    match nearest(name, names) {
        Some(nearest) => format!("no {kind} is called `{name}`; did you mean `{nearest}`?"),
        None => format!("no {kind} is called `{name}`; `list` shows all"),
    }
}
