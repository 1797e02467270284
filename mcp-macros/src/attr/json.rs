//! JSON literals inside attributes: `null`, `true`, numbers, texts, `[…]` and `{"key": …}`.
//!
//! They are read to compact JSON text; what the text means is nobody's business here.

use super::whole;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, Lit, LitStr, Token, braced, bracketed, token};

/// A JSON value as compact text.
#[derive(Debug, PartialEq)]
pub(crate) struct Json(pub(crate) String);

/// One `"key" = value` of an object written as attribute keys.
pub(crate) struct Pair {
    pub(crate) key: LitStr,
    pub(crate) value: Json,
}

/// Reads `"key" = value, …`.
pub(super) fn pairs(input: ParseStream<'_>) -> syn::Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    while !input.is_empty() {
        let key = input.parse()?;
        input.parse::<Token![=]>()?;
        pairs.push(Pair {
            key,
            value: input.parse()?,
        });
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(pairs)
}

impl Parse for Json {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut text = String::new();
        value(input, &mut text)?;
        Ok(Self(text))
    }
}

/// Appends `text` as a JSON string.
pub(crate) fn quote_into(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if u32::from(c) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn value(input: ParseStream<'_>, out: &mut String) -> syn::Result<()> {
    if input.peek(token::Bracket) {
        let content;
        bracketed!(content in input);
        return whole(&content, |content| list(content, out, '[', ']', value));
    }
    if input.peek(token::Brace) {
        let content;
        braced!(content in input);
        let mut seen: Vec<String> = Vec::new();
        return whole(&content, |content| {
            list(content, out, '{', '}', |input, out| {
                member(input, out, &mut seen)
            })
        });
    }
    if input.peek(Ident::peek_any) && !input.peek(syn::LitBool) {
        let word = input.call(Ident::parse_any)?;
        if word != "null" {
            return Err(syn::Error::new(word.span(), "expected a JSON literal"));
        }
        out.push_str("null");
        return Ok(());
    }
    let minus = input.parse::<Option<Token![-]>>()?;
    let literal: Lit = input.parse()?;
    match &literal {
        Lit::Str(text) if minus.is_none() => quote_into(out, &text.value()),
        Lit::Bool(value) if minus.is_none() => {
            out.push_str(if value.value { "true" } else { "false" })
        }
        Lit::Int(number) if number.suffix().is_empty() => {
            out.push_str(if minus.is_some() { "-" } else { "" });
            out.push_str(number.base10_digits());
        }
        Lit::Float(number) if number.suffix().is_empty() && is_finite(number.base10_digits()) => {
            out.push_str(if minus.is_some() { "-" } else { "" });
            out.push_str(number.base10_digits());
            // `1.` is a number in Rust, and none in JSON.
            out.push_str(if number.base10_digits().ends_with('.') {
                "0"
            } else {
                ""
            });
        }
        _ => return Err(syn::Error::new(literal.span(), "expected a JSON literal")),
    }
    Ok(())
}

fn is_finite(digits: &str) -> bool {
    digits.parse::<f64>().is_ok_and(f64::is_finite)
}

fn member(input: ParseStream<'_>, out: &mut String, seen: &mut Vec<String>) -> syn::Result<()> {
    let key: LitStr = input.parse()?;
    if seen.contains(&key.value()) {
        return Err(syn::Error::new(key.span(), "this key is set twice"));
    }
    quote_into(out, &key.value());
    seen.push(key.value());
    input.parse::<Token![:]>()?;
    out.push(':');
    value(input, out)
}

fn list(
    input: ParseStream<'_>,
    out: &mut String,
    open: char,
    close: char,
    mut item: impl FnMut(ParseStream<'_>, &mut String) -> syn::Result<()>,
) -> syn::Result<()> {
    out.push(open);
    let mut is_first = true;
    while !input.is_empty() {
        if !is_first {
            out.push(',');
        }
        is_first = false;
        item(input, out)?;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    out.push(close);
    Ok(())
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;
    use quote::quote;
    use syn::parse::Parser as _;

    use super::*;

    fn text(tokens: TokenStream) -> Option<String> {
        syn::parse2::<Json>(tokens).ok().map(|json| json.0)
    }

    #[test]
    fn literals_become_compact_json() {
        let json =
            text(quote!({"a": [1, -2.5, 1., true, null], "b\n\u{1}": {"c": "\"é"}, "d": 0x10,}))
                .unwrap();
        assert_eq!(
            json,
            "{\"a\":[1,-2.5,1.0,true,null],\"b\\n\\u0001\":{\"c\":\"\\\"é\"},\"d\":16}"
        );
    }

    #[test]
    fn what_json_cannot_say_is_refused() {
        for tokens in [
            quote!(nul),
            quote!(1u8),
            quote!('c'),
            quote!(1e999),
            quote!(-true),
            quote!(-"x"),
            quote!({"a": 1, "a": 2}),
            quote!({a: 1}),
            quote!([1 2]),
            quote!(f(1)),
        ] {
            assert_eq!(text(tokens.clone()), None, "{tokens}");
        }
    }

    #[test]
    fn pairs_keep_their_order() {
        let pairs = pairs.parse2(quote!("b" = 1, "a" = [2])).unwrap();
        let shown: Vec<(String, &str)> = pairs
            .iter()
            .map(|pair| (pair.key.value(), pair.value.0.as_str()))
            .collect();
        assert_eq!(shown, [("b".to_owned(), "1"), ("a".to_owned(), "[2]")]);
    }
}
