//! A resource, or a template of resources, that is right as far as types need not be known.

use super::grammar::Part;
use syn::{Expr, Lit, LitStr};

use super::guard::Unit;
use super::item::{Item, milliseconds};
use super::param::{Asked, Param, Question};
use super::text;
use super::uri::Uri;
use crate::attr::nearest;
use crate::attr::resource::{AnnotationsAttr, ResourceAttr};
use crate::diag::Diagnostics;
use crate::doc::ungrouped;
use crate::signature::Signature;
use crate::subject::Subject;

/// A checked resource.
pub(crate) struct Resource {
    pub(crate) item: Item,
    pub(crate) uri: Uri,
    pub(crate) mime_type: String,
    pub(crate) size: Option<u64>,
    pub(crate) annotations: Annotations,
    pub(crate) ttl_ms: Option<u64>,
    pub(crate) is_public: Option<bool>,
    /// The symbol that no second resource of this URI may have.
    pub(crate) guard: Option<String>,
}

/// Whom it is for, and how much it matters.
#[derive(Default)]
pub(crate) struct Annotations {
    pub(crate) audience: Vec<String>,
    pub(crate) priority: Option<f64>,
    pub(crate) last_modified: String,
}

impl Resource {
    /// Checks everything, reports all mistakes, and gives a resource only if there was none.
    pub(crate) fn new(
        attr: &ResourceAttr,
        signature: Signature,
        unit: &Unit,
        diag: &mut Diagnostics,
    ) -> Option<Self> {
        let uri = attr.uri.as_ref().and_then(|uri| Uri::new(uri, diag));
        let mut item = Item::new(&attr.item, signature, Subject::Resource, diag);
        if let Some(uri) = &uri {
            match_variables(uri, &mut item, diag);
        }
        let mime_type = attr
            .mime_type
            .get()
            .map(|mime_type| media_type(mime_type, diag))
            .unwrap_or_default();
        let size = size(attr, uri.as_ref(), diag);
        let annotations = attr
            .annotations
            .get()
            .map(|attr| annotations(attr, diag))
            .unwrap_or_default();
        let ttl_ms = attr.ttl.get().and_then(|ttl| ttl_millis(ttl, diag));
        let is_public = attr.cache.get().and_then(|cache| cache_scope(cache, diag));
        let uri = uri?;
        if diag.has_errors() {
            return None;
        }
        Some(Self {
            guard: unit.symbol(
                (
                    "two_resources_have_the_uri",
                    "write_another_uri_on_one_of_them",
                ),
                &item.group,
                &uri.template.shape(),
            ),
            item,
            uri,
            mime_type,
            size,
            annotations,
            ttl_ms,
            is_public,
        })
    }
}

/// Every variable has a parameter, and every parameter that the client fills a variable.
fn match_variables(uri: &Uri, item: &mut Item, diag: &mut Diagnostics) {
    let params: Vec<&str> = item
        .params
        .iter()
        .map(|param| param.name.as_str())
        .collect();
    for variable in uri.template.variables() {
        if !params.contains(&variable) {
            let fix = match nearest(variable, &params) {
                Some(found) => format!("call the parameter `{found}` so"),
                None => format!("add `{variable}: String` to the parameters"),
            };
            diag.error(
                uri.span,
                format!("no parameter takes the variable `{variable}`; {fix}, or remove it"),
            );
        }
    }
    for param in &mut item.params {
        let question = match place(uri, &param.name) {
            // Whether the server makes it instead is known by its type alone.
            None => Question {
                asked: Asked::IsInjected,
                span: param.name_span,
                sentence: format!(
                    "no variable of the URI fills `{0}`; write `{{{0}}}` into it, or remove the parameter",
                    param.name
                ),
            },
            Some(Place::Path) => {
                refuse_default(param, diag);
                Question {
                    asked: Asked::IsPlain,
                    span: param.name_span,
                    sentence: format!(
                        "`{{{0}}}` is always there, so `{0}` cannot be an `Option`; write the plain type",
                        param.name
                    ),
                }
            }
            Some(Place::Query) => continue,
        };
        param.questions.push(question);
    }
}

enum Place {
    Path,
    Query,
}

