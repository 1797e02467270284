//! The fixed parts of outgoing messages.

use super::{ErrorObject, RawId};
use crate::json::{write_str, write_value};

/// Begins a successful response: everything up to and including `"result":`.
pub(crate) fn write_result_start(out: &mut Vec<u8>, id: RawId<'_>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.text().as_bytes());
    out.extend_from_slice(br#","result":"#);
}

/// Writes a whole error response.
pub(crate) fn write_error(out: &mut Vec<u8>, id: RawId<'_>, error: &ErrorObject) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.text().as_bytes());
    out.push(b',');
    write_error_member(out, error);
}

/// Writes an error response to a message whose id could not be read: the member is left out, as MCP has no null id.
pub(crate) fn write_error_without_id(out: &mut Vec<u8>, error: &ErrorObject) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","#);
    write_error_member(out, error);
}

fn write_error_member(out: &mut Vec<u8>, error: &ErrorObject) {
    out.extend_from_slice(br#""error":{"code":"#);
    out.extend_from_slice(error.code.to_string().as_bytes());
    out.extend_from_slice(br#","message":"#);
    write_str(out, &error.message);
    if let Some(data) = &error.data {
        out.extend_from_slice(br#","data":"#);
        let start = out.len();
        if write_value(out, data).is_err() {
            // A `Value` has no NaN and no odd keys, so this is out of reach; the message stays valid all the same.
            out.truncate(start);
            out.extend_from_slice(b"null");
        }
    }
    out.extend_from_slice(b"}}");
}
