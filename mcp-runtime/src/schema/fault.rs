//! What is wrong with a value, in lines that a model can act on: where, what was expected, what was found, and often the fix.
//!
//! The lines speak JSON. They have no Rust types, no line and column, and no links.

use super::cursor::{Cursor, Kind};
use super::nearest::nearest;
use super::node::{Node, Types};
use super::number::{Decimal, is_large_integer};
use super::parse::Definitions;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// More faults than this are counted, not listed.
pub(crate) const LISTED: usize = 32;
/// Stands in the place of the others.
pub(crate) const MORE: &str = "… and more of the same";
/// Values of an enumeration that are listed.
const VALUES: usize = 20;
/// Characters of a found value that are shown.
const SHOWN: usize = 40;
/// Characters of a name in a path that are shown.
const NAME_SHOWN: usize = 128;

/// One fault of a value; its `Display` is the line for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    line: String,
    /// Position in the schema of a required argument that is missing.
    missing: Option<usize>,
}

impl Fault {
    /// A fault of the whole value.
    pub(crate) fn whole(line: impl Into<String>) -> Self {
        Self {
            line: line.into(),
            missing: None,
        }
    }

    /// A value that is not right; if it, or one around it, is optional, the line says that it may be left out.
    pub(crate) fn at(path: &Path<'_>, sentence: impl fmt::Display) -> Self {
        let mut fault = Self::excess(path, sentence);
        if let Some(optional) = path.optional() {
            fault.line.push_str(&may_be_left_out(optional));
        }
        fault
    }

    /// A member that does not belong where it is, whatever its value.
    pub(crate) fn excess(path: &Path<'_>, sentence: impl fmt::Display) -> Self {
        let place = path.to_string();
        Self::whole(if place.is_empty() {
            sentence.to_string()
        } else {
            format!("`{place}`: {sentence}")
        })
    }

    /// A required member that is not there; arguments have a sentence of their own.
    pub(crate) fn missing(path: &Path<'_>, name: &str, position: usize) -> Self {
        if matches!(path, Path::Arguments) {
            Self {
                line: format!("Missing required argument: {name}"),
                missing: Some(position),
            }
        } else {
            let sentence = format_args!("the required member `{name}` is missing");
            Self {
                // Those of a form's answer are told first, too.
                missing: matches!(path, Path::Value).then_some(position),
                ..Self::at(path, sentence)
            }
        }
    }

