//! The grammar of our attributes: `key`, `key = value` and `key(…)`, separated by commas.
//!
//! Syntax only: no words of tools, prompts or resources here, and no judgement of values.

pub(crate) mod elsewhere;
pub(crate) mod form;
pub(crate) mod icon;
pub(crate) mod item;
pub(crate) mod json;
pub(crate) mod param;
pub(crate) mod prompt;
pub(crate) mod resource;
pub(crate) mod tool;
pub(crate) mod types;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Expr, LitBool, LitStr, Token};

use crate::diag::Diagnostics;

/// A key that an attribute knows, and how it is written.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) example: &'static str,
}

/// The value of a key that may be set once, with the key's position.
pub(crate) struct Once<T>(Option<(Span, T)>);

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Once<T> {
    /// Keeps the first value; a second one is reported at its key.
    fn set(&mut self, key: &Ident, value: T, diag: &mut Diagnostics) {
        if self.0.is_some() {
            diag.error(
                key.span(),
                format!("`{}` is set twice; remove this one", key.unraw()),
            );
        } else {
            self.0 = Some((key.span(), value));
        }
    }

    /// The value, if the key was set.
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_ref().map(|(_, value)| value)
    }

    /// Where the key stands, if it was set.
    pub(crate) fn span(&self) -> Option<Span> {
        self.0.as_ref().map(|(span, _)| *span)
    }
}

/// Reads `tokens` as keys of the attribute called `attribute`, handing each known key to `read`.
///
/// Whatever is wrong with one key is reported, and the reading goes on behind the next comma.
/// The answer is whether every key was understood.
pub(crate) fn keys(
    tokens: TokenStream,
    attribute: &str,
    known: &[Key],
    diag: &mut Diagnostics,
    mut read: impl FnMut(&Ident, ParseStream<'_>, &mut Diagnostics) -> syn::Result<()>,
) -> bool {
    let mut understood = true;
    let parsed = (|input: ParseStream<'_>| {
        while !input.is_empty() {
            understood &= one_key(input, attribute, known, diag, &mut read)?;
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    })
    .parse2(tokens);
    if let Err(error) = parsed {
        diag.absorb(error);
        understood = false;
    }
    understood
}

fn one_key(
    input: ParseStream<'_>,
    attribute: &str,
    known: &[Key],
    diag: &mut Diagnostics,
    read: &mut impl FnMut(&Ident, ParseStream<'_>, &mut Diagnostics) -> syn::Result<()>,
) -> syn::Result<bool> {
    let Ok(ident) = input.call(Ident::parse_any) else {
        diag.error(
            input.span(),
            format!("{attribute} takes keys; {}", list(known)),
        );
        skip_to_comma(input)?;
        return Ok(false);
    };
    let name = ident.unraw().to_string();
    let Some(key) = known.iter().find(|key| key.name == name) else {
        let names: Vec<&str> = known.iter().map(|key| key.name).collect();
        let hint = match meant(&name, &names).or_else(|| nearest(&name, &names)) {
            Some(found) => format!("did you mean `{found}`? {}", list(known)),
            None if name == tool::TASK && OTHERS.contains(&attribute) => {
                "only tools become tasks; remove it".to_owned()
            }
            None => list(known),
        };
        diag.error(ident.span(), format!("unknown key `{name}`; {hint}"));
        skip_to_comma(input)?;
        return Ok(false);
    };
    let has_value = has_value(input);
    let result = read(&ident, input, diag);
    if result.is_ok() && (input.is_empty() || input.peek(Token![,])) {
        return Ok(true);
    }
    let span = match result {
        // Nothing to point at but the key: at the end of its input syn points at the whole attribute.
        _ if !has_value => ident.span(),
        Err(error) => error.span(),
        Ok(()) => input.span(),
    };
    diag.error(span, format!("`{name}` is written `{}`", key.example));
    skip_to_comma(input)?;
    Ok(false)
}

/// The attributes on functions that are no tools.
const OTHERS: [&str; 2] = ["`#[mcp_prompt]`", "`#[mcp_resource]`"];

/// Words for our keys elsewhere: in JSON Schema, in other frameworks, in the protocol.
const ELSEWHERE: &[(&str, &[&str])] = &[
    (
        "range",
        &["min", "max", "minimum", "maximum", "ge", "gt", "le", "lt"],
    ),
    (
        "length",
        &["min_length", "max_length", "min_len", "max_len", "size"],
    ),
    ("items", &["min_items", "max_items"]),
    ("length", &["min_items", "max_items"]),
    ("pattern", &["regex", "regexp"]),
    ("rename", &["alias", "name"]),
    ("description", &["desc", "doc", "about", "help"]),
    ("read_only", &["read_only_hint"]),
    ("destructive", &["destructive_hint"]),
    ("idempotent", &["idempotent_hint"]),
    ("open_world", &["open_world_hint"]),
    ("mime_type", &["mime", "content_type"]),
    ("default", &["optional"]),
    ("complete", &["completion", "completer"]),
];

/// The key that is meant by another word for it.
fn meant<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let found = ELSEWHERE
        .iter()
        .filter(|(_, others)| others.contains(&word));
    found
        .filter_map(|(key, _)| known.iter().find(|name| *name == key))
        .next()
        .copied()
}

/// Whether anything but a lone `=` stands between here and the next comma.
fn has_value(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    // The answer of the optional parse does not matter: what follows it does.
    let _ = ahead.parse::<Option<Token![=]>>();
    !ahead.is_empty() && !ahead.peek(Token![,])
}

fn skip_to_comma(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}

fn list(known: &[Key]) -> String {
    let names: Vec<String> = known.iter().map(|key| format!("`{}`", key.name)).collect();
    format!("keys: {}", names.join(", "))
}

/// `= "text"`.
fn string(input: ParseStream<'_>) -> syn::Result<LitStr> {
    input.parse::<Token![=]>()?;
    input.parse()
}

/// `= expression`.
fn expression(input: ParseStream<'_>) -> syn::Result<Expr> {
    input.parse::<Token![=]>()?;
    input.parse()
}

/// Nothing, which means `true`, or `= true` or `= false`.
fn flag(input: ParseStream<'_>) -> syn::Result<bool> {
    if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        return Ok(input.parse::<LitBool>()?.value);
    }
    Ok(true)
}

