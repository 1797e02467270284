//! Errors of transports.

use std::fmt;
use std::io;

/// A transport could not start, or could not continue.
///
/// The end of input, a signal and a closed connection are not errors.
///
/// ```no_run
/// # use mcp_runtime::{prelude::*, transport::TransportErrorKind};
/// # fn main() -> Result<(), BuildError> {
/// let server = mcp_runtime::server!().build()?;
/// if let Err(error) = server.serve_stdio_blocking()
///     && error.kind() == TransportErrorKind::Start
/// {
///     eprintln!("{error}");
/// }
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct TransportError {
    kind: TransportErrorKind,
    /// What was being done.
    action: &'static str,
    source: io::Error,
}

/// Tells at which point a transport failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// An option has a value that cannot be served; nothing was started.
    InvalidOption,
    /// A resource of the system cannot be had at the start: an address, a thread, a signal handler, the standard streams.
    Start,
    /// Reading, writing or accepting failed while the transport served.
    Serve,
}

impl TransportError {
    pub(crate) fn start(action: &'static str, source: io::Error) -> Self {
        let kind = TransportErrorKind::Start;
        Self {
            kind,
            action,
            source,
        }
    }

    #[cfg(feature = "http")]
    pub(crate) fn invalid_option(action: &'static str, text: String) -> Self {
        Self {
            kind: TransportErrorKind::InvalidOption,
            action,
            source: io::Error::new(io::ErrorKind::InvalidInput, text),
        }
    }

    #[cfg(feature = "stdio")]
    pub(crate) fn serve(action: &'static str, source: io::Error) -> Self {
        let kind = TransportErrorKind::Serve;
        Self {
            kind,
            action,
            source,
        }
    }

    /// Returns the point at which the transport failed.
    #[must_use]
    pub fn kind(&self) -> TransportErrorKind {
        self.kind
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
