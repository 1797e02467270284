//! The keys of `#[mcp_tool(…)]`, with their positions.
//!
//! Whether a value is a good one, and whether two keys go together, is decided by the model stage.

use proc_macro2::TokenStream;
use syn::parse::{Parse as _, ParseStream};
use syn::punctuated::Punctuated;
use syn::{LitStr, Path, Token, bracketed};

use super::{Key, Once, flag, json, keys, parenthesized, string, whole};
use crate::diag::Diagnostics;

const NAME: &str = "name";
const TITLE: &str = "title";
const DESCRIPTION: &str = "description";
pub(crate) const READ_ONLY: &str = "read_only";
pub(crate) const DESTRUCTIVE: &str = "destructive";
const IDEMPOTENT: &str = "idempotent";
const OPEN_WORLD: &str = "open_world";
const ICONS: &str = "icons";
const META: &str = "meta";
const GROUP: &str = "group";
const TIMEOUT: &str = "timeout";
const CRATE: &str = "crate";

const KEYS: &[Key] = &[
    Key {
        name: NAME,
        example: "name = \"search\"",
    },
    Key {
        name: TITLE,
        example: "title = \"Catalogue search\"",
    },
    Key {
        name: DESCRIPTION,
        example: "description = \"Search the catalogue.\"",
    },
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
        name: ICONS,
        example: "icons(icon(src = \"https://example.com/icon.png\"))",
    },
    Key {
        name: META,
        example: "meta(\"com.example/team\" = \"search\")",
    },
    Key {
        name: GROUP,
        example: "group = \"admin\"",
    },
    Key {
        name: TIMEOUT,
        example: "timeout = \"10s\"",
    },
    Key {
        name: CRATE,
        example: "crate = path::to::mcp_runtime",
    },
];

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

/// What `#[mcp_tool(…)]` says.
#[derive(Default)]
pub(crate) struct ToolAttr {
    pub(crate) name: Once<LitStr>,
    pub(crate) title: Once<LitStr>,
    pub(crate) description: Once<LitStr>,
    pub(crate) read_only: Once<bool>,
    pub(crate) destructive: Once<bool>,
    pub(crate) idempotent: Once<bool>,
    pub(crate) open_world: Once<bool>,
    pub(crate) icons: Once<Vec<IconAttr>>,
    pub(crate) meta: Once<Vec<json::Pair>>,
    pub(crate) group: Once<LitStr>,
    pub(crate) timeout: Once<LitStr>,
    pub(crate) krate: Once<Path>,
    /// Some key was not understood, so that a missing one may be a misspelt one.
    pub(crate) is_incomplete: bool,
}

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

impl ToolAttr {
    /// Reads the tokens between the parentheses of `#[mcp_tool(…)]`.
    pub(crate) fn parse(tokens: TokenStream, diag: &mut Diagnostics) -> Self {
        let mut attr = Self::default();
        let understood = keys(tokens, "`#[mcp_tool]`", KEYS, diag, |key, input, diag| {
            match key.to_string().as_str() {
                NAME => attr.name.set(key, string(input)?, diag),
                TITLE => attr.title.set(key, string(input)?, diag),
                DESCRIPTION => attr.description.set(key, string(input)?, diag),
                READ_ONLY => attr.read_only.set(key, flag(input)?, diag),
                DESTRUCTIVE => attr.destructive.set(key, flag(input)?, diag),
                IDEMPOTENT => attr.idempotent.set(key, flag(input)?, diag),
                OPEN_WORLD => attr.open_world.set(key, flag(input)?, diag),
                ICONS => attr.icons.set(
                    key,
                    icons(parenthesized(input, TokenStream::parse)?, diag),
                    diag,
                ),
                META => attr.meta.set(key, parenthesized(input, json::pairs)?, diag),
                GROUP => attr.group.set(key, string(input)?, diag),
                TIMEOUT => attr.timeout.set(key, string(input)?, diag),
                _ => attr.krate.set(key, krate(input)?, diag),
            }
            Ok(())
        });
        attr.is_incomplete = !understood;
        attr
    }
}

/// `= path`, the value of the key `crate`.
pub(super) fn krate(input: ParseStream<'_>) -> syn::Result<Path> {
    input.parse::<Token![=]>()?;
    input.call(Path::parse_mod_style)
}

fn icons(tokens: TokenStream, diag: &mut Diagnostics) -> Vec<IconAttr> {
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
            name = "n", title = "t", description = "d", read_only, destructive = false, idempotent = true, open_world,
            icons(icon(src = "s", mime_type = "m", sizes = ["1x1", "any"], theme = "dark"), icon(src = "u")),
            meta("a" = 1), group = "g", timeout = "1s", crate = a::b,
        });
        assert_eq!(errors, [""; 0]);
        let text = |once: &Once<LitStr>| once.get().map(LitStr::value).unwrap_or_default();
        assert_eq!(text(&attr.name), "n");
        assert_eq!(text(&attr.title), "t");
        assert_eq!(text(&attr.description), "d");
        assert_eq!(text(&attr.group), "g");
        assert_eq!(text(&attr.timeout), "1s");
        let hints = [
            &attr.read_only,
            &attr.destructive,
            &attr.idempotent,
            &attr.open_world,
        ]
        .map(|hint| hint.get().copied());
        assert_eq!(hints, [Some(true), Some(false), Some(true), Some(true)]);
        let icons = attr.icons.get().unwrap();
        assert_eq!(icons.len(), 2);
        assert_eq!(text(&icons[0].src), "s");
        assert_eq!(text(&icons[0].mime_type), "m");
        assert_eq!(text(&icons[0].theme), "dark");
        assert_eq!(icons[0].sizes.get().unwrap().len(), 2);
        assert_eq!(attr.meta.get().unwrap()[0].value.0, "1");
        assert!(attr.krate.get().is_some());
        assert!(!attr.is_incomplete);
    }

    #[test]
    fn mistakes_inside_an_icon_are_found_beside_others() {
        let (attr, errors) = parse(quote!(
            icons(icon(source = "s", theme = dark), image(src = "x")),
            nmae = "x"
        ));
        assert!(attr.is_incomplete);
        assert_eq!(
            errors,
            [
                "unknown key `source`; keys: `src`, `mime_type`, `sizes`, `theme`",
                "`theme` is written `theme = \"light\"`",
                "unknown key `image`; keys: `icon`",
                "unknown key `nmae`; did you mean `name`? keys: `name`, `title`, `description`, `read_only`, \
                 `destructive`, `idempotent`, `open_world`, `icons`, `meta`, `group`, `timeout`, `crate`",
            ]
        );
    }
}
