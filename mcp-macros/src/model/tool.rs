//! A tool that is right as far as types need not be known.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt as _;
use syn::{LitStr, Path, Type};

use super::guard::Unit;
use super::param::Param;
use super::{Icon, is_name_char, meta, text};
use crate::attr::tool::{DESTRUCTIVE, READ_ONLY, ToolAttr};
use crate::diag::Diagnostics;
use crate::doc;
use crate::signature::Signature;

/// The specification's page on tools, "Tool Names".
const MAX_NAME: usize = 128;

/// A checked tool.
pub(crate) struct Tool {
    pub(crate) krate: Option<Path>,
    pub(crate) function: Ident,
    pub(crate) is_async: bool,
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) hints: Hints,
    pub(crate) icons: Vec<Icon>,
    /// A JSON object, or an empty text.
    pub(crate) meta: String,
    pub(crate) group: String,
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) params: Vec<Param>,
    pub(crate) output: Option<Type>,
    pub(crate) allows_deprecated: bool,
    /// The symbol that no second tool of this name may have.
    pub(crate) guard: Option<String>,
}

/// What clients are told of a tool's behaviour; unset is not the same as `false`.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Hints {
    pub(crate) read_only: Option<bool>,
    pub(crate) destructive: Option<bool>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
}

impl Tool {
    /// Checks everything, reports all mistakes, and gives a tool only if there was none.
    pub(crate) fn new(
        attr: &ToolAttr,
        signature: Signature,
        unit: &Unit,
        diag: &mut Diagnostics,
    ) -> Option<Self> {
        // Clients address the tool by it, so it must keep to the characters that all of them take.
        let name = name(attr, &signature.name, diag);
        // People see it; a function's name is good enough in words.
        let title = attr
            .title
            .get()
            .map_or_else(|| doc::words(&name), |title| text(title, "title", diag));
        // A model chooses a tool by its description alone.
        let description = description(attr, &signature, diag);
        // A tool that changes nothing cannot destroy anything.
        let hints = hints(attr, diag);
        // Clients refuse icons from elsewhere, and must.
        let icons = icons(attr, diag);
        // The protocol keeps some keys for itself.
        let meta = attr
            .meta
            .get()
            .map(|pairs| meta::object(pairs, diag))
            .unwrap_or_default();
        // The builder selects by it.
        let group = attr
            .group
            .get()
            .map(|group| group_name(group, diag))
            .unwrap_or_default();
        let timeout_ms = attr
            .timeout
            .get()
            .and_then(|timeout| milliseconds(timeout, diag));
        let params: Vec<Param> = signature
            .params
            .iter()
            .map(|param| Param::new(param, diag))
            .collect();
        // A JSON object has each name once.
        refuse_equal_names(&params, diag);
        // HTTP does not tell upper from lower case here.
        refuse_equal_headers(&signature, diag);
        if diag.has_errors() {
            return None;
        }
        Some(Self {
            guard: unit.symbol(&group, &name),
            krate: attr.krate.get().cloned(),
            function: signature.name,
            is_async: signature.is_async,
            name,
            title,
            description,
            hints,
            icons,
            meta,
            group,
            timeout_ms,
            params,
            output: signature.output,
            allows_deprecated: signature.mentions_deprecation,
        })
    }
}

fn name(attr: &ToolAttr, function: &Ident, diag: &mut Diagnostics) -> String {
    let (name, span) = match attr.name.get() {
        Some(literal) => (literal.value(), literal.span()),
        None => (function.unraw().to_string(), function.span()),
    };
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(is_name_char) {
        let fix = if attr.name.get().is_some() {
            "change it"
        } else {
            "write `name = \"…\"`"
        };
        diag.error(
            span,
            format!("a tool's name has 1 to {MAX_NAME} letters, digits, `_`, `-` and `.`, all of them ASCII; {fix}"),
        );
    }
    name
}

fn description(attr: &ToolAttr, signature: &Signature, diag: &mut Diagnostics) -> String {
    if let Some(literal) = attr.description.get() {
        return text(literal, "description", diag);
    }
    let doc = &signature.doc;
    if let Some(computed) = &doc.computed {
        diag.error_over(
            computed,
            "the text of this comment is not known yet; write `#[mcp_tool(description = \"…\")]`",
        );
    } else if doc.text.is_empty() && !attr.is_incomplete {
        diag.error(
            signature.name.span(),
            format!(
                "a model chooses a tool by its description, and `{}` has none; write `/// What it does.` above the attribute",
                signature.name
            ),
        );
    }
    doc.text.clone()
}

fn hints(attr: &ToolAttr, diag: &mut Diagnostics) -> Hints {
    let hints = Hints {
        read_only: attr.read_only.get().copied(),
        destructive: attr.destructive.get().copied(),
        idempotent: attr.idempotent.get().copied(),
        open_world: attr.open_world.get().copied(),
    };
    if let (Some(true), Some(true), Some(span)) =
        (hints.read_only, hints.destructive, attr.destructive.span())
    {
        diag.error(
            span,
            format!("a tool that changes nothing destroys nothing; remove `{DESTRUCTIVE}` or `{READ_ONLY}`"),
        );
    }
    hints
}

fn icons(attr: &ToolAttr, diag: &mut Diagnostics) -> Vec<Icon> {
    let span = attr.icons.span().unwrap_or_else(Span::call_site);
    attr.icons
        .get()
        .into_iter()
        .flatten()
        .map(|icon| Icon::new(icon, span, diag))
        .collect()
}

fn group_name(literal: &LitStr, diag: &mut Diagnostics) -> String {
    let group = literal.value();
    if group.is_empty() || !group.chars().all(is_name_char) {
        diag.error(
            literal.span(),
            "a group's name has letters, digits, `_`, `-` and `.`; write `group = \"admin\"`",
        );
    }
    group
}

/// `"500ms"`, `"10s"`, `"2m"` or `"1h"`.
fn milliseconds(literal: &LitStr, diag: &mut Diagnostics) -> Option<u64> {
    let text = literal.value();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let factor = match unit {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    let duration = number
        .parse::<u64>()
        .ok()
        .zip(factor)
        .and_then(|(number, factor)| number.checked_mul(factor));
    if duration.is_none_or(|duration| duration == 0) {
        diag.error(
            literal.span(),
            format!("`{text}` is not a time that a call can take; write a number and a unit, such as `500ms`, `10s` or `2m`"),
        );
    }
    duration
}

fn refuse_equal_names(params: &[Param], diag: &mut Diagnostics) {
    for (index, param) in params.iter().enumerate() {
        let mut before = params[..index].iter();
        // Two parameters of one name in Rust as well are the compiler's to report.
        if before.any(|other| other.name == param.name && (other.is_renamed || param.is_renamed)) {
            diag.error(
                param.name_span,
                format!(
                    "two arguments are called `{}`; write another name in `#[arg(rename = \"…\")]`",
                    param.name
                ),
            );
        }
    }
}

fn refuse_equal_headers(signature: &Signature, diag: &mut Diagnostics) {
    let headers: Vec<&LitStr> = signature
        .params
        .iter()
        .filter_map(|param| param.arg.header.get())
        .collect();
    for (index, header) in headers.iter().enumerate() {
        if headers[..index]
            .iter()
            .any(|other| other.value().eq_ignore_ascii_case(&header.value()))
        {
            diag.error(
                header.span(),
                format!(
                    "two arguments are mirrored in `Mcp-Param-{}`; write another name",
                    header.value()
                ),
            );
        }
    }
}
