//! Doc comments and names as text: descriptions for the model, titles for people.
//!
//! String work only; whether a description is needed is judged by the model stage.

use syn::{Attribute, Expr, Lit, Meta};

/// The text of an item's doc comments.
#[derive(Default)]
pub(crate) struct Doc {
    /// The lines, unindented, with outer blank lines removed; empty if there is no doc comment.
    pub(crate) text: String,
    /// Where a `#[doc = …]` has a value that only the compiler can compute, such as `include_str!`.
    pub(crate) computed: Option<Expr>,
}

impl Doc {
    /// Reads the doc attributes among `attrs`.
    pub(crate) fn read(attrs: &[Attribute]) -> Self {
        let mut lines = Vec::new();
        let mut computed = None;
        for attr in attrs {
            let Meta::NameValue(pair) = &attr.meta else {
                continue;
            };
            if !pair.path.is_ident("doc") {
                continue;
            }
            match ungrouped(&pair.value) {
                Expr::Lit(value) if matches!(value.lit, Lit::Str(_)) => {
                    if let Lit::Str(text) = &value.lit {
                        push_comment(&mut lines, &text.value());
                    }
                }
                other => computed = computed.or(Some(other.clone())),
            }
        }
        Self {
            text: unindent(&lines),
            computed,
        }
    }
}

/// The expression inside the invisible groups that `macro_rules!` puts around its fragments.
pub(crate) fn ungrouped(mut expr: &Expr) -> &Expr {
    while let Expr::Group(group) = expr {
        expr = &group.expr;
    }
    expr
}

/// A name in words, for people: `delete_project` becomes `Delete project`.
pub(crate) fn words(name: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for part in name.split(['_', '-', '.']).filter(|part| !part.is_empty()) {
        let mut previous_is_lower = false;
        let mut word = String::new();
        for c in part.chars() {
            if c.is_uppercase() && previous_is_lower {
                words.push(std::mem::take(&mut word));
            }
            previous_is_lower = c.is_lowercase() || c.is_ascii_digit();
            word.push(c);
        }
        words.push(word);
    }
    for (index, word) in words.iter_mut().enumerate() {
        let is_acronym = word.chars().count() > 1 && !word.chars().any(char::is_lowercase);
        let mut chars = word.chars();
        if let Some(first) = chars.next()
            && !is_acronym
        {
            let rest = chars.as_str();
            *word = if index == 0 {
                first.to_uppercase().chain(rest.chars()).collect()
            } else {
                first.to_lowercase().chain(rest.chars()).collect()
            };
        }
    }
    words.join(" ")
}

/// Appends the lines of one comment, without the column of stars that block comments often have.
fn push_comment(lines: &mut Vec<String>, comment: &str) {
    let own: Vec<&str> = comment.lines().collect();
    let starred = own.len() > 1
        && own[1..].iter().all(|line| {
            let line = line.trim_start();
            line.is_empty() || line.starts_with('*')
        });
    for (index, line) in own.iter().enumerate() {
        let line = match line.trim_start().strip_prefix('*') {
            Some(rest) if starred && index > 0 => rest,
            _ => line,
        };
        lines.push(line.trim_end().to_owned());
    }
    if own.is_empty() {
        lines.push(String::new());
    }
}

/// Joins `lines` without their common indentation and without blank lines at either end.
fn unindent(lines: &[String]) -> String {
    let indent = lines
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| line.len() - line.trim_start_matches(' ').len())
        .min()
        .unwrap_or(0);
    let lines: Vec<&str> = lines
        .iter()
        .map(|line| line.get(indent..).unwrap_or(""))
        .collect();
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use quote::quote;
    use syn::parse::Parser as _;

    use super::*;

    fn doc(tokens: proc_macro2::TokenStream) -> Doc {
        Doc::read(&Attribute::parse_outer.parse2(tokens).unwrap())
    }

    #[test]
    fn line_comments_keep_their_paragraphs() {
        let doc = doc(quote! {
            /// Add two integers.
            ///
            ///     let code = indented;
            #[inline]
            /// More.
        });
        assert_eq!(
            doc.text,
            "Add two integers.\n\n    let code = indented;\nMore."
        );
        assert!(doc.computed.is_none());
    }

    #[test]
    fn block_comments_lose_their_stars() {
        assert_eq!(doc(quote!(#[doc = " Words. "])).text, "Words.");
        assert_eq!(
            doc(quote!(#[doc = "\n * First.\n *\n * Second.\n "])).text,
            "First.\n\nSecond."
        );
        assert_eq!(
            doc(quote!(#[doc = " * a list\n without stars"])).text,
            "* a list\nwithout stars"
        );
    }

    #[test]
    fn computed_docs_are_seen_but_not_read() {
        let doc = doc(quote!(#[doc = include_str!("x.md")] #[doc(hidden)]));
        assert_eq!(doc.text, "");
        assert!(doc.computed.is_some());
    }

    #[test]
    fn names_become_words() {
        for (name, title) in [
            ("delete_project", "Delete project"),
            ("add", "Add"),
            ("admin.delete-project", "Admin delete project"),
            ("deleteProject", "Delete project"),
            ("get_URL", "Get URL"),
            ("v2_list", "V2 list"),
            ("_", ""),
        ] {
            assert_eq!(words(name), title, "{name}");
        }
    }
}
