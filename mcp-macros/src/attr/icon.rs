//! The keys of `icon(…)`, which all of our attributes on functions take.
//!
//! Whether a client would show the picture is decided by the model stage.

use proc_macro2::TokenStream;
use syn::parse::{Parse as _, ParseStream};
use syn::punctuated::Punctuated;
use syn::{LitStr, Token, bracketed};

use super::{Key, Once, keys, parenthesized, string, whole};
use crate::diag::Diagnostics;

const SRC: &str = "src";
const MIME_TYPE: &str = "mime_type";
const SIZES: &str = "sizes";
const THEME: &str = "theme";

const ICON_KEYS: &[Key] = &[
    Key {
        name: SRC,
        example: "src = \"https://example.com/icon.png\"",
    },
    Key {
        name: MIME_TYPE,
        example: "mime_type = \"image/png\"",
    },
    Key {
        name: SIZES,
        example: "sizes = [\"48x48\"]",
    },
    Key {
        name: THEME,
        example: "theme = \"light\"",
    },
];

const ICON: &[Key] = &[Key {
    name: "icon",
    example: "icon(src = \"https://example.com/icon.png\")",
}];

/// What one `icon(…)` says.
#[derive(Default)]
pub(crate) struct IconAttr {
    pub(crate) src: Once<LitStr>,
    pub(crate) mime_type: Once<LitStr>,
    pub(crate) sizes: Once<Vec<LitStr>>,
    pub(crate) theme: Once<LitStr>,
    /// Some key was not understood.
    pub(crate) is_incomplete: bool,
}

/// The inside of `icons(…)`.
pub(super) fn icons(tokens: TokenStream, diag: &mut Diagnostics) -> Vec<IconAttr> {
    let mut icons = Vec::new();
    keys(tokens, "`icons`", ICON, diag, |_, input, diag| {
        icons.push(icon(parenthesized(input, TokenStream::parse)?, diag));
        Ok(())
    });
    icons
}

fn icon(tokens: TokenStream, diag: &mut Diagnostics) -> IconAttr {
    let mut icon = IconAttr::default();
    let understood = keys(tokens, "`icon`", ICON_KEYS, diag, |key, input, diag| {
        match key.to_string().as_str() {
            SRC => icon.src.set(key, string(input)?, diag),
            MIME_TYPE => icon.mime_type.set(key, string(input)?, diag),
            SIZES => icon.sizes.set(key, strings(input)?, diag),
            _ => icon.theme.set(key, string(input)?, diag),
        }
        Ok(())
    });
    icon.is_incomplete = !understood;
    icon
}

/// `= ["text", …]`.
fn strings(input: ParseStream<'_>) -> syn::Result<Vec<LitStr>> {
    input.parse::<Token![=]>()?;
    let content;
    bracketed!(content in input);
    let list = whole(&content, Punctuated::<LitStr, Token![,]>::parse_terminated)?;
    Ok(list.into_iter().collect())
}
