//! The validated models: whoever holds one holds something that can be expanded.
//!
//! Every check across keys lives here; tokens of generated code do not.

pub(crate) mod constraint;
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

use syn::LitStr;

use crate::diag::Diagnostics;

pub(crate) use self::icon::Icon;

/// The characters that a name may have in the specification's page on tools, "Tool Names".
fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
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
