//! Tasks in a file, whose process is killed.
#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

mod client;
mod kill;
