//! The registration of one tool.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;

use super::{at, param};
use crate::model::Icon;
use crate::model::tool::{Hints, Tool};
use crate::paths;

/// The expansion of a tool, to stand beside its function.
///
/// For `/// Add one. #[mcp_tool(read_only)] fn next(n: i64) -> i64` it is
///
/// ```text
/// const _: () = {
///     use ::mcp_runtime::__private as __mcp_rt;
///     static __MCP_PARAMS: [__mcp_rt::ParamEntry; 1] = [__mcp_rt::ParamEntry::new("n", "", __mcp_rt::param_kind::<i64, _>())];
///     static __MCP_TOOL: __mcp_rt::ToolEntry = __mcp_rt::ToolEntry { name: "next", … };
///     __mcp_rt::submit!(__MCP_TOOL);
///     fn __mcp_call(__mcp_call: &mut __mcp_rt::Invocation<'_>) -> ::core::result::Result<(), __mcp_rt::Rejected> {
///         let mut __mcp_0 = __mcp_rt::slot!(i64);
///         __mcp_call.fill(&mut [&mut __mcp_0])?;
///         let __mcp_value = next(__mcp_0.take());
///         __mcp_rt::respond!(i64, __mcp_call.reply(), __mcp_value);
///         ::core::result::Result::Ok(())
///     }
/// };
/// ```
pub(crate) fn tool(tool: &Tool) -> TokenStream {
    let private = paths::private(tool.krate.as_ref());
    let allow = tool.allows_deprecated.then(|| quote!(#[allow(deprecated)]));
    let entries = tool
        .params
        .iter()
        .enumerate()
        .map(|(index, param)| param::entry(index, param));
    let count = tool.params.len();
    let entry = entry(tool);
    let defaults = tool
        .params
        .iter()
        .enumerate()
        .filter_map(|(index, param)| param::default_function(index, param));
    let conditions = tool
        .params
        .iter()
        .enumerate()
        .map(|(index, param)| param::conditions(index, param));
    let contexts = contexts(tool);
    let call = call(tool);
    let guard = guard(tool);
    quote! {
        #allow
        const _: () = {
            use #private as __mcp_rt;
            static __MCP_PARAMS: [__mcp_rt::ParamEntry; #count] = [#(#entries),*];
            static __MCP_TOOL: __mcp_rt::ToolEntry = #entry;
            __mcp_rt::submit!(__MCP_TOOL);
            #guard
            #(#defaults)*
            #(#conditions)*
            #contexts
            #call
        };
    }
}

fn entry(tool: &Tool) -> TokenStream {
    let Tool {
        name,
        title,
        description,
        meta,
        group,
        timeout_ms,
        ..
    } = tool;
    let hints = hints(tool.hints);
    let icons = tool.icons.iter().map(icon);
    let timeout_ms = paths::option(timeout_ms.map(|timeout| quote!(#timeout)));
    let output = output(tool);
    let color = if tool.is_async {
        quote!(Async)
    } else {
        quote!(Sync)
    };
    let location = quote_spanned!(at(tool.function.span())=> __mcp_rt::location!());
    quote! {
        __mcp_rt::ToolEntry {
            name: #name,
            title: #title,
            description: #description,
            hints: #hints,
            icons: &[#(#icons),*],
            meta: #meta,
            group: #group,
            timeout_ms: #timeout_ms,
            params: &__MCP_PARAMS,
            output: #output,
            call: __mcp_rt::ToolFn::#color(__mcp_call),
            location: #location,
        }
    }
}

fn hints(hints: Hints) -> TokenStream {
    let Hints {
        read_only,
        destructive,
        idempotent,
        open_world,
    } = hints;
    let all = [read_only, destructive, idempotent, open_world];
    if all.iter().all(Option::is_none) {
        return quote!(__mcp_rt::Hints::UNSET);
    }
    // Written out: Clippy would complain of `..UNSET` where nothing is left for it.
    let [read_only, destructive, idempotent, open_world] =
        all.map(|hint| paths::option(hint.map(|hint| quote!(#hint))));
    quote! {
        __mcp_rt::Hints {
            read_only: #read_only,
            destructive: #destructive,
            idempotent: #idempotent,
            open_world: #open_world,
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

/// ```text
/// || __mcp_rt::output_spec!(Result<Vec<Hit>, SearchError>)
/// ```
fn output(tool: &Tool) -> TokenStream {
    match &tool.output {
        Some(ty) => quote_spanned!(at(ty.span())=> || __mcp_rt::output_spec!(#ty)),
        None => quote!(|| __mcp_rt::output_spec!(())),
    }
}

/// The thunk: arguments in, function called, result written.
///
/// An async function's slots move into its future, which ends with the reply.
fn call(tool: &Tool) -> TokenStream {
    let count = tool.params.len();
    let slots: Vec<_> = (0..count).map(param::slot).collect();
    let makes = tool.params.iter().zip(&slots).map(|(param, slot)| {
        let owned = param::owned(param);
        quote_spanned!(at(param.ty.span())=> let mut #slot = __mcp_rt::slot!(#owned);)
    });
    let defaults = tool
        .params
        .iter()
        .enumerate()
        .filter_map(|(index, param)| param::fill_default(index, param));
    let arguments = tool
        .params
        .iter()
        .enumerate()
        .map(|(index, param)| param::argument(index, param));
    let function = &tool.function;
    let called = quote!(#function(#(#arguments),*));
    let fill = quote! {
        #(#makes)*
        __mcp_call.fill(&mut [#(&mut #slots),*])?;
        #(#defaults)*
    };
    if tool.is_async {
        let finish = finish(tool, &quote!(&mut __mcp_reply));
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
        let finish = finish(tool, &quote!(__mcp_call.reply()));
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

fn finish(tool: &Tool, reply: &TokenStream) -> TokenStream {
    match &tool.output {
        Some(ty) => quote_spanned!(at(ty.span())=> __mcp_rt::respond!(#ty, #reply, __mcp_value);),
        None => quote!(__mcp_rt::respond!((), #reply, __mcp_value);),
    }
}

/// Refuses a second context, at its type. Parameters with keys or a comment of their own are arguments.
///
/// ```text
/// const _: () = __mcp_rt::require(__mcp_rt::is_first_context(&__MCP_PARAMS, 2), "…");
/// ```
fn contexts(tool: &Tool) -> TokenStream {
    let later = tool
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

/// A symbol that two tools of one name in one crate would both define, so that the build fails.
///
/// ```text
/// #[cfg(not(test))]
/// __mcp_rt::guard!("__mcp_one_tool_per_name__search____lib_20shop_200_2e1_2e0");
/// ```
fn guard(tool: &Tool) -> Option<TokenStream> {
    let symbol = tool.guard.as_deref()?;
    Some(quote_spanned! {at(tool.function.span())=>
        #[cfg(not(test))]
        __mcp_rt::guard!(#symbol);
    })
}
