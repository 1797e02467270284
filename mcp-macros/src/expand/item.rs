//! The parts of a registration that are the same for tools, prompts and resources.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;

use super::{at, param};
use crate::model::Icon;
use crate::model::item::{Execution, Item};
use crate::paths;
use crate::subject::{Subject, Wire};

/// The expansion of a function, to stand beside it.
///
/// `statics` are the items that make the entry and leave it for the registry; `responds` is the macro that turns what the
/// function returned into a reply.
pub(super) fn registration(
    item: &Item,
    statics: &TokenStream,
    guard: Option<&str>,
    responds: &str,
) -> TokenStream {
    let private = paths::private(item.krate.as_ref());
    let allow = item.allows_deprecated.then(|| quote!(#[allow(deprecated)]));
    let wire = item.subject.wire();
    let params = || item.params.iter().enumerate();
    let entries = params().map(|(index, param)| param::entry(index, param, wire));
    let count = item.params.len();
    let defaults = params().filter_map(|(index, param)| param::default_function(index, param));
    let conditions = params().map(|(index, param)| param::conditions(index, param));
    let completions = params().filter_map(|(index, param)| param::complete_function(index, param));
    let contexts = contexts(item);
    let lists = (item.subject == Subject::Prompt).then(|| lists(item));
    let call = call(item, responds);
    let guard = guard.map(|symbol| self::guard(item, symbol));
    quote! {
        #allow
        const _: () = {
            use #private as __mcp_rt;
            static __MCP_PARAMS: [__mcp_rt::ParamEntry; #count] = [#(#entries),*];
            #statics
            #guard
            #(#defaults)*
            #(#completions)*
            #(#conditions)*
            #contexts
            #lists
            #call
        };
    }
}

/// ```text
/// __mcp_rt::ItemEntry { name: "next", …, call: __mcp_rt::CallFn::Blocking(__mcp_call), location: __mcp_rt::location!() }
/// ```
pub(super) fn entry(item: &Item) -> TokenStream {
    let Item {
        name,
        title,
        description,
        meta,
        group,
        timeout_ms,
        ..
    } = item;
    let icons = item.icons.iter().map(icon);
    let timeout_ms = paths::option(timeout_ms.map(|timeout| quote!(#timeout)));
    let execution = match item.execution {
        Execution::Inline => quote!(Inline),
        Execution::Blocking => quote!(Blocking),
        Execution::Async => quote!(Async),
    };
    let location = quote_spanned!(at(item.function.span())=> __mcp_rt::location!());
    quote! {
        __mcp_rt::ItemEntry {
            name: #name,
            title: #title,
            description: #description,
            icons: &[#(#icons),*],
            meta: #meta,
            group: #group,
            timeout_ms: #timeout_ms,
            params: &__MCP_PARAMS,
            call: __mcp_rt::CallFn::#execution(__mcp_call),
            location: #location,
        }
    }
}

/// A macro of the hidden module called with the type that a function returns, all of it at the type's place.
///
/// ```text
/// __mcp_rt::output_spec!(Result<Vec<Hit>, SearchError>)
/// ```
pub(super) fn of_output(item: &Item, name: &str) -> TokenStream {
    match &item.output {
        Some(ty) => {
            let name = Ident::new(name, at(ty.span()));
            quote_spanned!(at(ty.span())=> __mcp_rt::#name!(#ty))
        }
        None => {
            let name = Ident::new(name, Span::call_site());
            quote!(__mcp_rt::#name!(()))
        }
    }
}

/// The same with the reply and what the function returned.
///
/// ```text
/// __mcp_rt::respond!(Result<Vec<Hit>, SearchError>, __mcp_call.reply(), __mcp_value);
/// ```
fn respond(item: &Item, name: &str, reply: &TokenStream) -> TokenStream {
    match &item.output {
        Some(ty) => {
            let name = Ident::new(name, at(ty.span()));
            quote_spanned!(at(ty.span())=> __mcp_rt::#name!(#ty, #reply, __mcp_value);)
        }
        None => {
            let name = Ident::new(name, Span::call_site());
            quote!(__mcp_rt::#name!((), #reply, __mcp_value);)
        }
    }
}

fn icon(icon: &Icon) -> TokenStream {
    let Icon {
        src,
        mime_type,
        sizes,
        theme,
    } = icon;
    let mime_type = mime_type.as_deref().unwrap_or_default();
    let theme = theme.as_deref().unwrap_or_default();
    quote!(__mcp_rt::IconEntry { src: #src, mime_type: #mime_type, sizes: &[#(#sizes),*], theme: #theme })
}

/// The thunk: arguments in, function called, result written.
///
/// An async function's slots move into its future, which ends with the reply.
fn call(item: &Item, responds: &str) -> TokenStream {
    let wire = item.subject.wire();
    let count = item.params.len();
    let slots: Vec<_> = (0..count).map(param::slot).collect();
    let makes = item
        .params
        .iter()
        .enumerate()
        .map(|(index, param)| param::make_slot(index, param, wire));
    let fills = match wire {
        Wire::Json => quote!(fill),
        Wire::Text => quote!(fill_texts),
    };
    let defaults = item
        .params
        .iter()
        .enumerate()
        .filter_map(|(index, param)| param::fill_default(index, param));
    let arguments = item
        .params
        .iter()
        .enumerate()
        .map(|(index, param)| param::argument(index, param));
    let function = &item.function;
    let called = quote!(#function(#(#arguments),*));
    let fill = quote! {
        #(#makes)*
        __mcp_call.#fills(&mut [#(&mut #slots),*])?;
        #(#defaults)*
    };
    if item.execution == Execution::Async {
        let finish = respond(item, responds, &quote!(&mut __mcp_reply));
        let future = quote_spanned!(at(function.span())=> __mcp_rt::boxed(async move {
            let __mcp_value = #called.await;
            #finish
            __mcp_reply
        }));
        quote! {
            fn __mcp_call(
                __mcp_call: &mut __mcp_rt::Invocation<'_>,
            ) -> ::core::result::Result<__mcp_rt::BoxFuture, __mcp_rt::Rejected> {
                #fill
                let mut __mcp_reply = __mcp_call.take_reply();
                ::core::result::Result::Ok(#future)
            }
        }
    } else {
        let finish = respond(item, responds, &quote!(__mcp_call.reply()));
        quote! {
            fn __mcp_call(
                __mcp_call: &mut __mcp_rt::Invocation<'_>,
            ) -> ::core::result::Result<(), __mcp_rt::Rejected> {
                #fill
                let __mcp_value = #called;
                #finish
                ::core::result::Result::Ok(())
            }
        }
    }
}

/// Refuses a second context, at its type. Parameters with keys or a comment of their own are arguments.
///
/// ```text
/// const _: () = __mcp_rt::require(__mcp_rt::is_first_context(&__MCP_PARAMS, 2), "…");
/// ```
fn contexts(item: &Item) -> TokenStream {
    let later = item
        .params
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(_, param)| param.questions.is_empty());
    let conditions = later.map(|(index, param)| {
        let sentence = "the function has a context already; remove this one";
        quote_spanned!(at(param.ty.span())=> __mcp_rt::require(__mcp_rt::is_first_context(&__MCP_PARAMS, #index), #sentence);)
    });
    let conditions: TokenStream = conditions.collect();
    if conditions.is_empty() {
        return conditions;
    }
    quote!(const _: () = { #conditions };)
}

/// Refuses lists, at their types: an argument of a prompt is one text.
///
/// ```text
/// const _: () = __mcp_rt::require(__mcp_rt::is_one_text(&__MCP_PARAMS, 0), "…");
/// ```
fn lists(item: &Item) -> TokenStream {
    let conditions = item.params.iter().enumerate().map(|(index, param)| {
        let sentence = format!(
            "`{}` comes as one text; take a `String` and split it in the body",
            param.name
        );
        quote_spanned!(at(param.ty.span())=> const _: () = __mcp_rt::require(__mcp_rt::is_one_text(&__MCP_PARAMS, #index), #sentence);)
    });
    conditions.collect()
}

/// A symbol that two tools of one name in one crate would both define, so that the build fails.
///
/// ```text
/// #[cfg(not(test))]
/// __mcp_rt::guard!("__mcp_two_tools_are_called__search__write_another_name_on_one_of_them__lib__shop__0_1_0");
/// ```
fn guard(item: &Item, symbol: &str) -> TokenStream {
    quote_spanned! {at(item.function.span())=>
        #[cfg(not(test))]
        __mcp_rt::guard!(#symbol);
    }
}
