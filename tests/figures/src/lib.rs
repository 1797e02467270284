//! What the benchmarks and the table of figures measure: a server, the ceiling it is held against, and a client.
//!
//! It measures nothing itself.

pub mod ceiling;
pub mod load;
pub mod message;
pub mod peer;
pub mod process;
pub mod rounds;
pub mod tasks;
pub mod tools;
