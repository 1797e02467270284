//! The server that the tests and the official clients drive; it is no example of anything.
//!
//! With a command it is a server like others, and has the library and its counter, too. Otherwise it serves over its standard
//! streams: `--contract` chooses the contract profile; `--limit=N` bounds the calls in flight, `--call-time=MS` their time,
//! `--message-size=N` the bytes of a message, `--call-memory=N` those of all calls, `--grace=MS` the time after the end of input, `--streams=N` the streams of
//! `subscriptions/listen`; `--resource` adds a resource, and `--more` the group `more`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "what tools print is one of the things that are tested, and stderr tells the tests what happened"
)]

mod asking;
mod library;
mod more;
mod rendezvous;
mod tool;

use std::env;
use std::process::ExitCode;
use std::time::Duration;

use mcp_runtime::{Profile, ResourceError, ServerBuilder};

fn main() -> ExitCode {
    let options: Vec<String> = env::args().skip(1).collect();
    if options
        .first()
        .is_some_and(|first| !first.starts_with("--"))
    {
        return mcp_runtime::main!(mcp_runtime::server!().groups(["", "library", "asking"]));
    }
    let served = options
        .iter()
        .try_fold(mcp_runtime::server!(), |builder, option| {
            set(builder, option)
        })
        .and_then(|builder| builder.build().map_err(|error| error.to_string()))
        .and_then(|server| {
            let server = tool::SERVER.get_or_init(|| server);
            server
                .serve_stdio_blocking()
                .map_err(|error| error.to_string())
        });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn set(builder: ServerBuilder, option: &str) -> Result<ServerBuilder, String> {
    let (name, value) = option.split_once('=').unwrap_or((option, "0"));
    let value = value
        .parse()
        .map_err(|_| format!("{name} takes a number"))?;
    let millis = Duration::from_millis(value);
    let count = usize::try_from(value).unwrap_or(usize::MAX);
    match name {
        "--contract" => Ok(builder.profile(Profile::Contract)),
        "--limit" => Ok(builder.max_calls_in_flight(count)),
        "--message-size" => Ok(builder.max_message_size(count)),
        "--call-memory" => Ok(builder.max_call_memory(count)),
        "--call-time" => Ok(builder.call_timeout(millis)),
        "--grace" => Ok(builder.shutdown_timeout(millis)),
        "--streams" => Ok(builder.max_listen_streams(count)),
        "--more" => Ok(builder.groups(["", "more"])),
        "--resource" => Ok(builder.register_resource(
            "test://0",
            "zero",
            "A resource.",
            |_: String| Ok::<_, ResourceError>("0"),
        )),
        _ => Err(format!("unknown option {name}")),
    }
}
