//! The first stages: JSON and the envelope.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{DispatchError, Extensions, Profile};
use crate::json::{Member, MemberScanner};
use crate::jsonrpc::{
    Envelope, ParseError, RawId, Shape, object, parse, read_text, readable_id, write_error,
    write_error_without_id,
};
use crate::protocol::{Meta, Method, Params, RequestMeta, notification};
use crate::schema::{Fault, TextFaults, text_faults};

/// A message whose envelope has been read.
#[derive(Debug)]
pub(crate) enum Opened<'a> {
    /// A request; it gets a response.
    Request(Request<'a>),
    /// A notification; it gets none.
    Notification(Notification<'a>),
    /// A response; it gets none, or two peers could answer each other without end.
    Response(
        #[cfg_attr(
            not(feature = "legacy"),
            expect(dead_code, reason = "connections ask clients of sessions alone")
        )]
        Response<'a>,
    ),
    /// None of these; it gets an error.
    Invalid(Invalid<'a>),
}

/// A request before its metadata and parameters have been judged.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) id: RawId<'a>,
    /// `None` if it is none of the protocol's.
    pub(crate) method: Option<Method>,
    /// The method as the client wrote it.
    pub(super) method_name: Cow<'a, str>,
    pub(super) params: Option<Shape<Params<'a>>>,
    /// The whole message, for what is not read unless somebody asks for it.
    pub(super) text: &'a [u8],
    /// What middleware and layers have attached to it.
    pub(crate) extensions: Extensions,
    /// Metadata at the top level, where the contract profile looks too.
    pub(super) meta: Option<&'a RawValue>,
    /// Faults of the arguments' text, which no value can hold: the arguments that are read stand in their places.
    pub(super) argument_faults: Vec<Fault>,
}

impl<'a> Request<'a> {
    /// The parameters, if they are an object.
    pub(crate) fn params(&self) -> Option<&Params<'a>> {
        match &self.params {
            Some(Shape::Object(params)) => Some(params),
            Some(Shape::Null | Shape::Array | Shape::Scalar) | None => None,
        }
    }

    /// The metadata of the parameters, if it is an object.
    pub(super) fn metadata(&self) -> Option<&RequestMeta<'a>> {
        match &self.params()?.meta {
            Some(Shape::Object(meta)) => Some(meta),
            Some(Shape::Null | Shape::Array | Shape::Scalar) | None => None,
        }
    }

    /// Whether the metadata states the revision, under the key that the current one has for it.
    #[cfg_attr(
        not(feature = "legacy"),
        expect(dead_code, reason = "sessions are kept by connections")
    )]
    pub(crate) fn states_revision(&self) -> bool {
        let meta = self.metadata();
        meta.is_some_and(|meta| meta.protocol_version.is_some())
    }

    /// Whether this calls a tool of a name that the function knows.
    fn calls_tool(&self, is_tool: impl Fn(&str) -> bool) -> bool {
        let name = self
            .params()
            .and_then(|params| params.name)
            .and_then(string);
        self.method == Some(Method::CallTool) && name.is_some_and(|name| is_tool(&name))
    }

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
        if !self.metadata()?.unknown {
            return None;
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
        if self.method != notification::CANCELLED {
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

/// A response to a request of the server's own, which only sessions have.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "legacy"),
    expect(dead_code, reason = "connections ask clients of sessions alone")
)]
pub(crate) struct Response<'a> {
    /// `None` if it is none that a request can have.
    pub(crate) id: Option<RawId<'a>>,
    pub(crate) result: Option<&'a RawValue>,
    pub(crate) error: Option<&'a RawValue>,
}

/// A message that is no request and no notification.
#[derive(Debug)]
pub(crate) struct Invalid<'a> {
    pub(crate) id: Option<RawId<'a>>,
    pub(crate) error: DispatchError,
}

impl<'a> Invalid<'a> {
    /// A fault that was found before the message could be read.
    pub(crate) fn unread(error: DispatchError) -> Self {
        Self { id: None, error }
    }

    /// The same, of a message of which no more than the id was found, as JSON of whatever type.
    pub(super) fn with_id(error: DispatchError, id: Option<&'a str>, profile: Profile) -> Self {
        Self {
            id: id.and_then(|id| valid_id(id, profile)),
            error,
        }
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
///
/// Faults of the text of a call's arguments are the tool's, if `is_tool` knows its name: the message is then read from
/// `readable`, which is empty before.
pub(super) fn open<'a>(
    bytes: &'a [u8],
    readable: &'a mut Vec<u8>,
    profile: Profile,
    max_depth: usize,
    is_tool: impl Fn(&str) -> bool,
) -> Opened<'a> {
    let error = match read(bytes, profile, max_depth) {
        Ok(opened) => return opened,
        Err(error) => error,
    };
    if let Some((place, found)) = faulty_arguments(bytes, max_depth) {
        readable.extend_from_slice(bytes);
        readable[place].copy_from_slice(found.readable.as_bytes());
        let readable: &'a [u8] = readable;
        if let Ok(Opened::Request(mut request)) = read(readable, profile, max_depth)
            && request.calls_tool(is_tool)
        {
            request.argument_faults = found.faults;
            return Opened::Request(request);
        }
    }
    let error = DispatchError::NotJson(error.to_string());
    Opened::Invalid(Invalid::with_id(error, readable_id(bytes), profile))
}

