//! Serving, which is what a server does without a command.

use std::io::{self, IsTerminal, Write};

use super::outcome::{Exit, Outcome};
use super::palette::Palette;
use super::{Maker, built};
use crate::server::outside_runtimes;
use crate::transport::{TransportError, stdio};
#[cfg(feature = "http")]
use {super::command::HttpLine, crate::http::HttpOptions, crate::server::Server};

/// What a person at a terminal is told, who sees nothing happen otherwise.
const HINT: &str = "serving over standard input and output, one JSON-RPC message a line; \
     the end of input ends it, and `--help` lists other commands";

/// Serves until the client ends it.
///
/// The streams are taken before the server is made, since what that prints must not get among the messages.
pub(super) fn serve(server: Maker<'_>, errors: Palette) -> Outcome {
    if io::stdin().is_terminal() {
        // A hint that cannot be written is missed by nobody.
        let _ = writeln!(io::stderr(), "{}", errors.faint(HINT));
    }
    let wire = match stdio::claim() {
        Ok(wire) => wire,
        Err(error) => return not_served(&error, errors),
    };
    built(server, errors, |server| {
        match outside_runtimes(|| stdio::serve(server, wire)) {
            Ok(()) => Outcome::done(String::new()),
            Err(error) => not_served(&error, errors),
        }
    })
}

/// Serves over HTTP until a signal ends it.
#[cfg(feature = "http")]
pub(super) fn serve_http(server: &Server, line: HttpLine, errors: Palette) -> Outcome {
    let mut options = HttpOptions::new().path(line.path.clone());
    for host in line.hosts {
        options = options.allow_host(host);
    }
    for origin in line.origins {
        options = options.allow_origin(origin);
    }
    let tell = |address| {
        let hint = format!("serving on http://{address}{}", line.path);
        // As above.
        let _ = writeln!(io::stderr(), "{}", errors.faint(&hint));
    };
    match outside_runtimes(|| server.serve_http_telling(line.address, options, tell)) {
        Ok(()) => Outcome::done(String::new()),
        Err(error) => not_served(&error, errors),
    }
}

fn not_served(error: &TransportError, errors: Palette) -> Outcome {
    Outcome::failed(
        Exit::NotServed,
        format!("{}: {error}\n", errors.error("error")),
    )
}
