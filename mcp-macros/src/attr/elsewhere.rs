//! The keys of serde and schemars in the words of `#[arg(…)]`, and the reverse, for sentences about the one in the place
//! of the other.

use quote::ToTokens;
use syn::parse::Parse;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Lit, LitStr, Meta, MetaNameValue, Token};

use super::param::{ArgAttr, Bounds};
use crate::signature::spelled;

/// What to write on a parameter instead of `attr`, which is one of serde or schemars.
pub(crate) fn on_parameter(attr: &Attribute) -> String {
    let keys: Option<Vec<String>> =
        list::<Meta>(attr).and_then(|metas| metas.iter().map(arg_key).collect());
    match keys {
        Some(keys) if !keys.is_empty() => format!("write `#[arg({})]`", keys.join(", ")),
        _ => "write a key of `#[arg(…)]`, or put it on a field of a type with `#[mcp_type]`"
            .to_owned(),
    }
}

fn list<T: Parse>(attr: &Attribute) -> Option<Punctuated<T, Token![,]>> {
    attr.parse_args_with(Punctuated::parse_terminated).ok()
}

/// The key of `#[arg(…)]` that means the same, if there is one.
fn arg_key(meta: &Meta) -> Option<String> {
    let key = meta.path().get_ident()?.to_string();
    match (key.as_str(), meta) {
        ("default", Meta::Path(_)) => Some(key),
        ("default", Meta::NameValue(pair)) => Some(format!("default = {}()", text(&pair.value)?)),
        ("rename" | "description" | "example", Meta::NameValue(pair)) => {
            Some(format!("{key} = {}", spelled(&pair.value)))
        }
        ("alias", Meta::NameValue(pair)) => Some(format!("rename = {}", spelled(&pair.value))),
        ("range" | "length", Meta::List(list)) => {
            let pairs = list
                .parse_args_with(Punctuated::<MetaNameValue, Token![,]>::parse_terminated)
                .ok()?;
            let bound = |name: &str| {
                let found = pairs.iter().find(|pair| pair.path.is_ident(name));
                found.map(|pair| spelled(&pair.value)).unwrap_or_default()
            };
            let (min, max, equal) = (bound("min"), bound("max"), bound("equal"));
            let dots = if max.is_empty() { ".." } else { "..=" };
            Some(if equal.is_empty() {
                format!("{key}({min}{dots}{max})")
            } else {
                format!("{key}({equal})")
            })
        }
        ("regex", Meta::List(list)) => {
            let pair = list.parse_args::<MetaNameValue>().ok()?;
            Some(format!("pattern = {}", spelled(&pair.value)))
        }
        _ => None,
    }
}

fn text(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// What to write on a field instead of an `#[arg(…)]` that says `arg`.
pub(crate) fn on_field(arg: &ArgAttr) -> String {
    let literal = |key: &str, value: &LitStr| format!("{key} = {}", value.to_token_stream());
    let mut schemars = Vec::new();
    schemars.extend(arg.range.get().map(|range| bounds("range", range)));
    schemars.extend(arg.length.get().map(|length| bounds("length", length)));
    schemars.extend(
        arg.pattern
            .get()
            .map(|pattern| format!("regex({})", literal("pattern", pattern))),
    );
    schemars.extend(
        arg.format
            .get()
            .map(|format| format!("extend({})", literal("\"format\"", format))),
    );
    let examples = arg
        .example
        .get()
        .into_iter()
        .chain(arg.examples.get().into_iter().flatten());
    schemars.extend(examples.map(|example| format!("example = {}", spelled(example))));
    let mut serde = Vec::new();
    serde.extend(arg.rename.get().map(|rename| literal("rename", rename)));
    serde.extend(arg.default.get().map(|default| match default {
        None => "default".to_owned(),
        Some(_) => "default = \"function_that_makes_it\"".to_owned(),
    }));
    let mut fixes = Vec::new();
    fixes.extend(
        arg.description
            .get()
            .map(|text| format!("`/// {}`", text.value())),
    );
    for (attribute, keys) in [("schemars", schemars), ("serde", serde)] {
        if !keys.is_empty() {
            fixes.push(format!("`#[{attribute}({})]`", keys.join(", ")));
        }
    }
    if fixes.is_empty() {
        return "remove it from this field".to_owned();
    }
    format!("on a field write {}", fixes.join(" and "))
}

/// `range(min = 1, max = 9)`; schemars has no word for an end that is excluded.
fn bounds(key: &str, bounds: &Bounds) -> String {
    let mut pairs = Vec::new();
    let mut beside = String::new();
    pairs.extend(
        bounds
            .start
            .as_ref()
            .map(|start| format!("min = {}", spelled(start))),
    );
    if let Some(end) = &bounds.end {
        let whole = spelled(end).parse::<i128>().ok();
        match whole {
            Some(end) if bounds.is_half_open => {
                pairs.push(format!("max = {}", end.saturating_sub(1)))
            }
            None if bounds.is_half_open => {
                beside = format!("extend(\"exclusiveMaximum\" = {})", spelled(end));
            }
            _ => pairs.push(format!("max = {}", spelled(end))),
        }
    }
    let inclusive = if pairs.is_empty() {
        String::new()
    } else {
        format!("{key}({})", pairs.join(", "))
    };
    let all: Vec<String> = [inclusive, beside]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    all.join(", ")
}
