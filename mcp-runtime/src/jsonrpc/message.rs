//! One incoming message: its bytes become an envelope whose members are borrowed.

use std::fmt;

use serde_json::value::RawValue;

use super::object::{Read, Shape, object, read_text};
use crate::json::{TextFault, check_text};

/// The deepest nesting of a message unless the builder says otherwise.
pub(crate) const DEFAULT_MAX_DEPTH: usize = 64;

object! {
    /// The members of the envelope, before any of them has been judged.
    ///
    /// `P` reads `params` in the same pass; it accepts every JSON value.
    pub(crate) struct Envelope<'a, P> {
        /// The version of JSON-RPC.
        jsonrpc: &'a RawValue = "jsonrpc",
        /// The id, of whatever type.
        id: &'a RawValue = "id",
        /// The method, of whatever type.
        method: &'a RawValue = "method",
        /// The parameters.
        params: P = "params",
        /// Metadata beside the members that JSON-RPC knows, where some callers put theirs.
        meta: &'a RawValue = "_meta",
    }
}

/// Why bytes are not a JSON text that we read.
#[derive(Debug)]
pub(crate) enum ParseError {
    /// The text breaks a rule that holds before any parsing.
    Text(TextFault),
    /// The text is not JSON.
    Syntax(serde_json::Error),
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(fault) => write!(f, "{fault}"),
            Self::Syntax(error) => write!(f, "not JSON: {error}"),
        }
    }
}

impl std::error::Error for ParseError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Text(_) => None,
            Self::Syntax(error) => Some(error),
        }
    }
}

/// Reads one message into its place, in one pass.
///
/// What is not JSON, too deep or not proper Unicode is an error; a JSON value that is not an envelope is a [`Shape`].
pub(crate) fn parse<'a, P>(
    bytes: &'a [u8],
    max_depth: usize,
    message: &mut Shape<Envelope<'a, P>>,
) -> Result<(), ParseError>
where
    Option<P>: Read<'a>,
{
    let text = check_text(bytes, max_depth).map_err(ParseError::Text)?;
    read_text(text, message).map_err(ParseError::Syntax)
}
