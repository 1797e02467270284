//! Finds the place in a value at which its decoder has stopped, and tells what is wrong there.
//!
//! Decoders of tagged enums and of what is flattened read a value as a whole before they decode its parts, and then serde_json
//! tells no more than where the whole ends. The part is found by asking the decoder again, with later parts changed: as long as it
//! says the same, it has not come to them.

use super::canonical::applied;
use super::cursor::{Cursor, Kind};
use super::fault::{self, Fault, Path, without_rust_types};
use super::format;
use super::node::{Additional, Node};
use super::parse::Definitions;
use std::ops::Range;

/// What takes the place of a part: no type that is written as a string or a number accepts it.
const CHANGED: &str = "[]";

/// What is wrong with a value that satisfies its schema and that its type refuses with an error.
pub(super) fn fault(
    node: &Node,
    definitions: &Definitions,
    path: &Path<'_>,
    json: &str,
    error: &serde_json::Error,
    decode: &mut dyn FnMut(&str) -> Option<serde_json::Error>,
) -> Fault {
    let reason = reason(error);
    let mut parts = Vec::new();
    // The text has satisfied the schema, so the walk reaches its end.
    let _ = collect(node, definitions, &mut Cursor::new(json), None, &mut parts);
    let mut refused = place_of(json, error);
    if let Some(found) = narrowed(json, &parts, &refused, &reason, decode) {
        refused = found;
    }
    let place = Place {
        definitions,
        refused: &refused,
        reason: without_rust_types(&reason),
    };
    place
        .fault(node, &mut Cursor::new(json), path)
        .unwrap_or_else(|| Fault::at(path, &place.reason))
}

/// What an error says, without the position, which means nothing to a model.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// A value within the text.
#[derive(Debug, Clone)]
struct Part {
    at: Range<usize>,
    /// Whether other values are in it.
    is_container: bool,
    /// The position of the part that it is in.
    parent: Option<usize>,
    /// The name with its quotes, if it is a member.
    name: Range<usize>,
}

/// Collects the parts of a value in their order, each container before what is in it.
///
/// What tells the variants of an enum apart is left out: changed, it would change the meaning of all the others.
fn collect(
    node: &Node,
    definitions: &Definitions,
    cursor: &mut Cursor<'_>,
    member_of: Option<(usize, Range<usize>)>,
    parts: &mut Vec<Part>,
) -> Option<()> {
    let start = cursor.offset()?;
    let node = applied(node, definitions, *cursor);
    let kind = cursor.kind()?;
    let is_container = matches!(kind, Kind::Array | Kind::Object);
    let end = start + cursor.clone().skip()?.len();
    let (parent, name) = match member_of {
        Some((parent, name)) => (Some(parent), name),
        None => (None, 0..0),
    };
    if !is_container && node.values.is_some() {
        cursor.skip()?;
        return Some(());
    }
    let index = parts.len();
    parts.push(Part {
        at: start..end,
        is_container,
        parent,
        name,
    });
    inside(node, cursor, |node, cursor, name| {
        let name = name.unwrap_or(0..0);
        collect(node, definitions, cursor, Some((index, name)), parts)
    })
}

/// Goes through the values in an array or object, or passes over any other; `None` ends it early.
fn inside<'t>(
    node: &Node,
    cursor: &mut Cursor<'t>,
    mut each: impl FnMut(&Node, &mut Cursor<'t>, Option<Range<usize>>) -> Option<()>,
) -> Option<()> {
    let any = Node::any();
    let mut first = true;
    match cursor.kind()? {
        Kind::Array => {
            cursor.enter(b'[')?;
            let mut index = 0;
            while cursor.next(&mut first, b']')? {
                let rules = node.array.as_deref();
                let items =
                    rules.and_then(|rules| rules.prefix.get(index).or(rules.items.as_ref()));
                each(items.unwrap_or(&any), cursor, None)?;
                index += 1;
            }
        }
        Kind::Object => {
            cursor.enter(b'{')?;
            while cursor.next(&mut first, b'}')? {
                let start = cursor.offset()?;
                let name = cursor.key()?;
                let member = member(node, &name.decode()?).map_or(&any, |(node, _)| node);
                each(member, cursor, Some(start..start + name.quoted.len()))?;
            }
        }
        _ => {
            cursor.skip()?;
        }
    }
    Some(())
}

/// The schema of a member, and whether it may be left out.
fn member<'n>(node: &'n Node, name: &str) -> Option<(&'n Node, bool)> {
    let rules = node.object.as_deref()?;
    if let Some(member) = rules
        .find(name, 0)
        .and_then(|index| rules.members.get(index))
    {
        return Some((&member.node, !member.required));
    }
    let pattern = rules
        .patterns
        .iter()
        .find(|(pattern, _)| pattern.regex.is_match(name));
    match (pattern, &rules.additional) {
        (Some((_, node)), _) => Some((node, false)),
        (None, Additional::Schema(node)) => Some((node, false)),
        (None, Additional::Open | Additional::Refused) => None,
    }
}

