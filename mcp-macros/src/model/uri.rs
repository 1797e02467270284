//! The URI of a resource, or the template of its URIs, as the attribute has it.
//!
//! What can be one is the grammar's to say.

use proc_macro2::Span;
use syn::LitStr;

use super::grammar::Template;
use crate::diag::Diagnostics;

/// A URI, or a template of URIs.
pub(crate) struct Uri {
    /// As it was written.
    pub(crate) text: String,
    pub(crate) span: Span,
    pub(crate) template: Template,
}

impl Uri {
    /// Reads and checks the text; gives it only if nothing was wrong.
    pub(crate) fn new(literal: &LitStr, diag: &mut Diagnostics) -> Option<Self> {
        let text = literal.value();
        match Template::read(&text) {
            Ok(template) => Some(Self {
                text,
                span: literal.span(),
                template,
            }),
            Err(sentence) => {
                diag.error(literal.span(), sentence);
                None
            }
        }
    }
}
