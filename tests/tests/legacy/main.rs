//! Clients of the revisions that begin with `initialize`, over standard streams.

#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a test ends where something is not as it should be, and gives its values away"
)]

mod client;
mod eras;
mod lifecycle;
mod messages;
mod questions;
mod results;
mod tasks;
