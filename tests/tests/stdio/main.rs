//! A server as its clients see it: a process with three pipes.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod calls;
mod client;
mod ending;
mod framing;
mod listening;
mod log;
mod progress;
mod slow;
mod stopping;
mod streams;
