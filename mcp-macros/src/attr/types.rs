//! The keys of `#[mcp_type(…)]`.

use proc_macro2::TokenStream;
use syn::Path;

use super::item::krate;
use super::{Key, Once, keys};
use crate::diag::Diagnostics;

const KEYS: &[Key] = &[Key {
    name: "crate",
    example: "crate = path::to::mcp_runtime",
}];

/// What `#[mcp_type(…)]` says.
#[derive(Default)]
pub(crate) struct TypeAttr {
    pub(crate) krate: Once<Path>,
}

impl TypeAttr {
    /// Reads the tokens between the parentheses of `#[mcp_type(…)]`.
    pub(crate) fn parse(tokens: TokenStream, diag: &mut Diagnostics) -> Self {
        let mut attr = Self::default();
        keys(tokens, "`#[mcp_type]`", KEYS, diag, |key, input, diag| {
            attr.krate.set(key, krate(input)?, diag);
            Ok(())
        });
        attr
    }
}
