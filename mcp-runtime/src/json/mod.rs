//! JSON text in and out: what is accepted as text, and how values and strings are written.
//!
//! Deliberately not here: any message, method or meaning. This layer knows neither JSON-RPC nor
//! MCP, and it does not parse: `serde_json` does that, on text that [`text::check`] has let
//! through.

mod compound;
pub(crate) mod error;
mod key;
mod nesting;
pub(crate) mod serializer;
pub(crate) mod string;
pub(crate) mod text;
