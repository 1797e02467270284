//! JSON text in and out: what is accepted as text, and how values and strings are written.
//!
//! Deliberately not here: any message, method or meaning. This layer knows neither JSON-RPC nor
//! MCP, and it does not parse: `serde_json` does that, on text that [`text::check`] has let
//! through.

mod compound;
mod error;
mod key;
mod member;
mod nesting;
mod read;
mod serializer;
mod string;
mod text;

pub(crate) use self::error::WriteError;
pub(crate) use self::member::{Member, MemberScanner};
pub(crate) use self::nesting::{nested_value_bytes, value_bytes};
pub(crate) use self::read::read_own;
pub(crate) use self::serializer::{bounded, write_owned, write_value};
pub(crate) use self::string::{write_escaped_copy, write_str};
pub(crate) use self::text::{TextFault, check as check_text};
