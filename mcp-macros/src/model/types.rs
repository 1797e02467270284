//! The type under `#[mcp_type]`, checked to be one that the derives take.
//!
//! Its fields are for serde and schemars to judge.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Attribute, Path, Token, Visibility};

use crate::attr::types::TypeAttr;
use crate::diag::Diagnostics;

const DERIVES: [&str; 3] = ["Serialize", "Deserialize", "JsonSchema"];

/// A type that can be derived for.
pub(crate) struct Type {
    pub(crate) krate: Option<Path>,
}

impl Type {
    /// Checks the item, and reports what is wrong with it.
    pub(crate) fn new(attr: &TypeAttr, item: TokenStream, diag: &mut Diagnostics) -> Option<Self> {
        let parser = |input: ParseStream<'_>| {
            let attrs = input.call(Attribute::parse_outer)?;
            input.parse::<Visibility>()?;
            if !(input.peek(Token![struct]) || input.peek(Token![enum])) {
                diag.error(input.span(), "`#[mcp_type]` goes on a struct or an enum");
            }
            // The rest is read by the derives.
            while !input.is_empty() {
                input.parse::<TokenTree>()?;
            }
            Ok(attrs)
        };
        match parser.parse2(item) {
            Ok(attrs) => refuse_second_derives(&attrs, diag),
            Err(error) => diag.absorb(error),
        }
        (!diag.has_errors()).then(|| Self {
            krate: attr.krate.get().cloned(),
        })
    }
}

/// Two implementations of one trait would be reported by the compiler at neither of the attributes.
fn refuse_second_derives(attrs: &[Attribute], diag: &mut Diagnostics) {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("derive")) {
        // A list that is no list of paths is for `derive` itself to refuse.
        let Ok(paths) = attr.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated)
        else {
            continue;
        };
        for last in paths.iter().filter_map(|path| path.segments.last()) {
            if DERIVES.iter().any(|derive| last.ident == derive) {
                diag.error(
                    last.ident.span(),
                    format!(
                        "`#[mcp_type]` derives `{}` already; remove this one",
                        last.ident
                    ),
                );
            }
        }
    }
}
