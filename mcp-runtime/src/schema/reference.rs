//! Finding what a `$ref` points to, inside the schema and nowhere else.
//!
//! Nothing is ever fetched: a reference to another document is a problem of the schema, to be told when it is registered.

use serde_json::{Map, Value};

/// Where local references are looked up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Document<'v> {
    /// What `#` is.
    pub(crate) root: &'v Value,
    /// What `#/$defs/…` is, if the root does not have it.
    pub(crate) definitions: Option<&'v Map<String, Value>>,
}

impl<'v> Document<'v> {
    /// The schema at a reference and the document that its own references are looked up in, or a sentence that says why there is none.
    ///
    /// A type whose schema was written by hand refers to its own parts from `#`, so a shared definition is a document of its own.
    pub(crate) fn resolve(&self, reference: &str) -> Result<(&'v Value, Self), String> {
        let Some(pointer) = reference.strip_prefix('#') else {
            return Err(format!(
                "`$ref` to `{reference}` leaves the schema: references are never fetched, so copy what it points to into `$defs`"
            ));
        };
        let pointer = percent_decoded(pointer);
        if let Some(found) = self.root.pointer(&pointer) {
            return Ok((found, *self));
        }
        let defined = pointer.strip_prefix("/$defs/").and_then(|rest| {
            let (name, inner) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let root = self
                .definitions?
                .get(&name.replace("~1", "/").replace("~0", "~"))?;
            Some((root.pointer(inner)?, Self { root, ..*self }))
        });
        defined.ok_or_else(|| format!("`$ref` to `{reference}` points to nothing in the schema"))
    }

    /// Whether a schema leads back to itself: an iterative walk that sees each schema once.
    pub(crate) fn is_recursive(&self, target: &'v Value) -> bool {
        let mut pending: Vec<(&Value, Self)> =
            children(target).map(|child| (child, *self)).collect();
        pending.extend(referred(target, *self));
        let mut seen: Vec<&Value> = Vec::new();
        while let Some((value, document)) = pending.pop() {
            if std::ptr::eq(value, target) {
                return true;
            }
            if let Some((found, document)) = referred(value, document)
                && !seen.iter().any(|known| std::ptr::eq(*known, found))
            {
                seen.push(found);
                pending.push((found, document));
            }
            pending.extend(children(value).map(|child| (child, document)));
        }
        false
    }
}

fn children(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => Box::new(std::iter::empty()),
    }
}

/// What a schema refers to. A value that only looks like a reference can at worst keep a definition from being inlined.
fn referred<'v>(value: &'v Value, document: Document<'v>) -> Option<(&'v Value, Document<'v>)> {
    document.resolve(value.get("$ref")?.as_str()?).ok()
}

/// The name that a definition gets: the last step of its reference.
pub(crate) fn name(reference: &str) -> String {
    let last = reference.rsplit('/').next().unwrap_or_default();
    let name = percent_decoded(last).replace("~1", "/").replace("~0", "~");
    if name.is_empty() || name == "#" {
        "Root".to_owned()
    } else {
        name
    }
}

/// References are URIs, so that a name with a blank or a `<` arrives percent-encoded.
fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let byte = (bytes[at] == b'%')
            .then(|| {
                text.get(at + 1..at + 3)
                    .and_then(|digits| u8::from_str_radix(digits, 16).ok())
            })
            .flatten();
        decoded.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}
