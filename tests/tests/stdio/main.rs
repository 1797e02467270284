//! A server as its clients see it: a process with three pipes.

mod calls;
mod client;
mod ending;
mod framing;
mod slow;
mod streams;
