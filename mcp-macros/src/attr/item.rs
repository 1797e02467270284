//! The keys that all of our attributes on functions share.
//!
//! Each attribute lists them among its own; whether a value is a good one is decided by the model stage.

use proc_macro2::{Ident, TokenStream};
use syn::parse::{Parse as _, ParseStream};
use syn::{LitStr, Path, Token};

use super::icon::{IconAttr, icons};
use super::{Key, Once, flag, json, parenthesized, string};
use crate::diag::Diagnostics;

pub(super) const NAME: Key = Key {
    name: "name",
    example: "name = \"search\"",
};
pub(super) const TITLE: Key = Key {
    name: "title",
    example: "title = \"Catalogue search\"",
};
pub(super) const DESCRIPTION: Key = Key {
    name: "description",
    example: "description = \"Search the catalogue.\"",
};
pub(super) const ICONS: Key = Key {
    name: "icons",
    example: "icons(icon(src = \"https://example.com/icon.png\"))",
};
pub(super) const META: Key = Key {
    name: "meta",
    example: "meta(\"com.example/team\" = \"search\")",
};
pub(super) const GROUP: Key = Key {
    name: "group",
    example: "group = \"admin\"",
};
pub(super) const TIMEOUT: Key = Key {
    name: "timeout",
    example: "timeout = \"10s\"",
};
pub(crate) const INLINE: Key = Key {
    name: "inline",
    example: "inline",
};
pub(super) const CRATE: Key = Key {
    name: "crate",
    example: "crate = path::to::mcp_runtime",
};

/// What the shared keys of an attribute say.
#[derive(Default)]
pub(crate) struct ItemAttr {
    pub(crate) name: Once<LitStr>,
    pub(crate) title: Once<LitStr>,
    pub(crate) description: Once<LitStr>,
    pub(crate) icons: Once<Vec<IconAttr>>,
    pub(crate) meta: Once<Vec<json::Pair>>,
    pub(crate) group: Once<LitStr>,
    pub(crate) timeout: Once<LitStr>,
    pub(crate) inline: Once<bool>,
    pub(crate) krate: Once<Path>,
    /// Some key was not understood, so that a missing one may be a misspelt one.
    pub(crate) is_incomplete: bool,
}

impl ItemAttr {
    /// Reads the value of a shared key; any other key is the attribute's own mistake, since it lists what it knows.
    pub(super) fn read(
        &mut self,
        key: &Ident,
        input: ParseStream<'_>,
        diag: &mut Diagnostics,
    ) -> syn::Result<()> {
        match key.to_string().as_str() {
            "name" => self.name.set(key, string(input)?, diag),
            "title" => self.title.set(key, string(input)?, diag),
            "description" => self.description.set(key, string(input)?, diag),
            "icons" => {
                let tokens = parenthesized(input, TokenStream::parse)?;
                self.icons.set(key, icons(tokens, diag), diag);
            }
            "meta" => self.meta.set(key, parenthesized(input, json::pairs)?, diag),
            "group" => self.group.set(key, string(input)?, diag),
            "timeout" => self.timeout.set(key, string(input)?, diag),
            "inline" => self.inline.set(key, flag(input)?, diag),
            _ => self.krate.set(key, krate(input)?, diag),
        }
        Ok(())
    }
}

/// `= path`, the value of the key `crate`.
pub(super) fn krate(input: ParseStream<'_>) -> syn::Result<Path> {
    input.parse::<Token![=]>()?;
    input.call(Path::parse_mod_style)
}
