//! Streamable HTTP over loopback: what goes in byte for byte, and what comes out.

mod answers;
mod headers;
mod lifecycle;
mod mounted;
mod peer;
mod refusals;
mod versions;
