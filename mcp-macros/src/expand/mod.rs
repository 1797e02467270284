//! Models to tokens: data plus one call.
//!
//! Cannot fail: nothing is parsed, judged or reported here.

pub(crate) mod form;
mod item;
mod param;
pub(crate) mod prompt;
pub(crate) mod resource;
pub(crate) mod tool;
pub(crate) mod types;

use proc_macro2::Span;

/// Our tokens at the user's place: errors point there, names resolve as everywhere in the expansion.
fn at(span: Span) -> Span {
    Span::call_site().located_at(span)
}
