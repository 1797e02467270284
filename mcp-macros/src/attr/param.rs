//! The keys of `#[arg(…)]` on a parameter, with their positions.
//!
//! Whether a value fits the parameter is decided by the model stage, or by the compiler where it takes the type.

use proc_macro2::Span;
use syn::parse::{Parse as _, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, LitStr, Meta, Path, RangeLimits, Token};

use super::{Key, Once, expression, flag, keys, parenthesized, string};
use crate::diag::Diagnostics;

syn::custom_keyword!(inline);

/// The name of the attribute.
pub(crate) const ARG: &str = "arg";

const DEFAULT: &str = "default";
const RANGE: &str = "range";
const LENGTH: &str = "length";
const PATTERN: &str = "pattern";
const FORMAT: &str = "format";
const EXAMPLE: &str = "example";
const EXAMPLES: &str = "examples";
const RENAME: &str = "rename";
const DESCRIPTION: &str = "description";
const HEADER: &str = "header";
const COMPLETE: &str = "complete";
const RAW: &str = "raw";

const KEYS: &[Key] = &[
    Key {
        name: DEFAULT,
        example: "default = 10` or `default",
    },
    Key {
        name: RANGE,
        example: "range(1..=100)",
    },
    Key {
        name: LENGTH,
        example: "length(1..=80)",
    },
    Key {
        name: PATTERN,
        example: "pattern = \"^[a-z]+$\"",
    },
    Key {
        name: FORMAT,
        example: "format = \"date\"",
    },
    Key {
        name: EXAMPLE,
        example: "example = \"red\"",
    },
    Key {
        name: EXAMPLES,
        example: "examples(\"red\", \"blue\")",
    },
    Key {
        name: RENAME,
        example: "rename = \"from\"",
    },
    Key {
        name: DESCRIPTION,
        example: "description = \"Words to look for.\"",
    },
    Key {
        name: HEADER,
        example: "header = \"Region\"",
    },
    Key {
        name: COMPLETE,
        example: "complete = function` or `complete(function, inline)",
    },
    Key {
        name: RAW,
        example: "raw",
    },
];

/// What the `#[arg(…)]` attributes of one parameter say.
#[derive(Default)]
pub(crate) struct ArgAttr {
    /// `None` inside stands for a bare `default`.
    pub(crate) default: Once<Option<Expr>>,
    pub(crate) range: Once<Bounds>,
    pub(crate) length: Once<Bounds>,
    pub(crate) pattern: Once<LitStr>,
    pub(crate) format: Once<LitStr>,
    pub(crate) example: Once<Expr>,
    pub(crate) examples: Once<Vec<Expr>>,
    pub(crate) rename: Once<LitStr>,
    pub(crate) description: Once<LitStr>,
    pub(crate) header: Once<LitStr>,
    pub(crate) complete: Once<Complete>,
    pub(crate) raw: Once<bool>,
    /// Where the first attribute stands, if there is one.
    pub(crate) span: Option<Span>,
}

/// A completion function, and where it runs.
#[derive(Clone)]
pub(crate) struct Complete {
    pub(crate) function: Path,
    /// Where `inline` stands.
    pub(crate) inline: Option<Span>,
}

/// The bounds of `range(…)` and `length(…)`.
pub(crate) struct Bounds {
    pub(crate) start: Option<Expr>,
    pub(crate) end: Option<Expr>,
    /// The end itself is excluded, as in `0..10`.
    pub(crate) is_half_open: bool,
    /// All that stands between the parentheses.
    pub(crate) whole: Expr,
}

impl ArgAttr {
    /// Reads the `#[arg]` attributes among `attrs`.
    pub(crate) fn parse(attrs: &[Attribute], diag: &mut Diagnostics) -> Self {
        let mut arg = Self::default();
        for attr in attrs.iter().filter(|attr| attr.path().is_ident(ARG)) {
            arg.span = arg.span.or(Some(attr.path().span()));
            let Meta::List(list) = &attr.meta else {
                diag.error(
                    attr.path().span(),
                    "`#[arg]` takes keys; write `#[arg(default = 10)]` or remove it",
                );
                continue;
            };
            keys(
                list.tokens.clone(),
                "`#[arg]`",
                KEYS,
                diag,
                |key, input, diag| {
                    match key.to_string().as_str() {
                        DEFAULT => arg.default.set(key, default(input)?, diag),
                        RANGE => arg.range.set(key, bounds(input)?, diag),
                        LENGTH => arg.length.set(key, bounds(input)?, diag),
                        PATTERN => arg.pattern.set(key, string(input)?, diag),
                        FORMAT => arg.format.set(key, string(input)?, diag),
                        EXAMPLE => arg.example.set(key, expression(input)?, diag),
                        EXAMPLES => arg.examples.set(key, expressions(input)?, diag),
                        RENAME => arg.rename.set(key, string(input)?, diag),
                        DESCRIPTION => arg.description.set(key, string(input)?, diag),
                        HEADER => arg.header.set(key, string(input)?, diag),
                        COMPLETE => arg.complete.set(key, complete(input)?, diag),
                        _ => arg.raw.set(key, flag(input)?, diag),
                    }
                    Ok(())
                },
            );
        }
        arg
    }
}

