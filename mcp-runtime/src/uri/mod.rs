//! URIs against templates (RFC 6570, levels 1 to 3): what the variables of one stand for, and whether two meet.
//!
//! Templates come in parts: those of annotated functions are read by the compiler, those that are registered at run time
//! by [`template`]. URIs are compared as they are given: nothing is
//! normalised, so that a resource is found under the text that names it and under no other.

#[allow(
    dead_code,
    reason = "the macro, whose file it is too, asks for more of it"
)]
mod grammar;
mod overlap;
mod path;
mod template;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub(crate) use self::overlap::overlap;
pub(crate) use self::path::leaves_tree;
pub(crate) use self::template::{Template, check_fixed};

/// The longest URI that is looked at, in bytes.
pub(crate) const MAX_URI: usize = 8 * 1024;

/// Checks that a text of a client has the characters of a URI; the error is a sentence for the client.
///
/// A scheme is not asked for: what is compared as it is given may be relative.
pub(crate) fn check_characters(text: &str) -> Result<(), String> {
    grammar::foreign(text).map_or(Ok(()), |c| Err(grammar::no_character(c)))
}

/// A piece of a template, as generated code describes it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(clippy::exhaustive_enums, reason = "generated code makes it")]
pub enum UriPart<'t> {
    /// A text that stands in the URI as it is.
    Literal(&'t str),
    /// A value, which is not empty.
    Variable {
        /// The position of its parameter.
        param: usize,
        /// How far it reaches.
        reach: Reach,
        /// Between the values of a list.
        separator: char,
    },
    /// Named values at the end, in any order.
    Query {
        /// What stands before them, if there are any: `?` or `&`.
        opener: char,
        /// Their names, each with the position of its parameter.
        names: &'t [(&'t str, usize)],
    },
}

/// How far a value reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "generated code makes it")]
pub enum Reach {
    /// Within a segment: to the next `/`, `?` or `#`.
    Segment,
    /// Across slashes: to the next `?` or `#`.
    Segments,
    /// To the end of the URI.
    Rest,
}

impl Reach {
    /// Whether a value may contain the byte as it is.
    fn takes(self, byte: u8) -> bool {
        match self {
            Self::Segment => !matches!(byte, b'/' | b'?' | b'#'),
            Self::Segments => !matches!(byte, b'?' | b'#'),
            Self::Rest => true,
        }
    }
}

/// A value as it stands in the URI, still encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Captured<'u> {
    /// The position of the parameter.
    pub(crate) param: usize,
    pub(crate) text: &'u str,
    /// Between the values of a list.
    pub(crate) separator: char,
}

/// What the variables stand for, if the URI is one of the template's.
///
/// The time is linear in the URI: each byte is looked at a fixed number of times, and nothing is tried twice.
pub(crate) fn capture<'u>(parts: &[UriPart<'_>], uri: &'u str) -> Option<Vec<Captured<'u>>> {
    let mut captured = Vec::new();
    let mut rest = uri;
    for (index, part) in parts.iter().enumerate() {
        match *part {
            UriPart::Literal(text) => rest = rest.strip_prefix(text)?,
            UriPart::Variable {
                param,
                reach,
                separator,
            } => {
                let end = value_end(rest, reach, &parts[index + 1..])?;
                let (text, after) = rest.split_at_checked(end)?;
                if text.is_empty() {
                    return None;
                }
                captured.push(Captured {
                    param,
                    text,
                    separator,
                });
                rest = after;
            }
            UriPart::Query { opener, names } => {
                query(rest, opener, names, &mut captured)?;
                rest = "";
            }
        }
    }
    rest.is_empty().then_some(captured)
}

/// Where a value ends.
fn value_end(rest: &str, reach: Reach, after: &[UriPart<'_>]) -> Option<usize> {
    let bytes = rest.as_bytes();
    let limit = bytes
        .iter()
        .position(|byte| !reach.takes(*byte))
        .unwrap_or(bytes.len());
    match after {
        [] | [UriPart::Query { .. }, ..] => Some(limit),
        [UriPart::Literal(text), UriPart::Variable { .. }, ..] => {
            // It has a character that no value keeps as it is, so the first one is where it belongs.
            let start = rest.find(text)?;
            (start <= limit).then_some(start)
        }
        [UriPart::Literal(text), tail @ ..] => {
            // The last literal of the path stands at its end; behind it is nothing, or the query.
            let path_end = match tail {
                [UriPart::Query { opener: '?', .. }, ..] => rest.find('?').unwrap_or(bytes.len()),
                // The literal has the `?` itself.
                [UriPart::Query { .. }, ..] => {
                    return rest.find(text).filter(|start| *start <= limit);
                }
                _ => bytes.len(),
            };
            let start = path_end.checked_sub(text.len())?;
            (start <= limit && rest.get(start..path_end) == Some(*text)).then_some(start)
        }
        [UriPart::Variable { .. }, ..] => None,
    }
}

/// Reads `?a=1&b=2`; names that the template does not have are not its URIs.
fn query<'u>(
    rest: &'u str,
    opener: char,
    names: &[(&str, usize)],
    captured: &mut Vec<Captured<'u>>,
) -> Option<()> {
    if rest.is_empty() {
        return Some(());
    }
    // `?` with nothing behind it is an empty query, and `a=1&` has one value: what is empty says nothing.
    let pairs = rest.strip_prefix(opener)?.split('&');
    for pair in pairs.filter(|pair| !pair.is_empty()) {
        let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
        let (_, param) = names.iter().find(|(known, _)| *known == name)?;
        captured.push(Captured {
            param: *param,
            text,
            separator: ',',
        });
    }
    Some(())
}

/// Decodes `%41`; the error is a sentence for the client.
pub(crate) fn decode(text: &str) -> Result<Cow<'_, str>, &'static str> {
    if !text.contains('%') {
        return Ok(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || {
            let digit = rest.next().and_then(|byte| char::from(byte).to_digit(16));
            digit.and_then(|digit| u8::try_from(digit).ok())
        };
        let (Some(high), Some(low)) = (digit(), digit()) else {
            return Err("a `%` is followed by two hexadecimal digits");
        };
        bytes.push(high << 4 | low);
    }
    String::from_utf8(bytes)
        .map(Cow::Owned)
        .map_err(|_| "the encoded bytes are not UTF-8")
}
