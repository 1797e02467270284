//! The keys of `#[mcp_prompt(…)]`, with their positions.
//!
//! Whether a value is a good one is decided by the model stage.

use proc_macro2::TokenStream;

use super::item::{self, ItemAttr};
use super::{Key, Once, flag, keys};
use crate::diag::Diagnostics;

const ALLOW_UNKNOWN: &str = "allow_unknown";

const KEYS: &[Key] = &[
    item::NAME,
    item::TITLE,
    item::DESCRIPTION,
    Key {
        name: ALLOW_UNKNOWN,
        example: "allow_unknown",
    },
    item::ICONS,
    item::META,
    item::GROUP,
    item::TIMEOUT,
    item::INLINE,
    item::CRATE,
];

/// What `#[mcp_prompt(…)]` says.
#[derive(Default)]
pub(crate) struct PromptAttr {
    pub(crate) item: ItemAttr,
    pub(crate) allow_unknown: Once<bool>,
}

impl PromptAttr {
    /// Reads the tokens between the parentheses of `#[mcp_prompt(…)]`.
    pub(crate) fn parse(tokens: TokenStream, diag: &mut Diagnostics) -> Self {
        let mut attr = Self::default();
        let understood = keys(tokens, "`#[mcp_prompt]`", KEYS, diag, |key, input, diag| {
            match key.to_string().as_str() {
                ALLOW_UNKNOWN => attr.allow_unknown.set(key, flag(input)?, diag),
                _ => attr.item.read(key, input, diag)?,
            }
            Ok(())
        });
        attr.item.is_incomplete = !understood;
        attr
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn keys_of_its_own_and_shared_ones_are_read() {
        let mut diag = Diagnostics::default();
        let attr = PromptAttr::parse(quote!(allow_unknown, name = "n", timeout = "1s"), &mut diag);
        assert!(diag.finish().is_empty());
        assert_eq!(attr.allow_unknown.get(), Some(&true));
        assert_eq!(attr.item.name.get().unwrap().value(), "n");
        assert!(attr.item.timeout.get().is_some() && !attr.item.is_incomplete);
    }
}
