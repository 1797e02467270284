//! The first stages: JSON and the envelope.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{DispatchError, Profile};
use crate::jsonrpc::{
    Envelope, RawId, Shape, object, parse, read_text, write_error, write_error_without_id,
};
use crate::protocol::{Meta, Params, RequestMeta, method};

/// A message whose envelope has been read.
#[derive(Debug)]
pub(crate) enum Opened<'a> {
    /// A request; it gets a response.
    Request(Request<'a>),
    /// A notification; it gets none.
    Notification(Notification<'a>),
    /// A response, though nothing was asked (basic/transports, "Messages"); it gets none, or two peers could answer each
    /// other for ever.
    Response,
    /// None of these; it gets an error.
    Invalid(Invalid<'a>),
}

/// A request before its metadata and parameters have been judged.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) id: RawId<'a>,
    pub(crate) method: Cow<'a, str>,
    pub(super) params: Option<Shape<Params<'a>>>,
    /// The whole message, for what is not read unless somebody asks for it.
    text: &'a [u8],
    /// Metadata at the top level, where the contract profile looks too.
    pub(super) meta: Option<&'a RawValue>,
}

impl Request<'_> {
    /// The metadata under keys that the protocol does not define; `None` if there are none.
    ///
    /// They are read once more, which is seldom: most requests have none, and most functions do not ask.
    pub(super) fn other_meta(&self) -> Option<Meta> {
        #[derive(Deserialize)]
        struct Message {
            params: OnlyMeta,
        }
        #[derive(Deserialize)]
        struct OnlyMeta {
            #[serde(rename = "_meta")]
            meta: Meta,
        }
        match &self.params {
            Some(Shape::Object(Params {
                meta: Some(Shape::Object(meta)),
                ..
            })) if meta.unknown => {}
            _ => return None,
        }
        match serde_json::from_slice::<Message>(self.text) {
            Ok(message) => {
                let mut meta = message.params.meta;
                meta.retain(|key, _| !RequestMeta::MEMBERS.contains(&key.as_str()));
                Some(meta)
            }
            Err(error) => {
                // It was read before; a number that no double can hold, or much nesting, is all that is left to refuse.
                tracing::debug!("the metadata of a request cannot be read as values: {error}");
                None
            }
        }
    }
}

/// A notification.
#[derive(Debug)]
pub(crate) struct Notification<'a> {
    pub(crate) method: Cow<'a, str>,
    params: Option<Shape<Params<'a>>>,
    /// The whole message, as in a request.
    text: &'a [u8],
}

impl<'a> Notification<'a> {
    /// The request that a `notifications/cancelled` is about (basic/patterns/cancellation).
    pub(crate) fn cancelled(&self) -> Option<RawId<'a>> {
        if self.method != method::NOTIFICATION_CANCELLED {
            return None;
        }
        match &self.params {
            Some(Shape::Object(params)) => params.request_id.and_then(RawId::new),
            _ => None,
        }
    }

    /// Why the client cancels a request, if it says so.
    ///
    /// It is read once more for this, which is for the log alone.
    pub(crate) fn reason(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct Message {
            params: OnlyReason,
        }
        #[derive(Deserialize)]
        struct OnlyReason {
            reason: String,
        }
        let message = serde_json::from_slice::<Message>(self.text).ok()?;
        Some(message.params.reason)
    }
}

/// A message that is no request and no notification.
#[derive(Debug)]
pub(crate) struct Invalid<'a> {
    pub(crate) id: Option<RawId<'a>>,
    pub(crate) error: DispatchError,
}

impl Invalid<'_> {
    /// A fault that was found before the message could be read.
    pub(crate) fn unread(error: DispatchError) -> Self {
        Self { id: None, error }
    }

    /// A response, where what carries it has to be answered; its id is none of the sender's.
    #[cfg(feature = "http")]
    pub(crate) fn response() -> Self {
        Self::unread(DispatchError::NotARequest(
            "a response, and servers of this revision send no requests",
        ))
    }
}

/// Reads a message and judges its envelope.
pub(super) fn open(bytes: &[u8], profile: Profile, max_depth: usize) -> Opened<'_> {
    let mut message = Shape::Null;
    if let Err(error) = parse::<Shape<Params<'_>>>(bytes, max_depth, &mut message) {
        return Opened::Invalid(Invalid::unread(DispatchError::NotJson(error.to_string())));
    }
    match message {
        Shape::Object(envelope) => judge(envelope, bytes, profile),
        Shape::Array => not_a_request("batches are not part of the protocol"),
        Shape::Null | Shape::Scalar => not_a_request("the message is not an object"),
    }
}

