//! Serving, which is what a server does without a command.

use std::io::{self, IsTerminal, Write};

use super::outcome::{Exit, Outcome};
use super::palette::Palette;
use super::request::outside_runtimes;
use crate::server::Server;

/// What a person at a terminal is told, who sees nothing happen otherwise.
const HINT: &str = "serving over standard input and output, one JSON-RPC message a line; \
     the end of input ends it, and `--help` lists other commands";

/// Serves until the client ends it.
pub(super) fn serve(server: &Server, errors: Palette) -> Outcome {
    if io::stdin().is_terminal() {
        // A hint that cannot be written is missed by nobody.
        let _ = writeln!(io::stderr(), "{}", errors.faint(HINT));
    }
    match outside_runtimes(|| server.serve_stdio()) {
        Ok(()) => Outcome::done(String::new()),
        Err(error) => Outcome::failed(
            Exit::NotServed,
            format!("{}: {error}\n", errors.error("error")),
        ),
    }
}
