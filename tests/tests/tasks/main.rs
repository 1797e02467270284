//! Tasks as clients see them: in a file that several processes share, or whose process is killed or blocked.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    clippy::print_stdout,
    reason = "a test ends where something is not as it should be, says by which seed, and writes JSON in place"
)]

mod block;
mod client;
#[cfg(unix)]
mod drain;
mod kill;
mod listening;
mod options;
mod races;
#[cfg(unix)]
mod replaced;
mod together;
