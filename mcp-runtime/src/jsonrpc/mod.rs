//! JSON-RPC 2.0: envelopes, ids and error objects, borrowed from the bytes they came in.
//!
//! This layer has never heard of MCP: no method names, no metadata keys, no profiles.

mod error;
mod frame;
mod id;
mod message;
mod object;
mod readable_id;

pub use self::error::ErrorObject;
pub(crate) use self::error::code;
pub(crate) use self::frame::{write_error, write_error_without_id, write_result_start};
pub use self::id::RequestId;
pub(crate) use self::id::{OwnedRawId, RawId};
pub(crate) use self::message::{DEFAULT_MAX_DEPTH, Envelope, ParseError, parse};
pub(crate) use self::object::{Place, Read, Shape, object, read_text};

pub(crate) use self::readable_id::{IdScanner, readable_id};
