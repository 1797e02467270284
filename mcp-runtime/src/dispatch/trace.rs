//! The trace that a request belongs to (basic, "OpenTelemetry trace context").
//!
//! The values are checked and passed on; nothing is recorded or exported here.

use serde_json::value::RawValue;

use super::message::string;
use crate::protocol::RequestMeta;

/// The most that the specifications ask anybody to pass on of a `tracestate` and a `baggage`, in bytes.
const MAX_TRACESTATE: usize = 512;
const MAX_BAGGAGE: usize = 8192;

/// Which trace a request is part of, as the headers of the same names would say (W3C Trace Context, W3C Baggage).
///
/// A `traceparent` that breaks its format counts as absent, and a `tracestate` without one as well. What could not be
/// the value of a header, because of a line break for one, or is longer than anybody has to pass on (512 bytes of
/// `tracestate`, 8,192 of `baggage`), counts as absent too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TraceContext {
    traceparent: Option<Box<str>>,
    tracestate: Option<Box<str>>,
    baggage: Option<Box<str>>,
}

impl TraceContext {
    /// What the metadata say; `None` if that is nothing.
    pub(super) fn read(meta: &RequestMeta<'_>) -> Option<Box<Self>> {
        if meta.traceparent.is_none() && meta.baggage.is_none() {
            return None;
        }
        let traceparent = text(meta.traceparent, usize::MAX).filter(|text| is_traceparent(text));
        let tracestate = match traceparent {
            Some(_) => text(meta.tracestate, MAX_TRACESTATE),
            None => None,
        };
        let baggage = text(meta.baggage, MAX_BAGGAGE);
        let found = traceparent.is_some() || baggage.is_some();
        found.then(|| {
            Box::new(Self {
                traceparent,
                tracestate,
                baggage,
            })
        })
    }

    /// The `traceparent`: version, trace id, id of the caller's span, and flags.
    #[must_use]
    pub fn traceparent(&self) -> Option<&str> {
        self.traceparent.as_deref()
    }

    /// The `tracestate`: what the vendors of tracing systems add.
    #[must_use]
    pub fn tracestate(&self) -> Option<&str> {
        self.tracestate.as_deref()
    }

    /// The `baggage`: properties that travel along with the trace.
    #[must_use]
    pub fn baggage(&self) -> Option<&str> {
        self.baggage.as_deref()
    }

    /// The values under their names, as an extractor of OpenTelemetry takes them and an outgoing request carries them.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [
            ("traceparent", self.traceparent()),
            ("tracestate", self.tracestate()),
            ("baggage", self.baggage()),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
    }
}

/// A string that could be the value of a header.
fn text(raw: Option<&RawValue>, limit: usize) -> Option<Box<str>> {
    let text = string(raw?)?;
    let fits = !text.is_empty()
        && text.len() <= limit
        && text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'));
    fits.then(|| text.into())
}

/// Whether a text is a `traceparent` (W3C Trace Context, section 3.2).
fn is_traceparent(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut part = |length| {
        parts.next().filter(|part: &&str| {
            part.len() == length
                && part
                    .bytes()
                    .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        })
    };
    let (version, trace, parent, flags) = (part(2), part(32), part(16), part(2));
    let (Some(version), Some(trace), Some(parent), Some(_)) = (version, trace, parent, flags)
    else {
        return false;
    };
    // Later versions may add parts; version 00 has these four, and ff is none.
    let is_complete = version != "00" || parts.next().is_none();
    let is_zero = |part: &str| part.bytes().all(|byte| byte == b'0');
    is_complete && version != "ff" && !is_zero(trace) && !is_zero(parent)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::jsonrpc::{Shape, read_text};

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

    fn fields(meta: &Value) -> Vec<(&'static str, String)> {
        let text = meta.to_string();
        let mut shape = Shape::<RequestMeta<'_>>::Null;
        read_text(&text, &mut shape).unwrap();
        let Shape::Object(meta) = shape else {
            panic!("it is an object");
        };
        let trace = TraceContext::read(&meta);
        let fields = trace.iter().flat_map(|trace| trace.fields());
        fields
            .map(|(name, value)| (name, value.to_owned()))
            .collect()
    }

    #[test]
    fn well_formed_values_are_passed_on() {
        assert_eq!(fields(&json!({})), []);
        assert_eq!(
            fields(
                &json!({"traceparent": PARENT, "tracestate": "a=1,b=2", "baggage": "user=otter;ttl=3"})
            ),
            [
                ("traceparent", PARENT.to_owned()),
                ("tracestate", "a=1,b=2".to_owned()),
                ("baggage", "user=otter;ttl=3".to_owned()),
            ]
        );
        assert_eq!(
            fields(&json!({"baggage": "a=b"})),
            [("baggage", "a=b".to_owned())]
        );
    }

    #[test]
    fn a_parent_that_breaks_its_format_is_absent_and_its_state_with_it() {
        for parent in [
            json!(""),
            json!(7),
            json!(null),
            json!("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7"),
            json!("00-0AF7651916CD43DD8448EB211C80319C-00f067aa0ba902b7-01"),
            json!("00-00000000000000000000000000000000-00f067aa0ba902b7-01"),
            json!("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"),
            json!("ff-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"),
            json!("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01-more"),
            json!("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01\r\nX-Evil: 1"),
        ] {
            let meta = json!({"traceparent": parent, "tracestate": "a=1"});
            assert_eq!(fields(&meta), [], "{parent}");
        }
        let later = "01-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01-more";
        assert_eq!(fields(&json!({"traceparent": later})).len(), 1);
    }

    #[test]
    fn what_could_be_no_header_is_absent() {
        for (name, value) in [
            ("tracestate", "a=1\r\nX-Evil: 1".to_owned()),
            ("tracestate", "a=ü".to_owned()),
            ("tracestate", "a".repeat(MAX_TRACESTATE + 1)),
            ("baggage", "a=1\n".to_owned()),
            ("baggage", "a".repeat(MAX_BAGGAGE + 1)),
        ] {
            let found = fields(&json!({"traceparent": PARENT, name: value}));
            assert_eq!(found, [("traceparent", PARENT.to_owned())], "{name}");
        }
        let longest = "a".repeat(MAX_TRACESTATE);
        let meta = json!({"traceparent": PARENT, "tracestate": longest});
        assert_eq!(fields(&meta).len(), 2);
    }
}