fn place(uri: &Uri, name: &str) -> Option<Place> {
    uri.template.parts().iter().find_map(|part| match part {
        Part::Variable { name: own, .. } if own == name => Some(Place::Path),
        Part::Query { names, .. } if names.iter().any(|own| own == name) => Some(Place::Query),
        _ => None,
    })
}

fn refuse_default(param: &Param, diag: &mut Diagnostics) {
    if let Some(span) = param.default_span {
        diag.error(
            span,
            format!(
                "`{{{0}}}` is always there, so the default of `{0}` is never taken; remove it, or write `{{?{0}}}`",
                param.name
            ),
        );
    }
}

/// `type/subtype`, perhaps with parameters (RFC 9110, section 8.3.1).
fn media_type(literal: &LitStr, diag: &mut Diagnostics) -> String {
    let value = text(literal, "mime_type", diag);
    let is_token = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "!#$&-^_.+".contains(c))
    };
    let essence = value.split(';').next().unwrap_or_default().trim();
    let is_type = essence
        .split_once('/')
        .is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype));
    if !is_type && !value.trim().is_empty() {
        diag.error(
            literal.span(),
            format!("`{value}` is not a MIME type; write one, such as `text/markdown` or `application/json`"),
        );
    }
    value
}

fn size(attr: &ResourceAttr, uri: Option<&Uri>, diag: &mut Diagnostics) -> Option<u64> {
    let literal = attr.size.get()?;
    if uri.is_some_and(|uri| !uri.template.is_fixed()) {
        diag.error(
            literal.span(),
            "the resources of a template differ in size; remove `size`",
        );
    }
    match literal.base10_parse() {
        Ok(size) => Some(size),
        Err(error) => {
            diag.absorb(error);
            None
        }
    }
}

fn annotations(attr: &AnnotationsAttr, diag: &mut Diagnostics) -> Annotations {
    let audience = attr.audience.get().into_iter().flatten();
    let audience = audience
        .map(|role| {
            let value = role.value();
            if !matches!(value.as_str(), "user" | "assistant") {
                diag.error(
                    role.span(),
                    format!("nobody is called `{value}`; write `user` or `assistant`"),
                );
            }
            value
        })
        .collect();
    let priority = attr.priority.get().and_then(|expr| {
        let priority = number(expr).filter(|priority| (0.0..=1.0).contains(priority));
        if priority.is_none() {
            diag.error_over(
                expr,
                "a priority is a number from 0.0 (optional) to 1.0 (required)",
            );
        }
        priority
    });
    Annotations {
        audience,
        priority,
        last_modified: attr
            .last_modified
            .get()
            .map(|time| last_modified(time, diag))
            .unwrap_or_default(),
    }
}

fn number(expr: &Expr) -> Option<f64> {
    let Expr::Lit(literal) = ungrouped(expr) else {
        return None;
    };
    match &literal.lit {
        Lit::Int(int) => int.base10_parse().ok(),
        Lit::Float(float) => float.base10_parse().ok(),
        _ => None,
    }
}

/// A date of ISO 8601, perhaps with a time.
fn last_modified(literal: &LitStr, diag: &mut Diagnostics) -> String {
    let value = literal.value();
    let shape: String = value
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    if !(shape == "0000-00-00" || shape.starts_with("0000-00-00T00:00")) {
        diag.error(
            literal.span(),
            "a time is written as ISO 8601 says, such as `2026-01-31T12:00:00Z`",
        );
    }
    value
}

/// The same times as those of `timeout`, and `0s` besides.
fn ttl_millis(literal: &LitStr, diag: &mut Diagnostics) -> Option<u64> {
    if matches!(literal.value().as_str(), "0ms" | "0s" | "0m" | "0h") {
        return Some(0);
    }
    milliseconds(literal, diag)
}

fn cache_scope(literal: &LitStr, diag: &mut Diagnostics) -> Option<bool> {
    match literal.value().as_str() {
        "public" => Some(true),
        "private" => Some(false),
        other => {
            diag.error(
                literal.span(),
                format!("unknown scope `{other}`; write `public` or `private`"),
            );
            None
        }
    }
}