/// The part at which a decoder has stopped that says only in which container it is.
fn narrowed(
    json: &str,
    parts: &[Part],
    refused: &Range<usize>,
    reason: &str,
    decode: &mut dyn FnMut(&str) -> Option<serde_json::Error>,
) -> Option<Range<usize>> {
    let outer = parts
        .iter()
        .position(|part| part.is_container && part.at == *refused)?;
    let within = |part: &&Part| {
        !part.is_container && refused.start < part.at.start && part.at.end < refused.end
    };
    let leaves: Vec<&Part> = parts.iter().filter(within).collect();
    let mut says_the_same =
        |json: &str| decode(json).is_some_and(|error| self::reason(&error) == reason);
    // The number of leaves that the decoder has come to; with all later ones changed it still says the same.
    let (mut low, mut high) = (0, leaves.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let changed = leaves[middle..].iter().map(|leaf| leaf.at.clone());
        if says_the_same(&replaced(json, changed)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    let mut found = *leaves.get(low.checked_sub(1)?)?;
    // It stopped at the last leaf, or behind it at a container that ends with this leaf: then it comes to what follows.
    loop {
        let parent = parts.get(found.parent?)?;
        if says_the_same(&followed(json, found)) {
            return Some(found.at.clone());
        }
        if parts.get(outer).is_some_and(|outer| outer.at == parent.at) {
            return None;
        }
        found = parent;
    }
}

/// The text with other values in the place of some.
fn replaced(json: &str, values: impl Iterator<Item = Range<usize>>) -> String {
    let mut text = String::with_capacity(json.len());
    let mut copied = 0;
    for value in values {
        text.push_str(&json[copied..value.start]);
        text.push_str(CHANGED);
        copied = value.end;
    }
    text.push_str(&json[copied..]);
    text
}

/// The text with a value behind another, under the same name if that is a member.
fn followed(json: &str, part: &Part) -> String {
    let (before, behind) = json.split_at(part.at.end);
    let name = &json[part.name.clone()];
    let colon = if name.is_empty() { "" } else { ":" };
    format!("{before},{name}{colon}{CHANGED}{behind}")
}

/// The value, or the name of a member, that serde_json read last.
fn place_of(json: &str, error: &serde_json::Error) -> Range<usize> {
    let line_start: usize = json
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    place_at(json, line_start + error.column())
}

fn place_at(json: &str, end: usize) -> Range<usize> {
    let bytes = json.as_bytes();
    let mut open: Vec<usize> = Vec::new();
    let mut last = 0..json.len();
    let mut at = 0;
    while at < end.min(bytes.len()) {
        match bytes[at] {
            b'[' | b'{' => open.push(at),
            b']' | b'}' => {
                if let Some(start) = open.pop() {
                    last = start..at + 1;
                }
            }
            b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => {
                let length = json
                    .get(at..)
                    .and_then(|rest| Cursor::new(rest).skip())
                    .map_or(1, str::len);
                last = at..at + length;
                at += length;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    last
}

/// Where a decoder has stopped, and why.
struct Place<'d> {
    definitions: &'d Definitions,
    refused: &'d Range<usize>,
    reason: String,
}

impl Place<'_> {
    /// The fault of the value at the cursor if it is the refused one, or has it; `None` if it has not.
    fn fault(&self, node: &Node, cursor: &mut Cursor<'_>, path: &Path<'_>) -> Option<Fault> {
        let start = cursor.offset()?;
        let node = applied(node, self.definitions, *cursor);
        let text = cursor.clone().skip()?;
        let at = start..start + text.len();
        if at.end <= self.refused.start || self.refused.end <= at.start {
            cursor.skip()?;
            return None;
        }
        if at == *self.refused {
            return Some(self.told(node, text, path));
        }
        let mut found = None;
        let mut index = 0;
        let json = *cursor;
        let _ = inside(node, cursor, |child, cursor, name| {
            let key = name
                .as_ref()
                .and_then(|name| json.text_at(name.clone()))
                .and_then(|quoted| serde_json::from_str::<String>(quoted).ok());
            let place = match &key {
                Some(key) if member(node, key).is_some_and(|(_, optional)| optional) => {
                    Path::Optional(path, key)
                }
                Some(key) => Path::Member(path, key),
                None => Path::Item(path, index),
            };
            index += 1;
            found = match name {
                Some(name) if name == *self.refused => Some(Fault::at(&place, &self.reason)),
                _ => self.fault(child, cursor, &place),
            };
            found.is_none().then_some(())
        });
        found.or_else(|| Some(self.told(node, text, path)))
    }

    /// The line: what the format of the value is if it tells one, else what the decoder has said.
    fn told(&self, node: &Node, text: &str, path: &Path<'_>) -> Fault {
        let format = node.string.format.as_deref();
        // What is enforced and was accepted has the format, and is refused for another reason.
        match format
            .filter(|_| node.string.enforced.is_none())
            .and_then(format::noun)
        {
            Some(noun) => Fault::at(
                path,
                format_args!("expected {noun}, found {}", fault::found(text)),
            ),
            None => Fault::at(path, &self.reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    use super::super::tests::{derive, parameter};

    /// A number whose schema does not tell that it is even.
    #[derive(Debug, Deserialize)]
    #[serde(try_from = "u8")]
    struct Even;

    impl TryFrom<u8> for Even {
        type Error = String;

        fn try_from(number: u8) -> Result<Self, String> {
            if number.is_multiple_of(2) {
                Ok(Self)
            } else {
                Err(format!("{number} is odd"))
            }
        }
    }

    impl JsonSchema for Even {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Even".into()
        }

        fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
            u8::json_schema(generator)
        }
    }

    /// Two numbers of which the second is not the lesser.
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(try_from = "Ends")]
    struct Span;

    #[derive(Debug, Deserialize, JsonSchema)]
    struct Ends {
        start: u8,
        end: u8,
    }

    impl TryFrom<Ends> for Span {
        type Error = &'static str;

        fn try_from(ends: Ends) -> Result<Self, Self::Error> {
            if ends.start <= ends.end {
                Ok(Self)
            } else {
                Err("the end is before the start")
            }
        }
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(tag = "kind", rename_all = "lowercase")]
    #[expect(dead_code, reason = "only decoding matters")]
    enum Tagged {
        One {
            before: Option<u8>,
            even: Even,
            after: Option<u8>,
        },
        Many {
            evens: Vec<Even>,
            spans: Vec<Span>,
            more: BTreeMap<String, Even>,
        },
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only decoding matters")]
    struct Holder {
        items: Vec<BTreeMap<String, Even>>,
        narrow: Option<BTreeMap<u8, bool>>,
    }

    fn line<T: serde::de::DeserializeOwned + JsonSchema>(json: &str) -> String {
        let schema = derive(&[parameter::<T>("n")]);
        let raw: &serde_json::value::RawValue = serde_json::from_str(json).unwrap();
        assert!(schema.accepts(0, raw), "{json}");
        let error = serde_json::from_str::<T>(json).err().unwrap();
        let mut decode = |json: &str| serde_json::from_str::<T>(json).err();
        schema.undecodable(0, json, &error, &mut decode).to_string()
    }

    #[test]
    fn the_place_is_that_of_the_value_that_was_refused() {
        assert_eq!(
            line::<Holder>(r#"{"items":[{"a":2},{"b":4,"c":5,"d":6}]}"#),
            "`n.items[1].c`: 5 is odd"
        );
        assert_eq!(
            line::<Holder>("{\"items\":\n[{},\n {\"x\\\"]\":\n7 , \"y\": 2}]}"),
            r#"`n.items[1]["x\"]"]`: 7 is odd"#
        );
    }

    #[test]
    fn a_key_that_is_wider_than_its_type_has_its_place() {
        assert_eq!(
            line::<Holder>(r#"{"items":[],"narrow":{"1":true,"256":true}}"#),
            "`n.narrow.256`: invalid value: integer `256`, expected an integer from 0 to 255; `n.narrow` may be left out"
        );
    }

    #[test]
    fn the_place_is_found_inside_of_tagged_enums() {
        for (json, place) in [
            (
                r#"[{"kind":"one","even":4},{"kind":"one","even":5}]"#,
                "n[1].even",
            ),
            (
                r#"[{"before":1,"even":5,"after":3,"kind":"one"}]"#,
                "n[0].even",
            ),
            (
                r#"[{"kind":"many","evens":[0,2,5,4],"spans":[],"more":{"a":2}}]"#,
                "n[0].evens[2]",
            ),
            (
                r#"[{"kind":"many","evens":[],"spans":[{"start":1,"end":2}],"more":{"a":2,"b":5}}]"#,
                "n[0].more.b",
            ),
        ] {
            assert_eq!(line::<Vec<Tagged>>(json), format!("`{place}`: 5 is odd"));
        }
    }

    #[test]
    fn a_container_that_is_refused_as_a_whole_is_the_place() {
        assert_eq!(
            line::<Span>(r#"{"start":5,"end":4}"#),
            "`n`: the end is before the start"
        );
        assert_eq!(
            line::<Vec<Tagged>>(
                r#"[{"kind":"many","evens":[2],"spans":[{"start":1,"end":2},{"end":1,"start":2}],"more":{}}]"#
            ),
            "`n[0].spans[1]`: the end is before the start"
        );
    }
}
