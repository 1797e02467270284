//! Bytes to messages and back: how a server is reached.
//!
//! A transport frames messages, keeps the table of running calls, and owns threads, clock and descriptors.
//! It knows no rule of the protocol beyond its own page of the specification.

mod cancellation;
mod error;
#[cfg(feature = "http")]
pub(crate) mod http;
pub(crate) mod memory;
#[cfg(feature = "stdio")]
pub(crate) mod stdio;

pub use self::error::{TransportError, TransportErrorKind};
pub use self::memory::Connection;