    /// A member that the schema does not have.
    pub(crate) fn unknown<'n>(
        path: &Path<'_>,
        name: &str,
        known: impl Iterator<Item = &'n str> + Clone,
    ) -> Self {
        let noun = if matches!(path, Path::Arguments) {
            "argument"
        } else {
            "member"
        };
        let name = shown(name);
        let mut sentence = format!("unknown {noun} `{name}`");
        let names: Vec<&str> = known.collect();
        if let Some(near) = nearest(&name, names.iter().copied()) {
            sentence.push_str(&format!("; did you mean `{near}`?"));
        } else if names.is_empty() {
            sentence.push_str(&format!("; there are no {noun}s to give"));
        } else if names.len() <= 12 {
            sentence.push_str(&format!(
                "; the {noun}s are {}",
                joined(names.iter().map(|name| format!("`{name}`")), "and")
            ));
        }
        Self::excess(path, sentence)
    }

    /// A value that is not in the list.
    pub(crate) fn unlisted(
        node: &Node,
        definitions: &Definitions,
        text: &str,
        path: &Path<'_>,
    ) -> Self {
        let mut sentence = format!(
            "expected {}, found {}",
            expected(node, definitions, false),
            found(text)
        );
        let names = node.values.iter().flatten().filter_map(Value::as_str);
        let given = Cursor::new(text).string().and_then(|text| text.decode());
        if let Some(near) = given.and_then(|given| nearest(&given, names)) {
            sentence.push_str(&format!("; did you mean {near:?}?"));
        }
        Self::at(path, sentence)
    }

    /// A number that the rules exclude.
    pub(crate) fn out_of_range(
        node: &Node,
        definitions: &Definitions,
        text: &str,
        path: &Path<'_>,
    ) -> Self {
        let integral = !node.types.contains(Types::NUMBER);
        let value = Decimal::parse(text);
        let bits = if node.number.single { "32" } else { "64" };
        let expected = match value {
            Some(value) if integral && !value.is_integer() => {
                expected(&Node::of(Types::INTEGER), definitions, false)
            }
            Some(value) if !integral && node.number.within(&value) => {
                if let Some(rounded) = node.number.rounded_outside(text) {
                    let expected = expected(node, definitions, true);
                    let found = shown(text);
                    return Self::at(
                        path,
                        format_args!(
                            "expected {expected}, found {found}, which a {bits}-bit float rounds to {rounded}"
                        ),
                    );
                }
                format!("a number that a {bits}-bit float can hold")
            }
            _ => expected(node, definitions, true),
        };
        Self::at(
            path,
            format_args!("expected {expected}, found {}", shown(text)),
        )
    }

    /// Puts the faults of decoders behind those of the schema, as many as are listed.
    pub(crate) fn append(faults: &mut Vec<Self>, others: Vec<Self>) {
        for other in others {
            if faults.len() < LISTED {
                faults.push(other);
            } else if faults.len() == LISTED {
                faults.push(Self::whole(MORE));
            }
        }
    }

    /// Whether this is about a required argument that is missing, and which one of the schema's.
    pub(crate) fn missing_position(&self) -> Option<usize> {
        self.missing
    }

    /// Whether this is about a required argument that is missing.
    pub(crate) fn is_missing(&self) -> bool {
        self.missing.is_some()
    }
}

/// Says what numbers are meant where serde names a type of Rust, such as `expected u8`.
pub(super) fn without_rust_types(reason: &str) -> String {
    macro_rules! widths {
        ($($Integer:ident),*) => {
            [$((stringify!($Integer), <$Integer>::MIN.to_string(), <$Integer>::MAX.to_string())),*]
        };
    }
    for (name, least, most) in widths!(
        u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize
    ) {
        if let Some(start) = reason
            .strip_suffix(name)
            .filter(|start| start.ends_with("expected "))
        {
            return format!("{start}an integer from {least} to {most}");
        }
    }
    for name in ["f32", "f64"] {
        if let Some(start) = reason
            .strip_suffix(name)
            .filter(|start| start.ends_with("expected "))
        {
            return format!("{start}a number");
        }
    }
    reason.to_owned()
}

#[cfg(test)]
mod tests {
    use super::without_rust_types;

    #[test]
    fn a_models_text_has_no_types_of_rust() {
        assert_eq!(
            without_rust_types("invalid value: integer `256`, expected u8"),
            "invalid value: integer `256`, expected an integer from 0 to 255"
        );
        assert_eq!(
            without_rust_types("invalid type: string \"a\", expected f64"),
            "invalid type: string \"a\", expected a number"
        );
        assert_eq!(without_rust_types("expected menu8"), "expected menu8");
        assert_eq!(without_rust_types("7 is odd"), "7 is odd");
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.line)
    }
}

/// Where a value stands, kept on the stack while walking and written out only for a fault.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Path<'p> {
    /// The arguments object of a call.
    Arguments,
    /// A value of its own.
    Value,
    /// The result of a tool.
    Result,
    Member(&'p Self, &'p str),
    /// A member that may be left out.
    Optional(&'p Self, &'p str),
    Item(&'p Self, usize),
}

/// The end of a line about something optional.
pub(crate) fn may_be_left_out(what: impl fmt::Display) -> String {
    format!("; `{what}` may be left out")
}

