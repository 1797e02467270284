//! URIs and URI templates (RFC 3986, RFC 6570 levels 1 to 3), checked to be ones that can be matched again.
//!
//! A template is cut into parts here, by `mcp-macros` while a program is compiled and by `mcp-runtime` while it runs. The
//! file is part of both crates, a symbolic link of the one into the other, so that both take the same templates.
//! Matching is the runtime's.

/// A URI, or a template of URIs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    parts: Vec<Part>,
}

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// A text that stands in the URI as it is.
    Literal(String),
    /// A value.
    Variable {
        /// What it is called.
        name: String,
        /// How far it reaches.
        reach: Reach,
        /// Between the values of a list.
        separator: char,
    },
    /// Named values behind `?` or `&`, in any order.
    Query {
        /// What stands before them, if there are any: `?` or `&`.
        opener: char,
        /// What they are called.
        names: Vec<String>,
    },
}

/// How far a value reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// `{x}`: within a segment.
    Segment,
    /// `{x*}`: across slashes.
    Segments,
    /// `{+x}`: to the end.
    Rest,
}

impl Template {
    /// Reads and checks a text.
    ///
    /// # Errors
    ///
    /// A sentence that says what is wrong and what to write.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let parts = cut(text)?;
        scheme(&parts)?;
        separate(&parts)?;
        Ok(Self { parts })
    }

    /// The parts in order; a fixed URI is one literal.
    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Whether it has no variables.
    pub(crate) fn is_fixed(&self) -> bool {
        self.variables().is_empty()
    }

    /// The names of the variables, in order.
    pub(crate) fn variables(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for part in &self.parts {
            match part {
                Part::Literal(_) => {}
                Part::Variable { name, .. } => names.push(name.as_str()),
                Part::Query { names: query, .. } => names.extend(query.iter().map(String::as_str)),
            }
        }
        names
    }

    /// The text without the names of variables, which two templates may differ in and still be one.
    pub(crate) fn shape(&self) -> String {
        let mut shape = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => shape.push_str(text),
                Part::Variable { reach, .. } => shape.push_str(match reach {
                    Reach::Segment => "{}",
                    Reach::Segments => "{*}",
                    Reach::Rest => "{+}",
                }),
                Part::Query { .. } => shape.push_str("{?}"),
            }
        }
        shape
    }
}

/// Cuts the text at its braces.
fn cut(text: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (literal, after) = match rest.split_once('{') {
            Some((literal, after)) => (literal, Some(after)),
            None => (rest, None),
        };
        check_literal(literal)?;
        push_literal(&mut parts, literal);
        let Some(after) = after else { break };
        let (expression, after) = after
            .split_once('}')
            .ok_or("a `{` is never closed; write `}` behind the variable's name")?;
        expand(expression, &mut parts)?;
        rest = after;
    }
    Ok(parts)
}

fn push_literal(parts: &mut Vec<Part>, literal: &str) {
    match parts.last_mut() {
        _ if literal.is_empty() => {}
        Some(Part::Literal(text)) => text.push_str(literal),
        _ => parts.push(Part::Literal(literal.to_owned())),
    }
}

/// Reads what stands between braces (RFC 6570, section 2.2).
fn expand(expression: &str, parts: &mut Vec<Part>) -> Result<(), String> {
    let operator = expression.chars().next().filter(|c| !is_name_char(*c));
    let names = &expression[operator.map_or(0, char::len_utf8)..];
    let list: Vec<&str> = names.split(',').collect();
    match operator {
        None => list_of(&list, "", ',', parts),
        Some('.') => list_of(&list, ".", '.', parts),
        Some('/') => list_of(&list, "/", '/', parts),
        Some(sign @ ('+' | '#')) => {
            let [name] = list[..] else {
                return Err(format!(
                    "`{{{sign}x}}` takes the rest of the URI, so it has one variable; write `{{{sign}{}}}`",
                    list[0]
                ));
            };
            if sign == '#' {
                push_literal(parts, "#");
            }
            parts.push(Part::Variable {
                name: plain(name)?,
                reach: Reach::Rest,
                separator: ',',
            });
            Ok(())
        }
        Some(opener @ ('?' | '&')) => {
            let names = list
                .iter()
                .map(|name| plain(name.strip_suffix('*').unwrap_or(name)));
            parts.push(Part::Query {
                opener,
                names: names.collect::<Result<_, _>>()?,
            });
            Ok(())
        }
        Some(sign) => Err(format!(
            "URIs cannot be matched against `{{{sign}…}}`; write `{{x}}`, `{{+x}}`, `{{x*}}`, `{{/x}}`, `{{.x}}`, `{{#x}}` \
             or `{{?x}}`"
        )),
    }
}

