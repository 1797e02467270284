//! The keys of `#[form(…)]` on a form, on its fields, and on the variants of a choice, with their positions.
//!
//! Whether a value fits the field is decided by the model stage, or by the compiler where it takes the type.

use proc_macro2::Ident;
use syn::parse::ParseStream;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, LitStr, Meta, Path};

use super::item::{CRATE, krate};
use super::param::{Bounds, bounds};
use super::{Key, Once, expression, keys, string};
use crate::diag::Diagnostics;

/// The name of the attribute.
pub(crate) const FORM: &str = "form";

const TITLE: Key = Key {
    name: "title",
    example: "title = \"Your age\"",
};
const RENAME: Key = Key {
    name: "rename",
    example: "rename = \"from\"",
};
const FIELD_KEYS: &[Key] = &[
    TITLE,
    Key {
        name: "description",
        example: "description = \"In years.\"",
    },
    Key {
        name: "default",
        example: "default = 18",
    },
    Key {
        name: "range",
        example: "range(18..=130)",
    },
    Key {
        name: "length",
        example: "length(1..=80)",
    },
    Key {
        name: "items",
        example: "items(1..=3)",
    },
    Key {
        name: "format",
        example: "format = \"email\"",
    },
    RENAME,
];
const VARIANT_KEYS: &[Key] = &[TITLE, RENAME];

/// What `#[form(…)]` on the type says.
#[derive(Default)]
pub(crate) struct FormAttr {
    pub(crate) krate: Once<Path>,
}

impl FormAttr {
    /// Reads the `#[form]` attributes among `attrs`.
    pub(crate) fn parse(attrs: &[Attribute], diag: &mut Diagnostics) -> Self {
        let mut form = Self::default();
        read(
            attrs,
            &[CRATE],
            "crate = path::to::mcp_runtime",
            diag,
            |key, input, diag| {
                form.krate.set(key, krate(input)?, diag);
                Ok(())
            },
        );
        form
    }
}

/// What the `#[form(…)]` attributes of one field say.
#[derive(Default)]
pub(crate) struct FieldAttr {
    pub(crate) title: Once<LitStr>,
    pub(crate) description: Once<LitStr>,
    pub(crate) default: Once<Expr>,
    pub(crate) range: Once<Bounds>,
    pub(crate) length: Once<Bounds>,
    pub(crate) items: Once<Bounds>,
    pub(crate) format: Once<LitStr>,
    pub(crate) rename: Once<LitStr>,
}

impl FieldAttr {
    /// Reads the `#[form]` attributes among `attrs`.
    pub(crate) fn parse(attrs: &[Attribute], diag: &mut Diagnostics) -> Self {
        let mut field = Self::default();
        read(
            attrs,
            FIELD_KEYS,
            "default = 18",
            diag,
            |key, input, diag| {
                match key.to_string().as_str() {
                    "title" => field.title.set(key, string(input)?, diag),
                    "description" => field.description.set(key, string(input)?, diag),
                    "default" => field.default.set(key, expression(input)?, diag),
                    "range" => field.range.set(key, bounds(input)?, diag),
                    "length" => field.length.set(key, bounds(input)?, diag),
                    "items" => field.items.set(key, bounds(input)?, diag),
                    "format" => field.format.set(key, string(input)?, diag),
                    _ => field.rename.set(key, string(input)?, diag),
                }
                Ok(())
            },
        );
        field
    }
}

/// What the `#[form(…)]` attributes of one variant say.
#[derive(Default)]
pub(crate) struct VariantAttr {
    pub(crate) title: Once<LitStr>,
    pub(crate) rename: Once<LitStr>,
}

impl VariantAttr {
    /// Reads the `#[form]` attributes among `attrs`.
    pub(crate) fn parse(attrs: &[Attribute], diag: &mut Diagnostics) -> Self {
        let mut variant = Self::default();
        read(
            attrs,
            VARIANT_KEYS,
            "title = \"Next day\"",
            diag,
            |key, input, diag| {
                match key.to_string().as_str() {
                    "title" => variant.title.set(key, string(input)?, diag),
                    _ => variant.rename.set(key, string(input)?, diag),
                }
                Ok(())
            },
        );
        variant
    }
}

/// Hands the keys of all `#[form]` attributes among `attrs` to `set`.
fn read(
    attrs: &[Attribute],
    known: &[Key],
    example: &str,
    diag: &mut Diagnostics,
    mut set: impl FnMut(&Ident, ParseStream<'_>, &mut Diagnostics) -> syn::Result<()>,
) {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident(FORM)) {
        let Meta::List(list) = &attr.meta else {
            diag.error(
                attr.path().span(),
                format!("`#[form]` takes keys; write `#[form({example})]` or remove it"),
            );
            continue;
        };
        keys(list.tokens.clone(), "`#[form]`", known, diag, &mut set);
    }
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;
    use quote::quote;
    use syn::parse::Parser as _;

    use super::*;

    fn attrs(tokens: TokenStream) -> Vec<Attribute> {
        Attribute::parse_outer.parse2(tokens).unwrap()
    }

    fn sentences(diag: Diagnostics) -> Vec<String> {
        diag.finish().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_key_is_read() {
        let mut diag = Diagnostics::default();
        let field = FieldAttr::parse(
            &attrs(quote! {
                #[form(title = "t", description = "d", default = A::B, range(1..=2))]
                #[serde(default)]
                #[form(length(..3), items(2), format = "uri", rename = "r")]
            }),
            &mut diag,
        );
        let variant = VariantAttr::parse(
            &attrs(quote!(#[form(rename = "v", title = "V")])),
            &mut diag,
        );
        let form = FormAttr::parse(&attrs(quote!(#[form(crate = a::b)])), &mut diag);
        assert_eq!(sentences(diag), [""; 0]);
        for (once, value) in [
            (&field.title, "t"),
            (&field.description, "d"),
            (&field.format, "uri"),
            (&field.rename, "r"),
            (&variant.rename, "v"),
            (&variant.title, "V"),
        ] {
            assert_eq!(once.get().unwrap().value(), value);
        }
        assert!(field.default.get().is_some());
        assert!(!field.range.get().unwrap().is_half_open);
        assert!(field.length.get().unwrap().is_half_open);
        assert!(field.items.get().unwrap().end.is_some());
        assert!(form.krate.get().is_some());
    }

    #[test]
    fn wrong_forms_name_the_right_one() {
        let mut diag = Diagnostics::default();
        FieldAttr::parse(
            &attrs(
                quote!(#[form] #[form(default, range = 3, pattern = "a", titel = "T", format = "uri")] #[form(format = "date")]),
            ),
            &mut diag,
        );
        VariantAttr::parse(&attrs(quote!(#[form(default)])), &mut diag);
        FormAttr::parse(&attrs(quote!(#[form(title = "T")])), &mut diag);
        let known = "keys: `title`, `description`, `default`, `range`, `length`, `items`, `format`, `rename`";
        assert_eq!(
            sentences(diag),
            [
                "`#[form]` takes keys; write `#[form(default = 18)]` or remove it".to_owned(),
                "`default` is written `default = 18`".to_owned(),
                "`range` is written `range(18..=130)`".to_owned(),
                format!("unknown key `pattern`; {known}"),
                format!("unknown key `titel`; did you mean `title`? {known}"),
                "`format` is set twice; remove this one".to_owned(),
                "unknown key `default`; keys: `title`, `rename`".to_owned(),
                "unknown key `title`; keys: `crate`".to_owned(),
            ]
        );
    }
}
