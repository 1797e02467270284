//! The URI and the keys of `#[mcp_resource(…)]`, with their positions.
//!
//! Whether a value is a good one is decided by the model stage.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::parse::{Parse as _, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Expr, LitInt, LitStr, Token, bracketed};

use super::item::{self, ItemAttr};
use super::{Key, Once, expression, keys, parenthesized, string, whole};
use crate::diag::Diagnostics;

const MIME_TYPE: &str = "mime_type";
const SIZE: &str = "size";
const ANNOTATIONS: &str = "annotations";
const TTL: &str = "ttl";
const CACHE: &str = "cache";

const KEYS: &[Key] = &[
    item::NAME,
    item::TITLE,
    item::DESCRIPTION,
    Key {
        name: MIME_TYPE,
        example: "mime_type = \"text/markdown\"",
    },
    Key {
        name: SIZE,
        example: "size = 1024",
    },
    Key {
        name: ANNOTATIONS,
        example: "annotations(audience = [\"user\"], priority = 0.5)",
    },
    Key {
        name: TTL,
        example: "ttl = \"60s\"",
    },
    Key {
        name: CACHE,
        example: "cache = \"public\"",
    },
    item::ICONS,
    item::META,
    item::GROUP,
    item::TIMEOUT,
    item::INLINE,
    item::CRATE,
];

const AUDIENCE: &str = "audience";
const PRIORITY: &str = "priority";
const LAST_MODIFIED: &str = "last_modified";

const ANNOTATION_KEYS: &[Key] = &[
    Key {
        name: AUDIENCE,
        example: "audience = [\"user\", \"assistant\"]",
    },
    Key {
        name: PRIORITY,
        example: "priority = 0.5",
    },
    Key {
        name: LAST_MODIFIED,
        example: "last_modified = \"2026-01-31T12:00:00Z\"",
    },
];

/// What `#[mcp_resource(…)]` says.
#[derive(Default)]
pub(crate) struct ResourceAttr {
    /// The URI or the template, if one is there.
    pub(crate) uri: Option<LitStr>,
    pub(crate) item: ItemAttr,
    pub(crate) mime_type: Once<LitStr>,
    pub(crate) size: Once<LitInt>,
    pub(crate) annotations: Once<AnnotationsAttr>,
    pub(crate) ttl: Once<LitStr>,
    pub(crate) cache: Once<LitStr>,
}

/// What `annotations(…)` says.
#[derive(Default)]
pub(crate) struct AnnotationsAttr {
    pub(crate) audience: Once<Vec<LitStr>>,
    pub(crate) priority: Once<Expr>,
    pub(crate) last_modified: Once<LitStr>,
}

impl ResourceAttr {
    /// Reads the tokens between the parentheses of `#[mcp_resource(…)]`.
    pub(crate) fn parse(tokens: TokenStream, diag: &mut Diagnostics) -> Self {
        let mut attr = Self::default();
        let (uri, rest) = split_uri(tokens, diag);
        attr.uri = uri;
        let understood = keys(rest, "`#[mcp_resource]`", KEYS, diag, |key, input, diag| {
            match key.to_string().as_str() {
                MIME_TYPE => attr.mime_type.set(key, string(input)?, diag),
                SIZE => attr.size.set(key, integer(input)?, diag),
                ANNOTATIONS => {
                    let tokens = parenthesized(input, TokenStream::parse)?;
                    attr.annotations.set(key, annotations(tokens, diag), diag);
                }
                TTL => attr.ttl.set(key, string(input)?, diag),
                CACHE => attr.cache.set(key, string(input)?, diag),
                _ => attr.item.read(key, input, diag)?,
            }
            Ok(())
        });
        attr.item.is_incomplete = !understood;
        attr
    }
}

/// Takes the literal in front of the keys off, with the comma behind it.
fn split_uri(tokens: TokenStream, diag: &mut Diagnostics) -> (Option<LitStr>, TokenStream) {
    let parser = |input: ParseStream<'_>| {
        let uri = input.parse::<Option<LitStr>>()?;
        if uri.is_some() && !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        Ok((uri, input.parse::<TokenStream>()?))
    };
    let first = tokens.clone().into_iter().next();
    match parser.parse2(tokens) {
        Ok((Some(uri), rest)) => (Some(uri), rest),
        Ok((None, rest)) => {
            diag.error(
                first.as_ref().map_or_else(Span::call_site, TokenTree::span),
                "a resource has a URI; write it first, as in `#[mcp_resource(\"orders://recent\")]`",
            );
            (None, rest)
        }
        Err(error) => {
            diag.absorb(error);
            (None, TokenStream::new())
        }
    }
}

fn annotations(tokens: TokenStream, diag: &mut Diagnostics) -> AnnotationsAttr {
    let mut attr = AnnotationsAttr::default();
    keys(
        tokens,
        "`annotations`",
        ANNOTATION_KEYS,
        diag,
        |key, input, diag| {
            match key.to_string().as_str() {
                AUDIENCE => attr.audience.set(key, strings(input)?, diag),
                PRIORITY => attr.priority.set(key, expression(input)?, diag),
                _ => attr.last_modified.set(key, string(input)?, diag),
            }
            Ok(())
        },
    );
    attr
}

/// `= 1024`.
fn integer(input: ParseStream<'_>) -> syn::Result<LitInt> {
    input.parse::<Token![=]>()?;
    input.parse()
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

    fn parse(tokens: TokenStream) -> (ResourceAttr, Vec<String>) {
        let mut diag = Diagnostics::default();
        let attr = ResourceAttr::parse(tokens, &mut diag);
        (
            attr,
            diag.finish().iter().map(ToString::to_string).collect(),
        )
    }

    #[test]
    fn the_uri_and_every_key_are_read() {
        let (attr, errors) = parse(quote! {
            "a:b", name = "n", mime_type = "text/plain", size = 7, ttl = "1s", cache = "public",
            annotations(audience = ["user"], priority = 0.5, last_modified = "2026-01-31T12:00:00Z"),
        });
        assert_eq!(errors, [""; 0]);
        assert_eq!(attr.uri.unwrap().value(), "a:b");
        for (once, value) in [
            (&attr.item.name, "n"),
            (&attr.mime_type, "text/plain"),
            (&attr.ttl, "1s"),
            (&attr.cache, "public"),
        ] {
            assert_eq!(once.get().unwrap().value(), value);
        }
        assert!(attr.size.get().is_some());
        let annotations = attr.annotations.get().unwrap();
        assert_eq!(annotations.audience.get().unwrap().len(), 1);
        assert!(annotations.priority.get().is_some() && annotations.last_modified.get().is_some());
    }

    #[test]
    fn a_missing_uri_is_told_beside_other_mistakes() {
        let (_, errors) = parse(quote!(nmae = "x"));
        assert!(errors[0].starts_with("a resource has a URI"), "{errors:?}");
        assert!(
            errors[1].starts_with("unknown key `nmae`; did you mean `name`?"),
            "{errors:?}"
        );
        let (attr, errors) = parse(quote!("a:b"));
        assert!(attr.uri.is_some() && errors.is_empty());
    }
}
