//! Servers that are called in process: by the methods of the server, on any thread, by a client that answers questions,
//! and over a connection in memory.

#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a test ends where something is not as it should be, and a state is taken as functions take it"
)]

mod bounds;
mod cancelled;
mod client;
mod connection;
mod session;
mod waiting;