fn read(bytes: &[u8], profile: Profile, max_depth: usize) -> Result<Opened<'_>, ParseError> {
    let mut message = Shape::Null;
    parse::<Shape<Params<'_>>>(bytes, max_depth, &mut message)?;
    Ok(match message {
        Shape::Object(envelope) => judge(envelope, bytes, profile),
        Shape::Array => not_a_request("batches are not part of the protocol"),
        Shape::Null | Shape::Scalar => not_a_request("the message is not an object"),
    })
}

/// The place of a call's arguments, and the faults of their text, if it has any that can be passed over.
fn faulty_arguments(message: &[u8], max_depth: usize) -> Option<(Range<usize>, TextFaults)> {
    /// The message and its parameters.
    const LEVELS: usize = 2;
    let params = member(message, "params")?;
    let arguments = member(&message[params.clone()], "arguments")?;
    let place = params.start + arguments.start..params.start + arguments.end;
    let text = std::str::from_utf8(&message[place.clone()]).ok()?;
    if !text.starts_with('{') {
        return None;
    }
    let found = text_faults(text, max_depth.checked_sub(LEVELS)?)?;
    Some((place, found))
}

/// The place of a member's value in an object.
fn member(object: &[u8], name: &'static str) -> Option<Range<usize>> {
    let mut scanner = MemberScanner::new([name]);
    scanner.feed(object);
    match scanner.finish() {
        ([Member::Once(place)], _) => Some(place),
        ([Member::Absent | Member::Repeated], _) => None,
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
    let raw_id = match envelope.duplicate {
        None => envelope.id.map(RawValue::get),
        // The id may be what stands twice.
        Some(_) => readable_id(text),
    };
    let id = raw_id.and_then(|text| valid_id(text, profile));
    let bad_id = (id.is_none() && envelope.id.is_some()).then_some(DispatchError::NotARequest(
        "id must be a string or an integer",
    ));
    let judged = judge_members(&envelope, bad_id);
    if judged.is_err()
        && !answers.answers_without_id
        && let Some(reply) = response(&envelope, text)
    {
        return Opened::Response(Response {
            id,
            result: reply.result,
            error: reply.error,
        });
    }
    match judged {
        Err(error) => Opened::Invalid(Invalid { id, error }),
        Ok(method) => match id.or(answers.answers_without_id.then_some(RawId::NULL)) {
            Some(id) => Opened::Request(Request {
                id,
                method: Method::parse(&method),
                method_name: method,
                params: envelope.params,
                text,
                extensions: Extensions::default(),
                meta: envelope.meta,
                argument_faults: Vec::new(),
            }),
            None => Opened::Notification(Notification {
                method,
                params: envelope.params,
                text,
            }),
        },
    }
}

/// The id of JSON text, if the profile has ids like it.
fn valid_id(text: &str, profile: Profile) -> Option<RawId<'_>> {
    if profile.answers().answers_without_id {
        // Without a notion of notifications, `null` and odd ids are echoed like any other.
        RawId::echo(text)
    } else {
        RawId::of(text)
    }
}

object! {
    /// What a response has in place of a method.
    struct Reply<'a> {
        result: &'a RawValue = "result",
        error: &'a RawValue = "error",
    }
}

/// The response that a message is which is no request, be it well-formed or not.
fn response<'a, P>(envelope: &Envelope<'_, P>, text: &'a [u8]) -> Option<Reply<'a>> {
    if envelope.method.is_some() || envelope.duplicate.is_some() || !is_version_2(envelope) {
        return None;
    }
    // Requests have neither member, so it is looked for in no more than these few messages.
    let mut reply = Shape::<Reply<'_>>::Null;
    read_text(std::str::from_utf8(text).ok()?, &mut reply).ok()?;
    match reply {
        Shape::Object(reply) if reply.result.is_some() || reply.error.is_some() => Some(reply),
        _ => None,
    }
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

/// The text of an object; absence and `null` are no object.
pub(super) fn optional_object(raw: Option<&RawValue>) -> Result<Option<&str>, ()> {
    match raw.map(RawValue::get) {
        None | Some("null") => Ok(None),
        Some(text) if text.starts_with('{') => Ok(Some(text)),
        Some(_) => Err(()),
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
