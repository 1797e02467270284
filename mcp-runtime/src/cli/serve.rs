//! Serving, which is what a server does without a command.

use std::io::{self, IsTerminal, Write};

use super::outcome::{Exit, Outcome};
use super::palette::Palette;
use super::request::outside_runtimes;
use super::{Maker, built, make};
use crate::transport::{TransportError, stdio};

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
    built(make(server), errors, |server| {
        match outside_runtimes(|| stdio::serve(server.core(), wire)) {
            Ok(()) => Outcome::done(String::new()),
            Err(error) => not_served(&error, errors),
        }
    })
}

fn not_served(error: &TransportError, errors: Palette) -> Outcome {
    Outcome::failed(
        Exit::NotServed,
        format!("{}: {error}\n", errors.error("error")),
    )
}
