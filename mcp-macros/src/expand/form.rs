//! The implementation of a form, and that of a choice.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Expr, Type};

use super::{at, param};
use crate::attr::form::FormAttr;
use crate::doc::ungrouped;
use crate::model::form::{Asked, Choice, Field, Form, Shape};
use crate::paths;

/// The expansion of a type, to stand beside it.
pub(crate) fn form(form: &Form) -> TokenStream {
    let private = paths::private(form.krate.as_ref());
    let allow = form.allows_deprecated.then(|| quote!(#[allow(deprecated)]));
    let items = match &form.shape {
        Shape::Fields(fields) => self::fields(&form.name, fields),
        Shape::Choices(choices) => self::choices(&form.name, choices),
    };
    quote! {
        #allow
        const _: () = {
            use #private as __mcp_rt;
            #items
        };
    }
}

/// What stands in for the expansion of a type that was refused, so that its mistakes are not told again wherever it is used.
///
/// ```text
/// impl __mcp_rt::ElicitForm for Contact { fn requested_schema() -> … { loop {} } … }
/// ```
pub(crate) fn substitute(attr: &FormAttr, input: &DeriveInput) -> TokenStream {
    let private = paths::private(attr.krate.get());
    let name = &input.ident;
    if !input.generics.params.is_empty() {
        return TokenStream::new();
    }
    let implementation = if matches!(input.data, Data::Enum(_)) {
        quote! {
            impl __mcp_rt::FormChoice for #name {
                const CHOICES: &'static [__mcp_rt::Choice] = &[];
                fn position(&self) -> ::core::primitive::usize { loop {} }
                fn at(_: ::core::primitive::usize) -> ::core::option::Option<Self> { loop {} }
            }
        }
    } else {
        quote! {
            impl __mcp_rt::ElicitForm for #name {
                fn requested_schema() -> &'static ::core::primitive::str { loop {} }
                fn from_content(
                    _: &__mcp_rt::RawValue,
                ) -> ::core::result::Result<Self, __mcp_rt::FormFaults> { loop {} }
            }
        }
    };
    quote!(const _: () = { use #private as __mcp_rt; #implementation };)
}

/// ```text
/// static __MCP_FIELDS: [__mcp_rt::FieldEntry; 1] = […];
/// static __MCP_FORM: __mcp_rt::Form = __mcp_rt::Form::new(&__MCP_FIELDS);
/// impl __mcp_rt::ElicitForm for Contact { … }
/// ```
fn fields(name: &Ident, fields: &[Field]) -> TokenStream {
    let count = fields.len();
    let each = || fields.iter().enumerate();
    let entries = each().map(|(index, field)| entry(index, field));
    let defaults = each().filter_map(|(index, field)| default(index, field));
    let conditions = each().map(|(index, field)| conditions(index, field));
    let values = each().map(|(index, field)| value(index, field));
    // A form without fields leaves the answer as it is.
    let answer = if fields.is_empty() {
        quote!(__MCP_FORM.read(__mcp_content)?;)
    } else {
        quote!(let mut __mcp_answer = __MCP_FORM.read(__mcp_content)?;)
    };
    quote! {
        static __MCP_FIELDS: [__mcp_rt::FieldEntry; #count] = [#(#entries),*];
        static __MCP_FORM: __mcp_rt::Form = __mcp_rt::Form::new(&__MCP_FIELDS);
        #(#defaults)*
        #(#conditions)*
        #[automatically_derived]
        impl __mcp_rt::ElicitForm for #name {
            fn requested_schema() -> &'static ::core::primitive::str {
                __MCP_FORM.requested_schema()
            }

            fn from_content(
                __mcp_content: &__mcp_rt::RawValue,
            ) -> ::core::result::Result<Self, __mcp_rt::FormFaults> {
                #answer
                ::core::result::Result::Ok(Self { #(#values),* })
            }
        }
    }
}

/// The type that stands for the default of the field at `index`.
fn default_name(index: usize) -> Ident {
    format_ident!("__McpDefault{}", index)
}

/// ```text
/// __mcp_rt::FieldEntry::new("age", "Age", "In years.", __mcp_rt::field!(u8))
/// ```
fn entry(index: usize, field: &Field) -> TokenStream {
    let Field {
        name,
        title,
        description,
        ty,
        ..
    } = field;
    let kind = kind(ty);
    let plain = quote!(__mcp_rt::FieldEntry::new(#name, #title, #description, #kind));
    let mut fields = TokenStream::new();
    if !field.constraints.is_empty() {
        let constraints = param::constraints(&field.constraints);
        fields.extend(quote!(constraints: #constraints,));
    }
    if let Some(format) = field.format {
        let format = Ident::new(format, Span::call_site());
        let format = paths::option(Some(quote!(__mcp_rt::Format::#format)));
        fields.extend(quote!(format: #format,));
    }
    if field.default.is_some() {
        let default = default_name(index);
        let published = quote_spanned!(at(ty.span())=> __mcp_rt::published::<#ty, #default>);
        let published = paths::option(Some(published));
        fields.extend(quote!(default: #published,));
    }
    if fields.is_empty() {
        plain
    } else {
        quote!(__mcp_rt::FieldEntry { #fields ..#plain })
    }
}

fn kind(ty: &Type) -> TokenStream {
    quote_spanned!(at(ty.span())=> __mcp_rt::field!(#ty))
}

/// ```text
/// struct __McpDefault1;
/// impl __mcp_rt::Constant<<u8 as __mcp_rt::FormField>::Given> for __McpDefault1 {
///     const VALUE: <u8 as __mcp_rt::FormField>::Given = 18;
/// }
/// ```
fn default(index: usize, field: &Field) -> Option<TokenStream> {
    let expr = field.default.as_ref()?;
    let ty = &field.ty;
    let name = default_name(index);
    let given = quote_spanned!(at(ty.span())=> <#ty as __mcp_rt::FormField>::Given);
    let value = match ungrouped(expr) {
        // A list is written as an array, and a constant holds a slice.
        Expr::Array(_) => quote_spanned!(at(expr.span())=> &#expr),
        _ => quote!(#expr),
    };
    Some(quote! {
        struct #name;
        impl __mcp_rt::Constant<#given> for #name {
            const VALUE: #given = #value;
        }
    })
}

/// The conditions on the type and the default; the compiler shows the sentence of one that does not hold.
///
/// ```text
/// const _: () = __mcp_rt::require(__mcp_rt::field!(u8).takes_range(), "…");
/// ```
fn conditions(index: usize, field: &Field) -> TokenStream {
    let ty = &field.ty;
    let kind = kind(ty);
    let constraints = quote!(__MCP_FIELDS[#index].constraints);
    let conditions = field.questions.iter().map(|question| {
        let sentence = &question.sentence;
        let condition = match question.asked {
            Asked::TakesRange => quote!(#kind.takes_range()),
            Asked::HoldsRange => quote!(#kind.holds(&#constraints)),
            Asked::TakesHalfOpen => quote!(#kind.takes_half_open()),
            Asked::TakesLength => quote!(#kind.takes_length()),
            Asked::TakesItems => quote!(#kind.takes_items()),
            Asked::TakesDefault => quote!(!#kind.is_optional),
            Asked::DefaultFits => {
                let default = default_name(index);
                quote!(__mcp_rt::default_fits(
                    __mcp_rt::given!(#ty, #default), &#constraints, __MCP_FIELDS[#index].format
                ))
            }
            Asked::DefaultIsSafe => {
                let default = default_name(index);
                quote!(__mcp_rt::default_is_safe(__mcp_rt::given!(#ty, #default)))
            }
            Asked::IsOptionalOnce => quote!(#kind.is_optional_once()),
        };
        quote_spanned!(at(question.span)=> const _: () = __mcp_rt::require(#condition, #sentence);)
    });
    conditions.collect()
}

/// ```text
/// age: __mcp_answer.take_or::<u8, __McpDefault1>(1)?
/// ```
fn value(index: usize, field: &Field) -> TokenStream {
    let Field { ident, ty, .. } = field;
    let value = match &field.default {
        Some(_) => {
            let default = default_name(index);
            quote_spanned!(at(ty.span())=> __mcp_answer.take_or::<#ty, #default>(#index)?)
        }
        None => quote_spanned!(at(ty.span())=> __mcp_answer.take::<#ty>(#index)?),
    };
    quote!(#ident: #value)
}

/// ```text
/// impl __mcp_rt::FormChoice for Delivery {
///     const CHOICES: &'static [__mcp_rt::Choice] = &[__mcp_rt::Choice { value: "post", title: "By post" }];
///     fn position(&self) -> usize { match self { Self::Post => 0 } }
///     fn at(position: usize) -> Option<Self> { match position { 0 => Some(Self::Post), _ => None } }
/// }
/// ```
fn choices(name: &Ident, choices: &[Choice]) -> TokenStream {
    let entries = choices.iter().map(|choice| {
        let Choice { value, title, .. } = choice;
        quote!(__mcp_rt::Choice { value: #value, title: #title })
    });
    let variants = || choices.iter().map(|choice| &choice.ident).enumerate();
    let positions = variants().map(|(index, variant)| quote!(Self::#variant => #index));
    let found = variants().map(|(index, variant)| {
        let variant = paths::option(Some(quote!(Self::#variant)));
        quote!(#index => #variant)
    });
    let none = paths::option(None);
    quote! {
        #[automatically_derived]
        impl __mcp_rt::FormChoice for #name {
            const CHOICES: &'static [__mcp_rt::Choice] = &[#(#entries),*];

            fn position(&self) -> ::core::primitive::usize {
                match self { #(#positions),* }
            }

            fn at(__mcp_position: ::core::primitive::usize) -> ::core::option::Option<Self> {
                match __mcp_position { #(#found,)* _ => #none }
            }
        }
    }
}
