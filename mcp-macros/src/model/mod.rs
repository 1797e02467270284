//! The validated models: whoever holds one holds something that can be expanded.
//!
//! Every check across keys lives here; tokens of generated code do not.

pub(crate) mod constraint;
pub(crate) mod form;
#[allow(
    dead_code,
    reason = "the runtime, whose file it is too, asks for more of it"
)]
pub(crate) mod grammar;
pub(crate) mod guard;
mod icon;
pub(crate) mod item;
mod meta;
pub(crate) mod param;
mod pattern;
pub(crate) mod prompt;
pub(crate) mod resource;
pub(crate) mod tool;
pub(crate) mod types;
pub(crate) mod uri;

use proc_macro2::{Ident, Span};
use syn::LitStr;
use syn::ext::IdentExt as _;

use crate::diag::Diagnostics;
use crate::doc::Doc;

pub(crate) use self::icon::Icon;

/// The characters that a name may have in the specification's page on tools, "Tool Names".
fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// Hosts refuse a whole server for one property whose name is longer than this.
const MAX_JSON_NAME: usize = 64;

/// The name of a property in JSON, and where it stands: `rename` if the attribute has it, or that in Rust.
///
/// `noun` is what has the name, with its article; `consequence` is what happens to other names.
fn json_name(
    rename: Option<&LitStr>,
    name: &Ident,
    (noun, consequence, attribute): (&str, &str, &str),
    diag: &mut Diagnostics,
) -> (String, Span) {
    let (text, span) = match rename {
        Some(rename) => (rename.value(), rename.span()),
        None => (name.unraw().to_string(), name.span()),
    };
    if text.is_empty() || text.len() > MAX_JSON_NAME || !text.chars().all(is_name_char) {
        let fix = match rename {
            Some(_) => "change it".to_owned(),
            None => format!("write `#[{attribute}(rename = \"…\")]`"),
        };
        diag.error(
            span,
            format!(
                "{noun}'s name has 1 to {MAX_JSON_NAME} letters, digits, `_`, `-` and `.`, all of them ASCII{consequence}; {fix}"
            ),
        );
    }
    (text, span)
}

/// What `description` says, or else the doc comment; nothing at all is an empty text.
fn description(
    literal: Option<&LitStr>,
    doc: &Doc,
    attribute: &str,
    diag: &mut Diagnostics,
) -> String {
    if let Some(literal) = literal {
        return text(literal, "description", diag);
    }
    if let Some(computed) = &doc.computed {
        diag.error_over(
            computed,
            format!(
                "the text of this comment is not known yet; write `#[{attribute}(description = \"…\")]`"
            ),
        );
    }
    doc.text.clone()
}

/// The text of a literal that must not be blank.
fn text(literal: &LitStr, key: &str, diag: &mut Diagnostics) -> String {
    let text = literal.value();
    if text.trim().is_empty() {
        diag.error(
            literal.span(),
            format!("`{key}` is empty; write a text or remove the key"),
        );
    }
    text
}
