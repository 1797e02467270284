//! The keys of `_meta`, checked against the specification's section "`_meta`", and its JSON text.
//!
//! Values are anybody's: they are passed on as they are.

use crate::attr::json::{Pair, quote_into};
use crate::diag::Diagnostics;

/// The JSON object that the pairs make.
pub(super) fn object(pairs: &[Pair], diag: &mut Diagnostics) -> String {
    let mut seen: Vec<String> = Vec::new();
    let mut json = String::from("{");
    for pair in pairs {
        let key = pair.key.value();
        if let Err(sentence) = check(&key) {
            diag.error(pair.key.span(), sentence);
        } else if seen.contains(&key) {
            diag.error(
                pair.key.span(),
                format!("`{key}` is set twice; remove this one"),
            );
        }
        if !seen.is_empty() {
            json.push(',');
        }
        quote_into(&mut json, &key);
        json.push(':');
        json.push_str(&pair.value.0);
        seen.push(key);
    }
    json.push('}');
    json
}

fn check(key: &str) -> Result<(), String> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if let Some(prefix) = prefix {
        if !prefix.split('.').all(is_label) {
            return Err(format!(
                "`{prefix}` is not a prefix of a `_meta` key; write a reversed domain name, such as `com.example/{name}`"
            ));
        }
        if let Some(label @ ("mcp" | "modelcontextprotocol")) = prefix.split('.').nth(1) {
            return Err(format!(
                "prefixes whose second label is `{label}` are reserved for MCP; write one of your own, such as \
                 `com.example/{name}`"
            ));
        }
    }
    // Only a prefixed name may be empty: without a prefix there would be no key at all.
    if !(is_name(name) || (name.is_empty() && prefix.is_some())) {
        return Err(format!(
            "`{key}` is not a `_meta` key; its name starts and ends with a letter or digit and has only `-`, `_` and `.` \
             besides"
        ));
    }
    Ok(())
}

fn is_label(label: &str) -> bool {
    label.starts_with(|c: char| c.is_ascii_alphabetic())
        && label.ends_with(|c: char| c.is_ascii_alphanumeric())
        && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.ends_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(super::is_name_char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_follow_the_specification() {
        for key in [
            "a",
            "team",
            "com.example/team",
            "com.example.mcp/x",
            "a/",
            "x-1.y_z",
            "mcp/x",
            "mcp.example/a",
        ] {
            assert_eq!(check(key), Ok(()), "{key}");
        }
        for key in [
            "",
            "/a",
            "-a",
            "a-",
            "a b",
            "é",
            "1a.b/c",
            "a-.b/c",
            "a..b/c",
            "a/b/c",
            "io.modelcontextprotocol/x",
            "dev.mcp/",
            "org.modelcontextprotocol.api/x",
            "com.mcp.tools/x",
        ] {
            assert!(check(key).is_err(), "{key}");
        }
    }
}
