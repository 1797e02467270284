//! The registration of one prompt.

use proc_macro2::TokenStream;
use quote::quote;

use super::item;
use crate::model::prompt::Prompt;

/// The expansion of a prompt, to stand beside its function.
///
/// It is that of a tool, but for the entry and these lines:
///
/// ```text
/// static __MCP_PROMPT: __mcp_rt::PromptEntry = __mcp_rt::PromptEntry { item: …, allow_unknown: false };
/// __mcp_rt::submit!(prompt(__MCP_PROMPT));
/// let mut __mcp_0 = __mcp_rt::text_slot!(String);
/// __mcp_call.fill_texts(&mut [&mut __mcp_0])?;
/// __mcp_rt::respond_prompt!(String, __mcp_call.reply(), __mcp_value);
/// ```
pub(crate) fn prompt(prompt: &Prompt) -> TokenStream {
    let entry = item::entry(&prompt.item);
    let allow_unknown = prompt.allow_unknown;
    let statics = quote! {
        static __MCP_PROMPT: __mcp_rt::PromptEntry = __mcp_rt::PromptEntry {
            item: #entry,
            allow_unknown: #allow_unknown,
        };
        __mcp_rt::submit!(prompt(__MCP_PROMPT));
    };
    item::registration(
        &prompt.item,
        &statics,
        prompt.guard.as_deref(),
        "respond_prompt",
    )
}
