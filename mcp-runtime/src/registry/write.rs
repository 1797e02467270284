//! The members that lists show of tools, prompts and resources alike.

use serde_json::Value;

use super::ItemEntry;
use crate::json::{write_str, write_value};
use crate::protocol::Revision;

/// Opens an object with a name, a title that is not empty and that the revision has, and a description.
pub(super) fn open(
    out: &mut Vec<u8>,
    revision: &Revision,
    name: &str,
    title: &str,
    description: &str,
) {
    out.extend_from_slice(br#"{"name":"#);
    write_str(out, name);
    if !title.is_empty() && revision.has_titles {
        text(out, "title", title);
    }
    text(out, "description", description);
}

/// Writes the icons and the metadata, if there are any and the revision has them.
pub(super) fn extras(out: &mut Vec<u8>, revision: &Revision, item: &ItemEntry) {
    if !item.icons.is_empty() && revision.has_icons {
        let icons: Vec<Value> = item.icons.iter().map(|icon| icon.to_json()).collect();
        member(out, "icons", &icons);
    }
    if !item.meta.is_empty() && revision.has_titles {
        out.extend_from_slice(br#","_meta":"#);
        out.extend_from_slice(item.meta.as_bytes());
    }
}

/// Writes a member that is a text.
pub(super) fn text(out: &mut Vec<u8>, name: &str, value: &str) {
    out.push(b',');
    write_str(out, name);
    out.push(b':');
    write_str(out, value);
}

/// Writes a member.
pub(super) fn member<T: serde::Serialize + ?Sized>(out: &mut Vec<u8>, name: &str, value: &T) {
    let start = out.len();
    out.push(b',');
    write_str(out, name);
    out.push(b':');
    if write_value(out, value).is_err() {
        // Booleans, numbers and strings can always be written; were that ever to change, the member is left out.
        out.truncate(start);
    }
}
