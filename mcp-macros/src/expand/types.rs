//! The derives that `#[mcp_type]` puts on a type.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::types::Type;
use crate::paths;

/// What stands above the type.
///
/// ```text
/// ::mcp_runtime::__private::derive_scope!();
/// #[derive(::mcp_runtime::__private::serde::Serialize, …)]
/// #[serde(crate = "::mcp_runtime::__private::serde")]
/// #[schemars(crate = "::mcp_runtime::__private::schemars")]
/// ```
pub(crate) fn head(ty: &Type) -> TokenStream {
    let private = paths::private(ty.krate.as_ref());
    let serde = quote!(#private::serde);
    let schemars = quote!(#private::schemars);
    // Both take their path as the text of a literal.
    let serde_text = serde.to_string().replace(' ', "");
    let schemars_text = schemars.to_string().replace(' ', "");
    quote! {
        #private::derive_scope!();
        #[derive(#serde::Serialize, #serde::Deserialize, #schemars::JsonSchema)]
        #[serde(crate = #serde_text)]
        #[schemars(crate = #schemars_text)]
    }
}
