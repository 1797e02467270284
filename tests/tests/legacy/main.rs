//! Clients of the revisions that begin with `initialize`, over standard streams.

#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

mod client;
mod eras;
mod lifecycle;
mod messages;
mod questions;
mod results;
mod tasks;
