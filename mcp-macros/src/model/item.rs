//! What tools, prompts and resources have in common, right as far as types need not be known.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt as _;
use syn::{LitStr, Path, Type};

use super::param::Param;
use super::{Icon, is_name_char, meta, text};
use crate::attr::item::ItemAttr;
use crate::diag::Diagnostics;
use crate::doc;
use crate::signature::Signature;
use crate::subject::Subject;

/// The specification's page on tools, "Tool Names".
const MAX_NAME: usize = 128;

/// Where the function runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Execution {
    Inline,
    Blocking,
    Async,
}

/// A checked function with its name and what is said of it.
pub(crate) struct Item {
    pub(crate) subject: Subject,
    pub(crate) krate: Option<Path>,
    pub(crate) function: Ident,
    pub(crate) execution: Execution,
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) icons: Vec<Icon>,
    /// A JSON object, or an empty text.
    pub(crate) meta: String,
    pub(crate) group: String,
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) params: Vec<Param>,
    pub(crate) output: Option<Type>,
    pub(crate) allows_deprecated: bool,
}

impl Item {
    /// Checks everything that is the same for all, and reports all mistakes.
    pub(super) fn new(
        attr: &ItemAttr,
        signature: Signature,
        subject: Subject,
        diag: &mut Diagnostics,
    ) -> Self {
        // Clients address it by its name, so it must keep to the characters that all of them take.
        let name = name(attr, &signature.name, subject, diag);
        // People see it; a function's name is good enough in words.
        let title = attr
            .title
            .get()
            .map_or_else(|| doc::words(&name), |title| text(title, "title", diag));
        // It is chosen by its description alone.
        let description = description(attr, &signature, subject, diag);
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
        // An async function waits, which is what an inline one never does.
        let execution = execution(attr, &signature, diag);
        let params: Vec<Param> = signature
            .params
            .iter()
            .map(|param| Param::new(param, subject, diag))
            .collect();
        // Arguments are told apart by their names.
        refuse_equal_names(&params, diag);
        Self {
            subject,
            krate: attr.krate.get().cloned(),
            function: signature.name,
            execution,
            name,
            title,
            description,
            icons,
            meta,
            group,
            timeout_ms,
            params,
            output: signature.output,
            allows_deprecated: signature.mentions_deprecation,
        }
    }
}

fn execution(attr: &ItemAttr, signature: &Signature, diag: &mut Diagnostics) -> Execution {
    let inline = attr.inline.get() == Some(&true);
    if inline
        && signature.is_async
        && let Some(span) = attr.inline.span()
    {
        diag.error(
            span,
            "an `async fn` is polled on the async runtime and cannot be `inline`; remove `inline`, or remove `async` if \
             the function takes microseconds and never waits",
        );
    }
    match (signature.is_async, inline) {
        (true, _) => Execution::Async,
        (false, true) => Execution::Inline,
        (false, false) => Execution::Blocking,
    }
}

fn name(attr: &ItemAttr, function: &Ident, subject: Subject, diag: &mut Diagnostics) -> String {
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
            format!(
                "a {}'s name has 1 to {MAX_NAME} letters, digits, `_`, `-` and `.`, all of them ASCII; {fix}",
                subject.noun()
            ),
        );
    }
    name
}

fn description(
    attr: &ItemAttr,
    signature: &Signature,
    subject: Subject,
    diag: &mut Diagnostics,
) -> String {
    if let Some(literal) = attr.description.get() {
        return text(literal, "description", diag);
    }
    let doc = &signature.doc;
    if let Some(computed) = &doc.computed {
        diag.error_over(
            computed,
            format!(
                "the text of this comment is not known yet; write `#[{}(description = \"…\")]`",
                subject.attribute()
            ),
        );
    } else if doc.text.is_empty() && !attr.is_incomplete {
        diag.error(
            signature.name.span(),
            format!(
                "a {} chooses a {} by its description, and `{}` has none; write `/// What it {}.` above the attribute",
                subject.caller(),
                subject.noun(),
                signature.name,
                if subject == Subject::Resource { "is" } else { "does" },
            ),
        );
    }
    doc.text.clone()
}

fn icons(attr: &ItemAttr, diag: &mut Diagnostics) -> Vec<Icon> {
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
pub(super) fn milliseconds(literal: &LitStr, diag: &mut Diagnostics) -> Option<u64> {
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
