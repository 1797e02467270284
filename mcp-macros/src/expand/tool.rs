//! The registration of one tool.

use proc_macro2::TokenStream;
use quote::quote;

use super::item;
use crate::model::tool::{Hints, TaskSupport, Tool};
use crate::paths;

/// The expansion of a tool, to stand beside its function.
///
/// For `/// Add one. #[mcp_tool(read_only)] fn next(n: i64) -> i64` it is
///
/// ```text
/// const _: () = {
///     use ::mcp_runtime::__private as __mcp_rt;
///     static __MCP_PARAMS: [__mcp_rt::ParamEntry; 1] = [__mcp_rt::ParamEntry::new("n", "", __mcp_rt::param_kind::<i64, _>())];
///     static __MCP_TOOL: __mcp_rt::ToolEntry = __mcp_rt::ToolEntry { item: …, … };
///     __mcp_rt::submit!(tool(__MCP_TOOL));
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
    let entry = item::entry(&tool.item);
    let hints = hints(tool.hints);
    let task = task(tool.task);
    let output = item::of_output(&tool.item, "output_spec");
    let statics = quote! {
        static __MCP_TOOL: __mcp_rt::ToolEntry = __mcp_rt::ToolEntry {
            item: #entry,
            hints: #hints,
            task: #task,
            output: || #output,
        };
        __mcp_rt::submit!(tool(__MCP_TOOL));
    };
    item::registration(&tool.item, &statics, tool.guard.as_deref(), "respond")
}

fn task(support: TaskSupport) -> TokenStream {
    match support {
        TaskSupport::Forbidden => quote!(__mcp_rt::TaskSupport::Forbidden),
        TaskSupport::Optional => quote!(__mcp_rt::TaskSupport::Optional),
        TaskSupport::Required => quote!(__mcp_rt::TaskSupport::Required),
        TaskSupport::Deferred => quote!(__mcp_rt::TaskSupport::Deferred),
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