impl Path<'_> {
    /// Whether the value is part of a tool's result.
    pub(crate) fn is_in_result(&self) -> bool {
        let mut path = self;
        while let Some(parent) = path.parent() {
            path = parent;
        }
        matches!(path, Self::Result)
    }

    /// The nearest optional member that the place is, or lies in; nothing that a tool returns may be left out by a client.
    fn optional(&self) -> Option<&Self> {
        let mut path = self;
        while let Some(parent) = path.parent() {
            if matches!(path, Self::Optional(..)) {
                return (!path.is_in_result()).then_some(path);
            }
            path = parent;
        }
        None
    }

    /// The place that the value is part of.
    fn parent(&self) -> Option<&Self> {
        match self {
            Self::Arguments | Self::Value | Self::Result => None,
            Self::Member(parent, _) | Self::Optional(parent, _) | Self::Item(parent, _) => {
                Some(parent)
            }
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut steps = Vec::new();
        let mut path = self;
        while let Some(parent) = path.parent() {
            steps.push(path);
            path = parent;
        }
        let mut dot = "";
        for step in steps.into_iter().rev() {
            match step {
                Self::Arguments | Self::Value | Self::Result => {}
                Self::Item(_, index) => write!(formatter, "[{index}]")?,
                Self::Member(_, name) | Self::Optional(_, name) => {
                    let plain = !name.is_empty()
                        && name
                            .chars()
                            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
                    if plain {
                        write!(formatter, "{dot}{}", cut(name, NAME_SHOWN))?;
                    } else {
                        write!(formatter, "[{:?}]", shown(name))?;
                    }
                }
            }
            dot = ".";
        }
        Ok(())
    }
}

/// What a schema expects, as a noun with its article; with `bounds`, those of numbers too.
pub(crate) fn expected(node: &Node, definitions: &Definitions, bounds: bool) -> String {
    describe(node, definitions, bounds, 0)
}