fn default(input: ParseStream<'_>) -> syn::Result<Option<Expr>> {
    if input.is_empty() || input.peek(Token![,]) {
        Ok(None)
    } else {
        expression(input).map(Some)
    }
}

/// `= path::to::function`, or `(path::to::function, inline)`.
fn complete(input: ParseStream<'_>) -> syn::Result<Complete> {
    if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        let function = input.parse()?;
        return Ok(Complete {
            function,
            inline: None,
        });
    }
    parenthesized(input, |content| {
        let function = content.parse()?;
        content.parse::<Token![,]>()?;
        let inline = content.parse::<inline>()?.span();
        content.parse::<Option<Token![,]>>()?;
        Ok(Complete {
            function,
            inline: Some(inline),
        })
    })
}

fn expressions(input: ParseStream<'_>) -> syn::Result<Vec<Expr>> {
    let list = parenthesized(input, Punctuated::<Expr, Token![,]>::parse_terminated)?;
    Ok(list.into_iter().collect())
}

/// `(1..=100)`, or `(3)` for exactly three.
pub(super) fn bounds(input: ParseStream<'_>) -> syn::Result<Bounds> {
    let whole = parenthesized(input, Expr::parse)?;
    let (start, end, is_half_open) = match &whole {
        Expr::Range(range) => {
            let is_half_open =
                range.end.is_some() && matches!(range.limits, RangeLimits::HalfOpen(_));
            (
                range.start.as_deref().cloned(),
                range.end.as_deref().cloned(),
                is_half_open,
            )
        }
        exact => (Some(exact.clone()), Some(exact.clone()), false),
    };
    Ok(Bounds {
        start,
        end,
        is_half_open,
        whole,
    })
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;
    use quote::quote;
    use syn::parse::Parser as _;

    use super::*;

    fn parse(tokens: TokenStream) -> (ArgAttr, Vec<String>) {
        let mut diag = Diagnostics::default();
        let attrs = Attribute::parse_outer.parse2(tokens).unwrap();
        let arg = ArgAttr::parse(&attrs, &mut diag);
        (arg, diag.finish().iter().map(ToString::to_string).collect())
    }

    #[test]
    fn every_key_is_read() {
        let (arg, errors) = parse(quote! {
            #[arg(default = f(1, 2), range(1..=100), length(3), pattern = "p", format = "date")]
            #[doc = "Words."]
            #[arg(example = 1, examples(2, 3), rename = "r", description = "d", header = "H", complete(a::b, inline), raw)]
        });
        assert_eq!(errors, [""; 0]);
        assert!(arg.default.get().unwrap().is_some());
        let range = arg.range.get().unwrap();
        assert!(range.start.is_some() && range.end.is_some() && !range.is_half_open);
        let length = arg.length.get().unwrap();
        assert!(length.start.is_some() && length.end.is_some());
        assert_eq!(arg.examples.get().unwrap().len(), 2);
        assert!(arg.example.get().is_some());
        assert!(
            arg.complete
                .get()
                .is_some_and(|complete| complete.inline.is_some())
        );
        assert_eq!(arg.raw.get(), Some(&true));
        for (once, value) in [
            (&arg.pattern, "p"),
            (&arg.format, "date"),
            (&arg.rename, "r"),
            (&arg.description, "d"),
            (&arg.header, "H"),
        ] {
            assert_eq!(once.get().unwrap().value(), value);
        }
    }

    #[test]
    fn a_bare_default_and_open_ranges_are_read() {
        let (arg, errors) = parse(quote!(#[arg(default, range(1..), length(..5))]));
        assert_eq!(errors, [""; 0]);
        assert!(arg.default.get().unwrap().is_none());
        assert!(arg.range.get().unwrap().end.is_none());
        assert!(arg.length.get().unwrap().is_half_open);
    }

    #[test]
    fn wrong_forms_name_the_right_one() {
        let (_, errors) = parse(
            quote!(#[arg] #[arg(range = 3, length(1, 2), defualt = 1, default = 1)] #[arg(default = 2)]),
        );
        assert_eq!(
            errors,
            [
                "`#[arg]` takes keys; write `#[arg(default = 10)]` or remove it",
                "`range` is written `range(1..=100)`",
                "`length` is written `length(1..=80)`",
                "unknown key `defualt`; did you mean `default`? keys: `default`, `range`, `length`, `pattern`, `format`, \
                 `example`, `examples`, `rename`, `description`, `header`, `complete`, `raw`",
                "`default` is set twice; remove this one",
            ]
        );
    }
}
