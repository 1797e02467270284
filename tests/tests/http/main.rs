//! Streamable HTTP over loopback: what goes in byte for byte, and what comes out.

#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a panic is how a test fails, and tools take what clients send"
)]

mod answers;
mod blocking;
mod bounds;
mod connections;
mod context;
mod cors;
mod draining;
mod extensions;
mod headers;
mod keep_alive;
mod layers;
mod lifecycle;
mod listening;
mod middleware;
mod mounted;
mod peer;
mod phases;
mod refusals;
mod senders;
mod streams;
mod tasks;
mod versions;