fn not_a_request(reason: &'static str) -> Opened<'static> {
    Opened::Invalid(Invalid::unread(DispatchError::NotARequest(reason)))
}

fn judge<'a>(
    envelope: Envelope<'a, Shape<Params<'a>>>,
    text: &'a [u8],
    profile: Profile,
) -> Opened<'a> {
    let answers = profile.answers();
    let id = envelope.id.map(|raw| match RawId::new(raw) {
        Some(id) => Ok(id),
        // Without a notion of notifications, `null` and odd ids are echoed like any other.
        None if answers.answers_without_id => Ok(RawId::echo(raw)),
        None => Err(DispatchError::NotARequest(
            "id must be a string or an integer",
        )),
    });
    let (id, bad_id) = match id {
        Some(Ok(id)) => (Some(id), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    };
    match judge_members(&envelope, bad_id) {
        Err(_) if !answers.answers_without_id && is_response(&envelope, text) => Opened::Response,
        Err(error) => Opened::Invalid(Invalid { id, error }),
        Ok(method) => match id.or(answers.answers_without_id.then_some(RawId::NULL)) {
            Some(id) => Opened::Request(Request {
                id,
                method,
                params: envelope.params,
                text,
                meta: envelope.meta,
            }),
            None => Opened::Notification(Notification {
                method,
                params: envelope.params,
                text,
            }),
        },
    }
}

object! {
    /// What a response has in place of a method.
    struct Reply<'a> {
        result: &'a RawValue = "result",
        error: &'a RawValue = "error",
    }
}

/// Whether a message that is no request is a response, be it well-formed or not.
fn is_response<P>(envelope: &Envelope<'_, P>, text: &[u8]) -> bool {
    if envelope.method.is_some() || envelope.duplicate.is_some() || !is_version_2(envelope) {
        return false;
    }
    // Requests have neither member, so it is looked for in no more than these few messages.
    let mut reply = Shape::<Reply<'_>>::Null;
    let read = std::str::from_utf8(text).is_ok_and(|text| read_text(text, &mut reply).is_ok());
    read && matches!(&reply, Shape::Object(reply) if reply.result.is_some() || reply.error.is_some())
}

fn is_version_2<P>(envelope: &Envelope<'_, P>) -> bool {
    match envelope.jsonrpc.map(RawValue::get) {
        Some(r#""2.0""#) => true,
        // Escapes may spell the same string.
        Some(text) => serde_json::from_str::<String>(text).is_ok_and(|text| text == "2.0"),
        None => false,
    }
}

/// Checks the members in the order in which a reader would name them; gives the method.
fn judge_members<'a, P>(
    envelope: &Envelope<'a, P>,
    bad_id: Option<DispatchError>,
) -> Result<Cow<'a, str>, DispatchError> {
    if let Some(member) = envelope.duplicate {
        return Err(DispatchError::DuplicateMember(member));
    }
    if let Some(error) = bad_id {
        return Err(error);
    }
    if !is_version_2(envelope) {
        return Err(DispatchError::NotARequest("jsonrpc must be \"2.0\""));
    }
    let Some(method) = envelope.method else {
        return Err(DispatchError::NotARequest("method is missing"));
    };
    string(method).ok_or(DispatchError::NotARequest("method must be a string"))
}

/// The string that a JSON value is, borrowed unless it has escapes.
pub(super) fn string<'a>(raw: &'a RawValue) -> Option<Cow<'a, str>> {
    let text = raw.get();
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        serde_json::from_str(text).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

/// Metadata that stands at the top level of a message.
pub(super) fn top_level_meta<'a>(raw: &'a RawValue) -> Option<RequestMeta<'a>> {
    let mut meta = Shape::<RequestMeta<'_>>::Null;
    read_text(raw.get(), &mut meta).ok()?;
    match meta {
        Shape::Object(meta) => Some(meta),
        Shape::Null | Shape::Array | Shape::Scalar => None,
    }
}

/// Writes the error of a message that is no request.
pub(super) fn refuse(invalid: &Invalid<'_>, profile: Profile, out: &mut Vec<u8>) {
    let error = invalid.error.to_wire(profile);
    match invalid.id {
        Some(id) => write_error(out, id, &error),
        None if profile.answers().answers_without_id => write_error(out, RawId::NULL, &error),
        None => write_error_without_id(out, &error),
    }
}
