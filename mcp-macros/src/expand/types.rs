//! The derives that `#[mcp_type]` puts on a type.

use proc_macro2::{Ident, Span, TokenStream};
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
    let derives = ty.derives.iter().map(|derive| {
        let library = if *derive == "JsonSchema" {
            &schemars
        } else {
            &serde
        };
        let derive = Ident::new(derive, Span::call_site());
        quote!(#library::#derive)
    });
    // Where the user derives it by mistake, the path would stand before what gives it its meaning.
    let has = |derive| ty.derives.contains(&derive);
    let serde_path =
        (has("Serialize") || has("Deserialize")).then(|| quote!(#[serde(crate = #serde_text)]));
    let schemars_path = has("JsonSchema").then(|| quote!(#[schemars(crate = #schemars_text)]));
    quote! {
        #private::derive_scope!();
        #[derive(#(#derives),*)]
        #serde_path
        #schemars_path
    }
}
