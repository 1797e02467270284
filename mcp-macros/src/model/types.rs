//! The type under `#[mcp_type]`, checked to be one that the derives take.
//!
//! Its fields are for serde and schemars to judge.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Data, DeriveInput, Expr, Field, LitStr, Path, Token, Visibility, parse_quote, token,
};

use crate::attr::elsewhere;
use crate::attr::param::{ARG, ArgAttr};
use crate::attr::types::TypeAttr;
use crate::diag::Diagnostics;
use crate::signature::find;

/// The key of serde for another name of a field.
const ALIAS: &str = "alias";

const DERIVES: [&str; 3] = ["Serialize", "Deserialize", "JsonSchema"];

/// A type that can be derived for.
pub(crate) struct Type {
    pub(crate) krate: Option<Path>,
    /// The traits to derive: all, but for those that the user derives by mistake.
    pub(crate) derives: Vec<&'static str>,
    /// The item without keys of ours.
    pub(crate) item: TokenStream,
}

impl Type {
    /// Checks the item, and reports what is wrong with it.
    ///
    /// A type with mistakes is derived for all the same, or it would be missed wherever it is used.
    pub(crate) fn new(attr: &TypeAttr, item: TokenStream, diag: &mut Diagnostics) -> Option<Self> {
        let mut is_type = false;
        let parser = |input: ParseStream<'_>| {
            let attrs = input.call(Attribute::parse_outer)?;
            input.parse::<Visibility>()?;
            is_type = input.peek(Token![struct]) || input.peek(Token![enum]);
            if !is_type {
                diag.error(input.span(), "`#[mcp_type]` goes on a struct or an enum");
            }
            // The rest is read by the derives.
            while !input.is_empty() {
                input.parse::<TokenTree>()?;
            }
            Ok(attrs)
        };
        let mut derives = DERIVES.to_vec();
        match parser.parse2(item.clone()) {
            Ok(attrs) => refuse_second_derives(&attrs, &mut derives, diag),
            Err(error) => diag.absorb(error),
        }
        is_type.then(|| Self {
            krate: attr.krate.get().cloned(),
            derives,
            item: adapted(item, diag),
        })
    }
}

/// Refuses `#[arg(…)]` on the fields and takes it off, and tells schemars of what serde alone knows.
fn adapted(item: TokenStream, diag: &mut Diagnostics) -> TokenStream {
    // Where there is nothing to do, the item stays as it was written.
    if find(item.clone(), &[ARG, ALIAS]).is_none() {
        return item;
    }
    let Ok(mut input) = syn::parse2::<DeriveInput>(item.clone()) else {
        return item;
    };
    let fields: Vec<&mut Field> = match &mut input.data {
        Data::Struct(data) => data.fields.iter_mut().collect(),
        Data::Enum(data) => data
            .variants
            .iter_mut()
            .flat_map(|variant| variant.fields.iter_mut())
            .collect(),
        Data::Union(_) => Vec::new(),
    };
    for field in fields {
        refuse_arg(field, diag);
        let aliases = aliases(field);
        if !aliases.is_empty() {
            // schemars has no word for other names of a member; the runtime reads this one, and does not publish it.
            field
                .attrs
                .push(parse_quote!(#[schemars(extend("x-mcp-alias" = [#(#aliases),*]))]));
        }
    }
    input.into_token_stream()
}

fn refuse_arg(field: &mut Field, diag: &mut Diagnostics) {
    let mut trial = Diagnostics::default();
    let arg = ArgAttr::parse(&field.attrs, &mut trial);
    // Another derive, such as that of a command line, may have an `#[arg]` with keys of its own.
    let is_ours = trial.finish().is_empty() && arg.raw.get().is_none();
    if let Some(span) = arg.span.filter(|_| is_ours) {
        diag.error(
            span,
            format!("`#[arg]` goes on parameters; {}", elsewhere::on_field(&arg)),
        );
        field.attrs.retain(|attr| !attr.path().is_ident(ARG));
    }
}

/// The texts of `#[serde(alias = "…")]`; what is wrong with them is for serde to say.
fn aliases(field: &Field) -> Vec<LitStr> {
    let mut aliases = Vec::new();
    for attr in field
        .attrs
        .iter()
        .filter(|attr| attr.path().is_ident("serde"))
    {
        let _ = attr.parse_nested_meta(|meta| {
            if meta.path.is_ident(ALIAS) {
                aliases.push(meta.value()?.parse()?);
            } else if meta.input.peek(Token![=]) {
                meta.value()?.parse::<Expr>()?;
            } else if meta.input.peek(token::Paren) {
                meta.input.parse::<TokenTree>()?;
            }
            Ok(())
        });
    }
    aliases
}

/// Two implementations of one trait would be reported by the compiler at neither of the attributes.
fn refuse_second_derives(
    attrs: &[Attribute],
    derives: &mut Vec<&'static str>,
    diag: &mut Diagnostics,
) {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("derive")) {
        // A list that is no list of paths is for `derive` itself to refuse.
        let Ok(paths) = attr.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated)
        else {
            continue;
        };
        for last in paths.iter().filter_map(|path| path.segments.last()) {
            if DERIVES.iter().any(|derive| last.ident == derive) {
                derives.retain(|derive| last.ident != derive);
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
