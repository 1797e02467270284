//! Requests as a client would send them.

use serde_json::Value;

use crate::dispatch::Profile;
use crate::protocol::{PROTOCOL_VERSION, key};

/// The text of a request of a client with these capabilities; `params` are the members of its parameters, without braces.
pub(crate) fn request(profile: Profile, method: &str, capabilities: &str, params: &str) -> String {
    let meta = match profile {
        Profile::Strict => format!(
            r#""_meta":{{"{}":"{PROTOCOL_VERSION}","{}":{capabilities}}}{}"#,
            key::PROTOCOL_VERSION,
            key::CLIENT_CAPABILITIES,
            if params.is_empty() { "" } else { "," },
        ),
        Profile::Contract => String::new(),
    };
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{meta}{params}}}}}"#)
}

pub(crate) fn json_string(text: &str) -> String {
    Value::from(text).to_string()
}
