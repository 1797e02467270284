//! Icons, checked against the specification's rules for them.
//!
//! Nothing is fetched: whether there is an image behind the URL is not known here.

use proc_macro2::Span;
use syn::LitStr;

use crate::attr::icon::IconAttr;
use crate::diag::Diagnostics;

/// An icon with a safe source.
pub(crate) struct Icon {
    pub(crate) src: String,
    pub(crate) mime_type: Option<String>,
    pub(crate) sizes: Vec<String>,
    pub(crate) theme: Option<String>,
}

impl Icon {
    /// Checks one `icon(…)`; `span` is where the icons are declared.
    pub(super) fn new(attr: &IconAttr, span: Span, diag: &mut Diagnostics) -> Self {
        let src = attr.src.get().map(|src| source(src, diag));
        if src.is_none() && !attr.is_incomplete {
            diag.error(
                span,
                "an icon needs its source; write `icon(src = \"https://example.com/icon.png\")`",
            );
        }
        Self {
            src: src.unwrap_or_default(),
            mime_type: attr
                .mime_type
                .get()
                .map(|mime_type| image_type(mime_type, diag)),
            sizes: attr
                .sizes
                .get()
                .into_iter()
                .flatten()
                .map(|text| size(text, diag))
                .collect(),
            theme: attr.theme.get().map(|name| theme(name, diag)),
        }
    }
}

/// Clients must refuse every other scheme (specification, "Icons"), so such an icon would never be seen.
fn source(literal: &LitStr, diag: &mut Diagnostics) -> String {
    let src = literal.value();
    let lower = src.to_ascii_lowercase();
    let is_plain = !src.chars().any(|c| c.is_whitespace() || c.is_control());
    let is_safe = is_plain
        && if let Some(data) = lower.strip_prefix("data:") {
            data.split_once(',')
                .is_some_and(|(kind, _)| kind.starts_with("image/") && kind.ends_with(";base64"))
        } else {
            lower
                .strip_prefix("https://")
                .is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
        };
    if !is_safe {
        diag.error(
            literal.span(),
            "clients show icons from `https:` and `data:` only; write `https://…` or `data:image/png;base64,…`",
        );
    }
    src
}

fn image_type(literal: &LitStr, diag: &mut Diagnostics) -> String {
    let mime_type = literal.value();
    let is_image = mime_type.strip_prefix("image/").is_some_and(|kind| {
        !kind.is_empty()
            && kind
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    });
    if !is_image {
        diag.error(
            literal.span(),
            "an icon is an image; write its MIME type, such as `image/png` or `image/svg+xml`",
        );
    }
    mime_type
}

fn size(literal: &LitStr, diag: &mut Diagnostics) -> String {
    let size = literal.value();
    let is_number = |text: &str| {
        !text.is_empty() && !text.starts_with('0') && text.chars().all(|c| c.is_ascii_digit())
    };
    let is_size = size == "any"
        || size
            .split_once('x')
            .is_some_and(|(width, height)| is_number(width) && is_number(height));
    if !is_size {
        diag.error(
            literal.span(),
            "a size is width and height, such as `48x48`, or `any` for an image that scales",
        );
    }
    size
}

fn theme(literal: &LitStr, diag: &mut Diagnostics) -> String {
    let theme = literal.value();
    if !matches!(theme.as_str(), "light" | "dark") {
        diag.error(
            literal.span(),
            format!("unknown theme `{theme}`; write `light` or `dark`"),
        );
    }
    theme
}
