//! Servers that are called in process: by the methods of the server, on any thread, and by a client that answers questions.

#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a test ends where something is not as it should be, and a state is taken as functions take it"
)]

mod bounds;
mod cancelled;
mod client;
mod waiting;
