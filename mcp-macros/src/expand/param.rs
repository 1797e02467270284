//! The entry of one parameter, its slot, and the conditions on its type.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Expr, Lit};

use super::at;
use crate::attr::param::Complete;
use crate::doc::ungrouped;
use crate::model::constraint::{Constraints, Number};
use crate::model::param::{Asked, DefaultValue, Mistaken, Param};
use crate::paths;
use crate::subject::Wire;

/// The variable of the parameter at `index`.
pub(super) fn slot(index: usize) -> Ident {
    format_ident!("__mcp_{}", index)
}

/// The function that makes the default of the parameter at `index`.
fn default(index: usize) -> Ident {
    format_ident!("__mcp_default_{}", index)
}

/// The function that completes the parameter at `index`.
fn complete(index: usize) -> Ident {
    format_ident!("__mcp_complete_{}", index)
}

/// The type that is owned while the function runs.
///
/// ```text
/// <str as __mcp_rt::Borrowed>::Owned
/// ```
pub(super) fn owned(param: &Param) -> TokenStream {
    let ty = &param.ty;
    if param.is_lent {
        quote_spanned!(at(ty.span())=> <#ty as __mcp_rt::Borrowed>::Owned)
    } else {
        quote!(#ty)
    }
}

/// ```text
/// __mcp_rt::ParamEntry {
///     default: ::core::option::Option::Some(|| __mcp_rt::json(__mcp_default_1())),
///     ..__mcp_rt::ParamEntry::new("limit", "How many.", __mcp_rt::param_kind::<u32, _>())
/// }
/// ```
pub(super) fn entry(index: usize, param: &Param, wire: Wire) -> TokenStream {
    let Param {
        name,
        description,
        header,
        ..
    } = param;
    let owned = owned(param);
    let kind = kind(param, wire);
    let plain = quote!(__mcp_rt::ParamEntry::new(#name, #description, #kind));
    let mut fields = TokenStream::new();
    if param.default.is_some() {
        let made = match wire {
            Wire::Json => {
                let default = default(index);
                let json = quote_spanned!(at(param.ty.span())=> __mcp_rt::json::<#owned>);
                quote!(#json(#default()))
            }
            // Defaults of texts are not shown to clients.
            Wire::Text => quote!(::core::option::Option::None),
        };
        fields.extend(quote!(default: ::core::option::Option::Some(|| #made),));
    }
    if !param.constraints.is_empty() {
        let constraints = constraints(&param.constraints);
        fields.extend(quote!(constraints: #constraints,));
    }
    if !param.examples.is_empty() {
        let examples = param.examples.iter().map(|example| {
            let value = value(example);
            quote_spanned!(at(param.ty.span())=> __mcp_rt::example!(#owned, #value))
        });
        fields.extend(
            quote!(examples: ::core::option::Option::Some(|| __mcp_rt::list([#(#examples),*])),),
        );
    }
    if !header.is_empty() {
        fields.extend(quote!(header: #header,));
    }
    if wire == Wire::Text {
        fields.extend(text_fields(index, param));
    }
    if fields.is_empty() {
        plain
    } else {
        quote!(__mcp_rt::ParamEntry { #fields ..#plain })
    }
}

/// ```text
/// __mcp_rt::param_kind::<u32, _>()
/// __mcp_rt::json_kind::<Json<u32>, __mcp_rt::ToTool<_>>()
/// ```
fn kind(param: &Param, wire: Wire) -> TokenStream {
    let owned = owned(param);
    let span = at(param.ty.span());
    let Some(mistaken) = param.mistaken else {
        return match wire {
            Wire::Json => quote_spanned!(span=> __mcp_rt::param_kind::<#owned, _>()),
            Wire::Text => quote_spanned!(span=> __mcp_rt::text_kind::<#owned, _>()),
        };
    };
    let function = match mistaken {
        Mistaken::Json => "json_kind",
        Mistaken::Principal => "principal_kind",
        Mistaken::OptionalState => "optional_state_kind",
    };
    let function = Ident::new(function, span);
    let sent = match wire {
        Wire::Json => quote_spanned!(span=> ToTool),
        Wire::Text => quote_spanned!(span=> AsText),
    };
    quote_spanned!(span=> __mcp_rt::#function::<#owned, __mcp_rt::#sent<_>>())
}

/// What only texts have.
fn text_fields(index: usize, param: &Param) -> TokenStream {
    let owned = owned(param);
    let mut fields = match &param.complete {
        Some(completer) => {
            let call = complete(index);
            let execution = complete_execution(completer);
            quote! {
                complete: ::core::option::Option::Some(__mcp_rt::Completer { call: #call, execution: || #execution }),
            }
        }
        None => quote!(choices: ::core::option::Option::Some(|| __mcp_rt::choices!(#owned)),),
    };
    if param.is_guarded {
        fields.extend(quote!(is_guarded: __mcp_rt::is_text!(#owned),));
    }
    fields
}

/// ```text
/// __mcp_rt::complete_execution!(tones)
/// ```
fn complete_execution(Complete { function, inline }: &Complete) -> TokenStream {
    match inline {
        None => quote_spanned!(at(function.span())=> __mcp_rt::complete_execution!(#function)),
        Some(inline) => {
            quote_spanned!(at(*inline)=> __mcp_rt::complete_execution!(#function, inline))
        }
    }
}

/// ```text
/// fn __mcp_complete_1(__mcp_asked: __mcp_rt::CompletionRequest) -> __mcp_rt::CompletionFuture {
///     __mcp_rt::completion(async move { __mcp_rt::complete!(tones, __mcp_asked) })
/// }
/// ```
pub(super) fn complete_function(index: usize, param: &Param) -> Option<TokenStream> {
    let function = &param.complete.as_ref()?.function;
    let name = complete(index);
    let completed =
        quote_spanned!(at(function.span())=> __mcp_rt::complete!(#function, __mcp_asked));
    Some(quote! {
        fn #name(__mcp_asked: __mcp_rt::CompletionRequest) -> __mcp_rt::CompletionFuture {
            __mcp_rt::completion(async move { #completed })
        }
    })
}

/// The slot of a parameter, empty.
///
/// ```text
/// let mut __mcp_0 = __mcp_rt::slot!(i64);
/// ```
pub(super) fn make_slot(index: usize, param: &Param, wire: Wire) -> TokenStream {
    let owned = owned(param);
    let slot = slot(index);
    match wire {
        Wire::Json => {
            quote_spanned!(at(param.ty.span())=> let mut #slot = __mcp_rt::slot!(#owned);)
        }
        Wire::Text => {
            quote_spanned!(at(param.ty.span())=> let mut #slot = __mcp_rt::text_slot!(#owned);)
        }
    }
}

/// ```text
/// fn __mcp_default_1() -> u32 {
///     10
/// }
/// ```
pub(super) fn default_function(index: usize, param: &Param) -> Option<TokenStream> {
    let owned = owned(param);
    let name = default(index);
    let body = match param.default.as_ref()? {
        DefaultValue::OfType(span) => {
            quote_spanned!(at(*span)=> ::core::default::Default::default())
        }
        DefaultValue::Given(expr) => value(expr),
    };
    Some(quote! {
        fn #name() -> #owned {
            #body
        }
    })
}

/// ```text
/// __mcp_1.or_default(__mcp_default_1);
/// ```
pub(super) fn fill_default(index: usize, param: &Param) -> Option<TokenStream> {
    param.default.as_ref()?;
    let (slot, default) = (slot(index), default(index));
    Some(quote!(#slot.or_default(#default);))
}

/// What the function is called with.
///
/// ```text
/// <str as __mcp_rt::Borrowed>::lend(__mcp_0.peek()), __mcp_1.take()
/// ```
pub(super) fn argument(index: usize, param: &Param) -> TokenStream {
    let slot = slot(index);
    let ty = &param.ty;
    if param.is_lent {
        quote_spanned!(at(ty.span())=> <#ty as __mcp_rt::Borrowed>::lend(#slot.peek()))
    } else {
        quote!(#slot.take())
    }
}

/// The conditions on the type; the compiler shows the sentence of one that does not hold.
///
/// ```text
/// const _: () = __mcp_rt::require(__mcp_rt::shape!(u32).takes_range(), "…");
/// ```
pub(super) fn conditions(index: usize, param: &Param) -> TokenStream {
    let owned = owned(param);
    let conditions = param.questions.iter().map(|question| {
        let sentence = &question.sentence;
        let condition = match question.asked {
            Asked::IsArgument => quote!(__mcp_rt::is_argument(&__MCP_PARAMS, #index)),
            Asked::TakesDefault => quote!(!__mcp_rt::is_optional!(#owned)),
            Asked::TakesRange => quote!(__mcp_rt::shape!(#owned).takes_range()),
            Asked::Holds(bound) => quote!(__mcp_rt::shape!(#owned).holds(#bound)),
            Asked::TakesLength => quote!(__mcp_rt::shape!(#owned).takes_length()),
            Asked::TakesPattern => quote!(__mcp_rt::shape!(#owned).takes_pattern()),
            Asked::IsInjected => quote!(!__mcp_rt::is_argument(&__MCP_PARAMS, #index)),
            Asked::IsPlain => quote!(!__mcp_rt::is_optional!(#owned)),
            Asked::TakesHeader => quote!(__mcp_rt::shape!(#owned).takes_header()),
        };
        quote_spanned!(at(question.span)=> const _: () = __mcp_rt::require(#condition, #sentence);)
    });
    conditions.collect()
}

/// A value of the parameter's type: a text literal is converted, everything else is typed by its place.
fn value(expr: &Expr) -> TokenStream {
    match ungrouped(expr) {
        Expr::Lit(literal) if matches!(literal.lit, Lit::Str(_)) => {
            quote_spanned!(at(expr.span())=> __mcp_rt::text(#expr))
        }
        _ => quote!(#expr),
    }
}

/// ```text
/// __mcp_rt::Constraints { minimum: ::core::option::Option::Some(__mcp_rt::Bound::Int(1)), ..__mcp_rt::Constraints::NONE }
/// ```
pub(super) fn constraints(constraints: &Constraints) -> TokenStream {
    let Constraints {
        minimum,
        maximum,
        min_length,
        max_length,
        pattern,
        format,
        ..
    } = constraints;
    let numbers = [("minimum", minimum), ("maximum", maximum)]
        .into_iter()
        .filter_map(|(field, number)| number.map(|number| (field, bound(number))));
    let lengths = [("min_length", min_length), ("max_length", max_length)]
        .into_iter()
        .filter_map(|(field, length)| length.map(|length| (field, quote!(#length))));
    let texts = [("pattern", pattern), ("format", format)]
        .into_iter()
        .filter_map(|(field, text)| text.as_ref().map(|text| (field, quote!(#text))));
    let fields = numbers.chain(lengths).chain(texts).map(|(field, value)| {
        let field = Ident::new(field, Span::call_site());
        let value = paths::option(Some(value));
        quote!(#field: #value,)
    });
    let exclusive = constraints
        .excludes_maximum
        .then(|| quote!(exclusive_maximum: true,));
    quote!(__mcp_rt::Constraints { #(#fields)* #exclusive ..__mcp_rt::Constraints::NONE })
}

fn bound(number: Number) -> TokenStream {
    match number {
        Number::Int(int) => quote!(__mcp_rt::Bound::Int(#int)),
        Number::Float(float) => quote!(__mcp_rt::Bound::Float(#float)),
    }
}
