//! One prompt of the table.

use std::borrow::Cow;

use super::{PromptEntry, write};
use crate::convert::{ParamEntry, ParamKind};
use crate::json::write_str;

/// A prompt that can be listed and asked for.
#[derive(Debug)]
pub(crate) struct Prompt {
    pub(crate) name: Cow<'static, str>,
    pub(crate) entry: &'static PromptEntry,
}

impl Prompt {
    /// The prompt of an annotated function, under its own name or another.
    pub(crate) fn annotated(entry: &'static PromptEntry, name: Option<String>) -> Self {
        Self {
            name: name.map_or(Cow::Borrowed(entry.item.name), Cow::Owned),
            entry,
        }
    }

    /// The prompt and its place, for reports.
    pub(crate) fn place(&self) -> String {
        self.entry.item.place()
    }

    /// The parameters, arguments and others.
    pub(crate) fn params(&self) -> &'static [ParamEntry] {
        self.entry.item.params
    }

    /// Writes the prompt as lists show it (server/prompts, "Prompt").
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let item = &self.entry.item;
        write::open(out, &self.name, item.title, item.description);
        let mut separator: &[u8] = br#","arguments":["#;
        for param in item.params {
            if let ParamKind::Text { optional, .. } = param.kind {
                out.extend_from_slice(separator);
                write_argument(out, param, !optional && param.default.is_none());
                separator = b",";
            }
        }
        if separator == b"," {
            out.push(b']');
        }
        write::extras(out, item);
        out.push(b'}');
    }
}

fn write_argument(out: &mut Vec<u8>, param: &ParamEntry, required: bool) {
    out.extend_from_slice(br#"{"name":"#);
    write_str(out, param.name);
    if !param.description.is_empty() {
        write::text(out, "description", param.description);
    }
    write::member(out, "required", &required);
    out.push(b'}');
}
