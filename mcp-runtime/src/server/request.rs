//! Requests as a client would send them.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::dispatch::{Principal, Profile};
use crate::json::write_owned;
use crate::protocol::{Capability, PROTOCOL_VERSION, key};

/// The client of a request, as the server sees it.
#[derive(Debug, Default)]
pub(crate) struct Caller {
    /// What it declares: a JSON object.
    pub(crate) capabilities: Map<String, Value>,
    /// More members of its metadata, each with a comma before it.
    pub(crate) meta: String,
    pub(crate) principal: Option<Principal>,
}

impl Caller {
    /// One that declares these capabilities.
    pub(crate) fn able<'c>(capabilities: impl IntoIterator<Item = &'c Capability>) -> Self {
        let mut caller = Self::default();
        for capability in capabilities {
            capability.declare_in(&mut caller.capabilities);
        }
        caller
    }
}

/// The text of a request; `params` are the members of its parameters, without braces.
pub(crate) fn request(profile: Profile, method: &str, caller: &Caller, params: &str) -> String {
    let meta = match profile {
        Profile::Strict => format!(
            r#""_meta":{{"{}":"{PROTOCOL_VERSION}","{}":{}{}}}{}"#,
            key::PROTOCOL_VERSION,
            key::CLIENT_CAPABILITIES,
            json!(caller.capabilities),
            caller.meta,
            if params.is_empty() { "" } else { "," },
        ),
        Profile::Contract => String::new(),
    };
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{meta}{params}}}}}"#)
}

/// A value as JSON text. Of one that is nested too deep it is the part up to there, which the dispatcher refuses for that.
pub(super) fn json_text<T: Serialize>(value: T) -> String {
    let mut text = Vec::new();
    // `Value`s have neither NaN nor odd keys.
    let _ = write_owned(&mut text, value);
    String::from_utf8_lossy(&text).into_owned()
}

pub(crate) fn json_string(text: &str) -> String {
    Value::from(text).to_string()
}
