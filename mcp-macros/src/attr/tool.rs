//! The keys of `#[mcp_tool(…)]`, with their positions.
//!
//! Whether a value is a good one, and whether two keys go together, is decided by the model stage.

use proc_macro2::TokenStream;
use syn::parse::ParseStream;
use syn::{LitStr, Token};

use super::item::{self, ItemAttr};
use super::{Key, Once, flag, keys};
use crate::diag::Diagnostics;

pub(crate) const READ_ONLY: &str = "read_only";
pub(crate) const DESTRUCTIVE: &str = "destructive";
const IDEMPOTENT: &str = "idempotent";
const OPEN_WORLD: &str = "open_world";
pub(crate) const TASK: &str = "task";

const KEYS: &[Key] = &[
    item::NAME,
    item::TITLE,
    item::DESCRIPTION,
    Key {
        name: READ_ONLY,
        example: "read_only` or `read_only = false",
    },
    Key {
        name: DESTRUCTIVE,
        example: "destructive` or `destructive = false",
    },
    Key {
        name: IDEMPOTENT,
        example: "idempotent` or `idempotent = false",
    },
    Key {
        name: OPEN_WORLD,
        example: "open_world` or `open_world = false",
    },
    Key {
        name: TASK,
        example: "task`, `task = \"required\"` or `task = \"deferred\"",
    },
    item::ICONS,
    item::META,
    item::GROUP,
    item::TIMEOUT,
    item::INLINE,
    item::CRATE,
];

/// What `#[mcp_tool(…)]` says.
#[derive(Default)]
pub(crate) struct ToolAttr {
    pub(crate) item: ItemAttr,
    pub(crate) read_only: Once<bool>,
    pub(crate) destructive: Once<bool>,
    pub(crate) idempotent: Once<bool>,
    pub(crate) open_world: Once<bool>,
    /// `None` for the key alone.
    pub(crate) task: Once<Option<LitStr>>,
}

impl ToolAttr {
    /// Reads the tokens between the parentheses of `#[mcp_tool(…)]`.
    pub(crate) fn parse(tokens: TokenStream, diag: &mut Diagnostics) -> Self {
        let mut attr = Self::default();
        let understood = keys(tokens, "`#[mcp_tool]`", KEYS, diag, |key, input, diag| {
            match key.to_string().as_str() {
                READ_ONLY => attr.read_only.set(key, flag(input)?, diag),
                DESTRUCTIVE => attr.destructive.set(key, flag(input)?, diag),
                IDEMPOTENT => attr.idempotent.set(key, flag(input)?, diag),
                OPEN_WORLD => attr.open_world.set(key, flag(input)?, diag),
                TASK => attr.task.set(key, task(input)?, diag),
                _ => attr.item.read(key, input, diag)?,
            }
            Ok(())
        });
        attr.item.is_incomplete = !understood;
        attr
    }
}

/// Reads what stands behind the key `task`.
fn task(input: ParseStream<'_>) -> syn::Result<Option<LitStr>> {
    if !input.peek(Token![=]) {
        return Ok(None);
    }
    input.parse::<Token![=]>()?;
    input.parse().map(Some)
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    fn parse(tokens: TokenStream) -> (ToolAttr, Vec<String>) {
        let mut diag = Diagnostics::default();
        let attr = ToolAttr::parse(tokens, &mut diag);
        (
            attr,
            diag.finish().iter().map(ToString::to_string).collect(),
        )
    }

    #[test]
    fn every_key_is_read() {
        let (attr, errors) = parse(quote! {
            name = "n", title = "t", description = "d", read_only, destructive = false, idempotent = true, open_world, task = "required",
            icons(icon(src = "s", mime_type = "m", sizes = ["1x1", "any"], theme = "dark"), icon(src = "u")),
            meta("a" = 1), group = "g", timeout = "1s", inline, crate = a::b,
        });
        assert_eq!(errors, [""; 0]);
        let text = |once: &Once<LitStr>| once.get().map(LitStr::value).unwrap_or_default();
        assert_eq!(text(&attr.item.name), "n");
        assert_eq!(text(&attr.item.title), "t");
        assert_eq!(text(&attr.item.description), "d");
        assert_eq!(text(&attr.item.group), "g");
        assert_eq!(text(&attr.item.timeout), "1s");
        assert_eq!(attr.item.inline.get(), Some(&true));
        let hints = [
            &attr.read_only,
            &attr.destructive,
            &attr.idempotent,
            &attr.open_world,
        ]
        .map(|hint| hint.get().copied());
        assert_eq!(hints, [Some(true), Some(false), Some(true), Some(true)]);
        assert_eq!(
            attr.task.get().unwrap().as_ref().unwrap().value(),
            "required"
        );
        assert!(parse(quote!(task)).0.task.get().unwrap().is_none());
        let icons = attr.item.icons.get().unwrap();
        assert_eq!(icons.len(), 2);
        assert_eq!(text(&icons[0].src), "s");
        assert_eq!(text(&icons[0].mime_type), "m");
        assert_eq!(text(&icons[0].theme), "dark");
        assert_eq!(icons[0].sizes.get().unwrap().len(), 2);
        assert_eq!(attr.item.meta.get().unwrap()[0].value.0, "1");
        assert!(attr.item.krate.get().is_some());
        assert!(!attr.item.is_incomplete);
    }

    #[test]
    fn mistakes_inside_an_icon_are_found_beside_others() {
        let (attr, errors) = parse(quote!(
            icons(icon(source = "s", theme = dark), image(src = "x")),
            nmae = "x"
        ));
        assert!(attr.item.is_incomplete);
        assert_eq!(
            errors,
            [
                "unknown key `source`; keys: `src`, `mime_type`, `sizes`, `theme`",
                "`theme` is written `theme = \"light\"`",
                "unknown key `image`; keys: `icon`",
                "unknown key `nmae`; did you mean `name`? keys: `name`, `title`, `description`, `read_only`, \
                 `destructive`, `idempotent`, `open_world`, `task`, `icons`, `meta`, `group`, `timeout`, `inline`, `crate`",
            ]
        );
    }
}
