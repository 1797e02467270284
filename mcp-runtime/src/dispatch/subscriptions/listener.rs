//! A stream as a transport reads it: messages about changes, and at last the response.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::broadcaster::{Change, Stream, Topic};
use crate::bound::Sender;
#[cfg(feature = "http")]
use crate::bound::{Full, Permit};
use crate::dispatch::{Core, server_info};
use crate::json::write_str;
use crate::jsonrpc::{OwnedRawId, RawId, write_result_start};
use crate::protocol::{key, notification};

/// An open stream whose acknowledgement has been written; dropping it closes it without a word.
pub(crate) struct Listener {
    core: Arc<Core>,
    stream: Stream,
    /// The id of its request; `None` for one that belongs to a session.
    id: Option<OwnedRawId>,
    #[cfg_attr(
        not(feature = "http"),
        allow(dead_code, reason = "messages of streams are counted over HTTP alone")
    )]
    sender: Option<Sender>,
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.id.as_ref().map(|id| id.as_raw().text());
        f.debug_tuple("Listener").field(&id).finish()
    }
}

/// Whether a stream goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamState {
    /// There may be more to tell later.
    Open,
    /// The response was the last message.
    Ended,
}

impl Listener {
    pub(super) fn new(
        core: Arc<Core>,
        stream: Stream,
        id: RawId<'_>,
        sender: Option<Sender>,
    ) -> Self {
        Self {
            sender,
            core,
            stream,
            id: Some(id.keep()),
        }
    }

    /// A stream that is a part of a session: its notifications name no stream, and its end is silent.
    #[cfg(feature = "legacy")]
    pub(super) fn of_session(core: Arc<Core>, stream: Stream) -> Self {
        Self {
            sender: None,
            core,
            stream,
            id: None,
        }
    }

    /// Takes memory for bytes that wait for the client to take them; the log names a refusal.
    #[cfg(feature = "http")]
    pub(crate) fn acquire_memory(&self, bytes: usize) -> Result<Permit, Full> {
        self.core.acquire_answer_memory(self.sender, bytes)
    }

    /// Ready when there is something to tell; wakes the task once it is.
    pub(crate) fn poll_changes(&self, context: &Context<'_>) -> Poll<()> {
        self.stream.mailbox.poll_changes(context)
    }

    /// Whether there is no use in waiting for more before telling: nothing has changed since this was last asked, or
    /// the stream ends.
    pub(crate) fn is_quiet(&self) -> bool {
        self.has_ended() || self.stream.mailbox.is_quiet()
    }

    /// Whether the stream ends once its last messages are told.
    pub(crate) fn has_ended(&self) -> bool {
        self.stream.mailbox.subscriber_group.has_ended()
    }

    /// Gives the messages that are due, each whole and without a newline.
    pub(crate) fn tell(&self, mut send: impl FnMut(&[u8])) -> StreamState {
        // Asked before the news are taken, so that what comes before the end is told before it.
        let ended = self.has_ended();
        let id = self.id.as_ref().map(OwnedRawId::as_raw);
        let mut message = Vec::new();
        for change in self.stream.mailbox.take() {
            message.clear();
            write_change(&change, id, &mut message);
            send(&message);
        }
        if !ended {
            return StreamState::Open;
        }
        let Some(id) = id else {
            return StreamState::Ended;
        };
        if self.stream.mailbox.subscriber_group.says_cancelled() {
            message.clear();
            write_cancelled(id, &mut message);
            send(&message);
        }
        message.clear();
        self.write_response(id, &mut message);
        send(&message);
        StreamState::Ended
    }

    /// Writes the response that ends the stream (basic/patterns/subscriptions, "Graceful Closure").
    fn write_response(&self, id: RawId<'_>, out: &mut Vec<u8>) {
        write_result_start(out, id);
        out.extend_from_slice(br#"{"resultType":"complete","_meta":{"#);
        out.extend_from_slice(server_info(&self.core.options.info).as_bytes());
        out.push(b',');
        write_subscription(id, out);
        out.extend_from_slice(b"}}}");
    }
}

/// Begins a notification of a stream: everything up to the end of its metadata.
pub(super) fn write_start(method: &str, id: RawId<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","method":""#);
    out.extend_from_slice(method.as_bytes());
    out.extend_from_slice(br#"","params":{"_meta":{"#);
    write_subscription(id, out);
    out.push(b'}');
}

/// Writes the member of the metadata that names the stream: the id of its request as the client wrote it.
fn write_subscription(id: RawId<'_>, out: &mut Vec<u8>) {
    write_str(out, key::SUBSCRIPTION_ID);
    out.push(b':');
    out.extend_from_slice(id.text().as_bytes());
}

fn write_change(change: &Change, id: Option<RawId<'_>>, out: &mut Vec<u8>) {
    let topic = &change.topic;
    let method = match topic {
        Topic::Tools => notification::TOOLS_CHANGED,
        Topic::Prompts => notification::PROMPTS_CHANGED,
        Topic::Resources => notification::RESOURCES_CHANGED,
        Topic::Resource(_) => notification::RESOURCE_UPDATED,
        Topic::Task(_) => notification::TASKS,
    };
    let mut separator = ",";
    match id {
        Some(id) => write_start(method, id, out),
        None => {
            let start = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"#);
            out.extend_from_slice(start.as_bytes());
            separator = "";
        }
    }
    if let Topic::Resource(uri) = topic {
        out.extend_from_slice(separator.as_bytes());
        out.extend_from_slice(br#""uri":"#);
        write_str(out, uri);
    }
    if let Some(members) = &change.members {
        out.extend_from_slice(members);
    }
    out.extend_from_slice(b"}}");
}

/// The word that a stream among others has ended (basic/patterns/cancellation).
fn write_cancelled(id: RawId<'_>, out: &mut Vec<u8>) {
    write_start(notification::CANCELLED, id, out);
    out.extend_from_slice(br#","requestId":"#);
    out.extend_from_slice(id.text().as_bytes());
    out.extend_from_slice(br#","reason":"the server ends"}}"#);
}