fn describe(node: &Node, definitions: &Definitions, bounds: bool, depth: usize) -> String {
    if let Some(values) = &node.values {
        let rest = values.len().saturating_sub(VALUES);
        let mut values: Vec<String> = values
            .iter()
            .take(VALUES)
            .map(ToString::to_string)
            .collect();
        if rest > 0 {
            values.push(format!("{rest} others"));
        }
        return match values.as_slice() {
            [value] => value.clone(),
            _ => format!("one of {}", joined(values.into_iter(), "or")),
        };
    }
    let union = if node.any_of.is_empty() {
        &node.one_of
    } else {
        &node.any_of
    };
    if !union.is_empty() && depth < 2 {
        let mut parts: Vec<String> = Vec::new();
        for alternative in union {
            let part = describe(alternative, definitions, bounds, depth + 1);
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        return joined(parts.into_iter(), "or");
    }
    if let Some((_, target)) = node.reference.and_then(|index| definitions.get(index))
        && depth < 2
    {
        return describe(target, definitions, bounds, depth + 1);
    }
    if node.types == Types::ANY {
        return "a value that the schema accepts".to_owned();
    }
    if node.types.is_empty() {
        return "no value".to_owned();
    }
    let range = if bounds { range(node) } else { String::new() };
    joined(
        node.types.each().map(|(_, name)| match name {
            "string" => "a string".to_owned(),
            "number" => format!("a number{range}"),
            "integer" => format!("an integer{range}"),
            "boolean" => "true or false".to_owned(),
            "array" => "an array".to_owned(),
            "object" => object(node),
            other => other.to_owned(),
        }),
        "or",
    )
}

fn object(node: &Node) -> String {
    let required: Vec<&str> = node
        .object
        .iter()
        .flat_map(|rules| {
            rules
                .members
                .iter()
                .filter(|member| member.required)
                .map(|member| member.name.as_str())
        })
        .collect();
    match required.len() {
        1..=4 => format!(
            "an object with {}",
            joined(required.iter().map(|name| format!("`{name}`")), "and")
        ),
        _ => "an object".to_owned(),
    }
}

fn range(node: &Node) -> String {
    let rules = &node.number;
    let mut text = match (&rules.minimum, &rules.maximum) {
        (Some(minimum), Some(maximum)) => format!(" from {} to {}", minimum.text, maximum.text),
        (Some(minimum), None) => format!(" of at least {}", minimum.text),
        (None, Some(maximum)) => format!(" of at most {}", maximum.text),
        (None, None) => String::new(),
    };
    if let Some(bound) = &rules.exclusive_minimum {
        text.push_str(&format!(" greater than {}", bound.text));
    }
    if let Some(bound) = &rules.exclusive_maximum {
        text.push_str(&format!(" less than {}", bound.text));
    }
    if let Some(step) = &rules.multiple_of {
        text.push_str(&format!(" that is a multiple of {}", step.text));
    }
    text
}

/// What was found, as a noun with its article.
pub(crate) fn found(text: &str) -> String {
    let mut cursor = Cursor::new(text);
    match cursor.kind() {
        Some(Kind::Array) => "an array".to_owned(),
        Some(Kind::Object) => "an object".to_owned(),
        Some(Kind::String) => {
            let content = cursor
                .string()
                .and_then(|text| text.decode())
                .unwrap_or_default();
            format!("the string {:?}", shown(&content))
        }
        _ => shown(text.trim()),
    }
}

/// The fix for a value of the right kind that was sent inside a string.
pub(crate) fn unquoted(node: &Node, definitions: &Definitions, text: &str) -> Option<String> {
    let content = Cursor::new(text).string()?.decode()?;
    let types = accepted(node, definitions, 0);
    let inner = content.trim();
    let kind = Cursor::new(inner).kind()?;
    serde_json::from_str::<&serde_json::value::RawValue>(inner).ok()?;
    Some(match kind {
        Kind::Object if types.contains(Types::OBJECT) => {
            "send the object itself, not a string that contains it".to_owned()
        }
        Kind::Array if types.contains(Types::ARRAY) => {
            "send the array itself, not a string that contains it".to_owned()
        }
        // Whoever sends a large integer as a string may have no other way to send it exactly.
        Kind::Number if types.contains(Types::INTEGER) && !is_large_integer(inner) => {
            format!("send {} without quotes", shown(inner))
        }
        Kind::Boolean if types.contains(Types::BOOLEAN) => format!("send {inner} without quotes"),
        _ => return None,
    })
}

/// The types that a schema can accept, seen through references and unions.
pub(crate) fn accepted(node: &Node, definitions: &Definitions, depth: usize) -> Types {
    let mut types = node.types;
    if depth > 8 {
        return types;
    }
    if let Some((_, target)) = node.reference.and_then(|index| definitions.get(index)) {
        types = types.common(accepted(target, definitions, depth + 1));
    }
    for union in [&node.any_of, &node.one_of] {
        if !union.is_empty() {
            let all = union.iter().fold(Types::NONE, |types, part| {
                types.union(accepted(part, definitions, depth + 1))
            });
            types = types.common(all);
        }
    }
    types
}

/// A count with its limits, such as `from 1 to 3 elements`.
pub(crate) fn amount(minimum: Option<u64>, maximum: Option<u64>, noun: &str) -> String {
    let plural = |count: u64| {
        if count == 1 {
            noun.to_owned()
        } else {
            format!("{noun}s")
        }
    };
    match (minimum, maximum) {
        (Some(minimum), Some(maximum)) if minimum == maximum => {
            format!("exactly {minimum} {}", plural(minimum))
        }
        (Some(minimum), Some(maximum)) => {
            format!("from {minimum} to {maximum} {}", plural(maximum))
        }
        (Some(minimum), None) => format!("at least {minimum} {}", plural(minimum)),
        (None, Some(maximum)) => format!("at most {maximum} {}", plural(maximum)),
        (None, None) => format!("any number of {noun}s"),
    }
}

/// A text cut to what is worth showing.
pub(crate) fn shown(text: &str) -> String {
    cut(text, SHOWN).into_owned()
}

fn cut(text: &str, characters: usize) -> Cow<'_, str> {
    match text.char_indices().nth(characters) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Words in a row: `a, b or c`.
pub(crate) fn joined(words: impl Iterator<Item = String>, conjunction: &str) -> String {
    let words: Vec<String> = words.collect();
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} {conjunction} {last}", others.join(", ")),
    }
}