/// What `read` makes of the inside of `(…)`, all of it.
fn parenthesized<T>(
    input: ParseStream<'_>,
    read: impl FnOnce(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<T> {
    let content;
    syn::parenthesized!(content in input);
    whole(&content, read)
}

/// What `read` makes of `content`, which has to end there.
///
/// Whatever is left after a mistake is skipped: syn would report it as a second mistake.
fn whole<T>(
    content: ParseStream<'_>,
    read: impl FnOnce(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<T> {
    let result = read(content).and_then(|value| {
        if content.is_empty() {
            Ok(value)
        } else {
            Err(content.error("unexpected token"))
        }
    });
    if result.is_err() {
        content.parse::<TokenStream>()?;
    }
    result
}

/// The candidate that `word` was most likely meant to be.
pub(crate) fn nearest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let best = candidates
        .iter()
        .map(|candidate| (distance(word, candidate), *candidate))
        .min();
    best.filter(|(distance, candidate)| *distance * 3 <= candidate.len())
        .map(|(_, candidate)| candidate)
        .or_else(|| {
            // An abbreviation, such as `desc`.
            candidates
                .iter()
                .copied()
                .find(|candidate| word.len() >= 3 && candidate.starts_with(word))
        })
}

/// The number of insertions, deletions, substitutions and swaps of neighbours between two words.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            if i == 0 || j == 0 {
                table[i][j] = i + j;
                continue;
            }
            let substituted = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            table[i][j] = substituted
                .min(table[i - 1][j] + 1)
                .min(table[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                table[i][j] = table[i][j].min(table[i - 2][j - 2] + 1);
            }
        }
    }
    table[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    const KEYS: &[Key] = &[
        Key {
            name: "name",
            example: "name = \"search\"",
        },
        Key {
            name: "read_only",
            example: "read_only",
        },
        Key {
            name: "crate",
            example: "crate = my::path",
        },
    ];

    fn read(tokens: TokenStream) -> (Option<String>, bool, Vec<String>) {
        let mut diag = Diagnostics::default();
        let mut name = Once::default();
        let mut read_only = Once::default();
        let understood = keys(tokens, "`#[x]`", KEYS, &mut diag, |key, input, diag| {
            match key.to_string().as_str() {
                "name" => name.set(key, string(input)?, diag),
                "read_only" => read_only.set(key, flag(input)?, diag),
                _ => drop(expression(input)?),
            }
            Ok(())
        });
        let errors: Vec<String> = diag.finish().iter().map(ToString::to_string).collect();
        // A repeated key is understood, and still an error.
        assert!(understood || !errors.is_empty());
        (
            name.get().map(LitStr::value),
            read_only.get().copied().unwrap_or(false),
            errors,
        )
    }

    #[test]
    fn reads_all_forms_of_keys() {
        assert_eq!(read(quote!()), (None, false, vec![]));
        assert_eq!(
            read(quote!(name = "a", read_only,)),
            (Some("a".to_owned()), true, vec![])
        );
        assert_eq!(
            read(quote!(read_only = false, crate = a::b)),
            (None, false, vec![])
        );
    }

    #[test]
    fn one_bad_key_does_not_hide_the_next() {
        let (name, _, errors) = read(quote!(
            nam = "x",
            read_only = 3,
            name,
            "y",
            name = "ok",
            name = "no"
        ));
        assert_eq!(name.as_deref(), Some("ok"));
        assert_eq!(
            errors,
            [
                "unknown key `nam`; did you mean `name`? keys: `name`, `read_only`, `crate`",
                "`read_only` is written `read_only`",
                "`name` is written `name = \"search\"`",
                "`#[x]` takes keys; keys: `name`, `read_only`, `crate`",
                "`name` is set twice; remove this one",
            ]
        );
    }

    #[test]
    fn far_words_get_no_guess() {
        assert_eq!(
            nearest("descripton", &["name", "description"]),
            Some("description")
        );
        assert_eq!(
            nearest("desc", &["name", "description"]),
            Some("description")
        );
        assert_eq!(nearest("readonly", &["read_only"]), Some("read_only"));
        assert_eq!(meant("max", &["rename", "range"]), Some("range"));
        assert_eq!(meant("max_items", &["length"]), Some("length"));
        assert_eq!(meant("max_items", &["length", "items"]), Some("items"));
        assert_eq!(meant("max", &["title"]), None);
        assert_eq!(nearest("colour", &["name", "description"]), None);
    }
}