/// Variables of one operator, which stand between separators.
fn list_of(
    names: &[&str],
    first: &str,
    separator: char,
    parts: &mut Vec<Part>,
) -> Result<(), String> {
    for (index, name) in names.iter().enumerate() {
        let between = separator.to_string();
        push_literal(parts, if index == 0 { first } else { &between });
        let (name, reach) = match name.strip_suffix('*') {
            Some(name) => (name, Reach::Segments),
            None => (*name, Reach::Segment),
        };
        parts.push(Part::Variable {
            name: plain(name)?,
            reach,
            separator,
        });
    }
    Ok(())
}

/// The characters of names that we take: those that a Rust name or a `rename` can have.
fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | '-')
}

fn plain(name: &str) -> Result<String, String> {
    if name.is_empty() {
        return Err("a variable has a name; write `{id}`, and a parameter `id`".to_owned());
    }
    if name.contains('-') {
        return Err(format!(
            "the names of variables have no `-` (RFC 6570); write `{{{}}}`",
            name.replace('-', "_")
        ));
    }
    if name.contains(':') {
        return Err(format!(
            "a prefix does not tell the whole value; write `{{{}}}`",
            name.split(':').next().unwrap_or_default()
        ));
    }
    if name.contains('*') || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(format!(
            "`{name}` is not the name of a variable; use letters, digits and `_`"
        ));
    }
    Ok(name.to_owned())
}

/// What may stand between variables.
fn check_literal(literal: &str) -> Result<(), String> {
    match foreign(literal) {
        None => Ok(()),
        Some('}') => Err("a `}` closes nothing; write `{` before the variable's name".to_owned()),
        Some(c) => Err(no_character(c)),
    }
}

/// The first character of a text that no URI has in its place (RFC 3986, section 2).
pub(crate) fn foreign(text: &str) -> Option<char> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    let mut characters = text.char_indices();
    let found = characters.find(|(at, c)| match c {
        '%' => !(is_digit(at + 1) && is_digit(at + 2)),
        _ => !c.is_ascii_alphanumeric() && !"-._~:/?#[]@!$&'()*+,;=".contains(*c),
    });
    found.map(|(_, c)| c)
}

/// Says that a URI cannot have a character, and how to write it.
pub(crate) fn no_character(c: char) -> String {
    let mut buffer = [0; 4];
    let bytes = c.encode_utf8(&mut buffer).bytes();
    let escaped: String = bytes.map(|byte| format!("%{byte:02X}")).collect();
    format!("a URI cannot have the character {c:?}; write `{escaped}`")
}

/// Clients compare and route URIs by their scheme, so one has to be there (RFC 3986, section 3.1).
fn scheme(parts: &[Part]) -> Result<(), String> {
    let sentence =
        "a resource's URI begins with a scheme; write `orders://recent`, `file:///…` or the like";
    let Some(Part::Literal(first)) = parts.first() else {
        return Err(sentence.to_owned());
    };
    let (scheme, rest) = first.split_once(':').ok_or(sentence)?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    if !is_scheme || (rest.is_empty() && parts.len() == 1) {
        return Err(sentence.to_owned());
    }
    Ok(())
}

