//! Where a function runs, as its author declares it; the same on every transport.
//!
//! Nothing is measured and nothing is learnt at run time. What runs, and on which thread, is decided by others.

/// Where a function runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "a function is plain, declared as inline, or async"
)]
pub enum Execution {
    /// A plain function with the key `inline`: on the thread that read its request.
    Inline,
    /// A plain function: on a thread that may block.
    Blocking,
    /// An async function: polled on the async runtime.
    Async,
}
