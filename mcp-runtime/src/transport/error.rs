//! Why serving ended otherwise than by the client's wish.

use std::fmt;
use std::io;

/// Why a transport could not begin, or could not go on.
///
/// The end of input, a signal and a client that is gone are no errors.
#[derive(Debug)]
#[non_exhaustive]
pub struct TransportError {
    /// What was being done.
    action: &'static str,
    source: io::Error,
}

impl TransportError {
    pub(crate) fn new(action: &'static str, source: io::Error) -> Self {
        Self { action, source }
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "could not {}: {}", self.action, self.source)
    }
}

impl std::error::Error for TransportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}