/// Refuses templates whose values could not be told apart: two different values would give one URI.
fn separate(parts: &[Part]) -> Result<(), String> {
    let mut names: Vec<&str> = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let own: Vec<&str> = match part {
            Part::Literal(_) => continue,
            Part::Variable { name, .. } => vec![name],
            Part::Query { names, .. } => names.iter().map(String::as_str).collect(),
        };
        for name in own {
            if names.contains(&name) {
                return Err(format!(
                    "the variable `{name}` stands twice; give one of them another name"
                ));
            }
            names.push(name);
        }
        let after = &parts[index + 1..];
        if matches!(part, Part::Query { .. }) && !after.is_empty() {
            return Err("`{?x}` takes the rest of the URI; put it at the end".to_owned());
        }
        let Part::Variable { name, reach, .. } = part else {
            continue;
        };
        let next = after.iter().find_map(|part| match part {
            Part::Variable { name, .. } => Some(name.as_str()),
            _ => None,
        });
        let has_query = after.iter().any(|part| matches!(part, Part::Query { .. }));
        match (reach, next) {
            (Reach::Rest, _) if next.is_some() || has_query => {
                return Err(format!(
                    "`{{+{name}}}` takes the rest of the URI, so no variable can follow; write `{{{name}}}`"
                ));
            }
            (Reach::Segments, Some(_)) => {
                return Err(format!(
                    "`{{{name}*}}` reaches across slashes, so no variable can follow in the path; write `{{{name}}}`"
                ));
            }
            (_, Some(next)) => {
                let separated = matches!(after.first(), Some(Part::Literal(text)) if !text.chars().all(is_unreserved));
                if !separated {
                    return Err(format!(
                        "`{{{name}}}` and `{{{next}}}` cannot be told apart, since a value may contain all that stands between \
                         them; write `/` there"
                    ));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// The characters that a value keeps when it is written into a URI (RFC 6570, section 3.2.2).
fn is_unreserved(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '~')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Template, String> {
        Template::read(text)
    }

    #[test]
    fn templates_are_cut_at_their_variables() {
        let shape = |text: &str| {
            let uri = parse(text).unwrap();
            let names = uri.variables().join(" ");
            (uri.shape(), names)
        };
        for (text, expected, names) in [
            ("orders://recent", "orders://recent", ""),
            ("orders://{id}", "orders://{}", "id"),
            ("file:///{+path}", "file:///{+}", "path"),
            ("a:{x*}/end", "a:{*}/end", "x"),
            ("a:b{/x,y}", "a:b/{}/{}", "x y"),
            ("a:{x,y}", "a:{},{}", "x y"),
            ("a:b{.x}", "a:b.{}", "x"),
            ("a:b{#x}", "a:b#{+}", "x"),
            ("a:{x}{?b,c*}", "a:{}{?}", "x b c"),
            ("a:b?c=d{&e}", "a:b?c=d{?}", "e"),
            ("a:%7Bx/{y}.json", "a:%7Bx/{}.json", "y"),
        ] {
            assert_eq!(
                shape(text),
                (expected.to_owned(), names.to_owned()),
                "{text}"
            );
        }
        assert!(parse("a:b").unwrap().is_fixed() && !parse("a:{b}").unwrap().is_fixed());
    }

    #[test]
    fn what_cannot_be_matched_again_is_refused_with_the_way_out() {
        for (text, start) in [
            ("", "a resource's URI begins with a scheme"),
            ("users/me", "a resource's URI begins with a scheme"),
            ("{x}:a", "a resource's URI begins with a scheme"),
            ("1a:b", "a resource's URI begins with a scheme"),
            ("a:", "a resource's URI begins with a scheme"),
            ("a:b c", "a URI cannot have the character ' '; write `%20`"),
            ("a:é", "a URI cannot have the character 'é'; write `%C3%A9`"),
            ("a:%4", "a URI cannot have the character '%'; write `%25`"),
            ("a:{x", "a `{` is never closed"),
            ("a:x}", "a `}` closes nothing"),
            ("a:{}", "a variable has a name"),
            (
                "a:{user-id}",
                "the names of variables have no `-` (RFC 6570); write `{user_id}`",
            ),
            (
                "a:{x:3}",
                "a prefix does not tell the whole value; write `{x}`",
            ),
            ("a:{;x}", "URIs cannot be matched against `{;…}`"),
            ("a:{x}/{x}", "the variable `x` stands twice"),
            ("a:{x}{y}", "`{x}` and `{y}` cannot be told apart"),
            ("a:{x}.{y}", "`{x}` and `{y}` cannot be told apart"),
            ("a:{+x}/{y}", "`{+x}` takes the rest of the URI"),
            ("a:{+x}{?y}", "`{+x}` takes the rest of the URI"),
            ("a:{+x,y}", "`{+x}` takes the rest of the URI"),
            ("a:{x*}/{y}", "`{x*}` reaches across slashes"),
            ("a:{?x}/y", "`{?x}` takes the rest of the URI"),
        ] {
            match parse(text) {
                Ok(uri) => panic!("{text} was taken: {}", uri.shape()),
                Err(sentence) => assert!(sentence.starts_with(start), "{text}: {sentence}"),
            }
        }
    }
}
