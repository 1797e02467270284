//! Servers that are called in process: by the methods of the server, on any thread, and by a client that answers questions.

#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it should be"
)]

mod client;
mod waiting;
