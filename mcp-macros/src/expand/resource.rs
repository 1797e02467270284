//! The registration of one resource or template.

use crate::model::grammar::{Part, Reach};
use proc_macro2::TokenStream;
use quote::quote;

use super::item;
use crate::model::resource::{Annotations, Resource};
use crate::paths;

/// The expansion of a resource, to stand beside its function.
///
/// It is that of a prompt, but for the entry and these lines:
///
/// ```text
/// static __MCP_RESOURCE: __mcp_rt::ResourceEntry = __mcp_rt::ResourceEntry {
///     item: …, uri: "orders://{id}",
///     parts: &[__mcp_rt::UriPart::Literal("orders://"), __mcp_rt::UriPart::Variable { param: 0usize, … }], …
/// };
/// __mcp_rt::submit!(resource(__MCP_RESOURCE));
/// __mcp_rt::respond_resource!(String, __mcp_call.reply(), __mcp_value);
/// ```
pub(crate) fn resource(resource: &Resource) -> TokenStream {
    let Resource {
        uri,
        mime_type,
        size,
        ttl_ms,
        is_public,
        ..
    } = resource;
    let entry = item::entry(&resource.item);
    let mime_type = if mime_type.is_empty() {
        item::of_output(&resource.item, "mime_type")
    } else {
        quote!(#mime_type)
    };
    let text = &uri.text;
    let parts = uri.template.parts().iter().map(|it| part(resource, it));
    let size = paths::option(size.map(|size| quote!(#size)));
    let annotations = annotations(&resource.annotations);
    let ttl_ms = paths::option(ttl_ms.map(|ttl| quote!(#ttl)));
    let scope = paths::option(is_public.map(|is_public| {
        if is_public {
            quote!(__mcp_rt::CacheScope::Public)
        } else {
            quote!(__mcp_rt::CacheScope::Private)
        }
    }));
    let statics = quote! {
        static __MCP_RESOURCE: __mcp_rt::ResourceEntry = __mcp_rt::ResourceEntry {
            item: #entry,
            uri: #text,
            parts: &[#(#parts),*],
            mime_type: || #mime_type,
            size: #size,
            annotations: #annotations,
            ttl_ms: #ttl_ms,
            cache_scope: #scope,
        };
        __mcp_rt::submit!(resource(__MCP_RESOURCE));
    };
    item::registration(
        &resource.item,
        &statics,
        resource.guard.as_deref(),
        "respond_resource",
    )
}

fn part(resource: &Resource, part: &Part) -> TokenStream {
    // Every variable has a parameter, or the model would not be there.
    let position = |name: &str| {
        let params = &resource.item.params;
        params.iter().position(|param| param.name == name)
    };
    match part {
        Part::Literal(text) => quote!(__mcp_rt::UriPart::Literal(#text)),
        Part::Variable {
            name,
            reach,
            separator,
        } => {
            let param = position(name);
            let reach = match reach {
                Reach::Segment => quote!(Segment),
                Reach::Segments => quote!(Segments),
                Reach::Rest => quote!(Rest),
            };
            quote! {
                __mcp_rt::UriPart::Variable {
                    param: #param,
                    reach: __mcp_rt::Reach::#reach,
                    separator: #separator,
                }
            }
        }
        Part::Query { opener, names } => {
            let names = names.iter().map(|name| {
                let param = position(name);
                quote!((#name, #param))
            });
            quote!(__mcp_rt::UriPart::Query { opener: #opener, names: &[#(#names),*] })
        }
    }
}

fn annotations(annotations: &Annotations) -> TokenStream {
    let Annotations {
        audience,
        priority,
        last_modified,
    } = annotations;
    let priority = paths::option(priority.map(|priority| quote!(#priority)));
    quote! {
        __mcp_rt::AnnotationsEntry {
            audience: &[#(#audience),*],
            priority: #priority,
            last_modified: #last_modified,
        }
    }
}
