//! One resource of the table, or one template.

use std::borrow::Cow;

use super::{ResourceEntry, write};
use crate::convert::ParamEntry;
use crate::protocol::Annotations;

/// A resource that can be listed and read, or a template of such.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) name: Cow<'static, str>,
    pub(crate) entry: &'static ResourceEntry,
}

impl Resource {
    /// The resource of an annotated function, under its own name or another.
    pub(crate) fn annotated(entry: &'static ResourceEntry, name: Option<String>) -> Self {
        Self {
            name: name.map_or(Cow::Borrowed(entry.item.name), Cow::Owned),
            entry,
        }
    }

    /// The resource and its place, for reports.
    pub(crate) fn place(&self) -> String {
        self.entry.item.place()
    }

    /// The parameters, variables and others.
    pub(crate) fn params(&self) -> &'static [ParamEntry] {
        self.entry.item.params
    }

    /// Writes the resource as lists show it (server/resources, "Resource").
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let entry = self.entry;
        let item = &entry.item;
        let uri = if entry.is_template() {
            "uriTemplate"
        } else {
            "uri"
        };
        write::open(out, &self.name, item.title, item.description);
        write::text(out, uri, entry.uri);
        if !entry.mime_type.is_empty() {
            write::text(out, "mimeType", entry.mime_type);
        }
        if let Some(size) = entry.size {
            write::member(out, "size", &size);
        }
        let annotations = entry.annotations.to_protocol();
        if annotations != Annotations::default() {
            write::member(out, "annotations", &annotations);
        }
        write::extras(out, item);
        out.push(b'}');
    }
}
