//! The only spelling of the runtime's paths in generated code.
//!
//! Inside an expansion the runtime's hidden module is called `__mcp_rt`; standard items are written out from
//! `::core`, so that neither the user's items nor a missing prelude can change what they mean.

use proc_macro2::TokenStream;
use quote::quote;

/// The path of the runtime's hidden module: `::mcp_runtime::__private`, or under the path given as `crate = …`.
pub(crate) fn private(krate: Option<&syn::Path>) -> TokenStream {
    match krate {
        Some(path) => quote!(#path::__private),
        None => quote!(::mcp_runtime::__private),
    }
}

/// `::core::option::Option::Some(…)` or `::core::option::Option::None`.
pub(crate) fn option(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}
