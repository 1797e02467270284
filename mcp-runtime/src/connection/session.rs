//! The session of a client that began with `initialize`: one for each connection, replaced by a second `initialize`.

use std::sync::Arc;

use super::Connection;
use super::in_flight::Key;
use crate::dispatch::{DispatchError, Listener, Request};
use crate::jsonrpc::{RawId, write_result_start};
use crate::legacy::{Era, log_level, open_session, uri, write_session};
use crate::protocol::{Method, Session};

/// Where a request goes.
pub(super) enum Destination {
    /// To the dispatcher, with the session that it belongs to.
    Call(Option<Arc<Session>>),
    /// Nowhere: it has been answered.
    Answered,
}

impl Connection {
    /// Finds out which rules a request is held to; answers it if its session alone is concerned.
    pub(super) fn destination(&mut self, request: &Request<'_>) -> Destination {
        if !self.core.serves_sessions() {
            return Destination::Call(None);
        }
        let has_session = self.session.is_some();
        match Era::of(request.method, request.states_revision(), has_session) {
            Era::Modern => Destination::Call(None),
            Era::Opening => self.open_session(request),
            Era::Session => match request.method {
                Some(Method::Ping) => self.answer_empty(request.id),
                Some(Method::SetLogLevel) => self.set_log_level(request),
                Some(Method::Subscribe) => self.subscribe(request),
                Some(Method::Unsubscribe) => self.unsubscribe(request),
                _ => Destination::Call(self.session.clone()),
            },
        }
    }

    /// Answers `logging/setLevel`.
    fn set_log_level(&mut self, request: &Request<'_>) -> Destination {
        let (Some(session), Some(level)) = (&self.session, log_level(request.params())) else {
            return self.refuse_params(request.id, "level must be a log level");
        };
        session.set_log_level(level);
        self.answer_empty(request.id)
    }

    /// Answers `resources/subscribe`.
    fn subscribe(&mut self, request: &Request<'_>) -> Destination {
        let Some(uri) = uri(request.params()) else {
            return self.refuse_params(request.id, "uri is required and must be a string");
        };
        if self.subscriptions.contains_key(&*uri) {
            return self.answer_empty(request.id);
        }
        let limit = self.core.options.limits.max_watched_resources;
        let watched = if self.subscriptions.len() < limit {
            self.core.watch_resource(&self.subscribers, &uri)
        } else {
            Err(DispatchError::TooManyResources(limit))
        };
        match watched {
            Ok(listener) => {
                let key = self.watch(listener);
                self.subscriptions.insert(uri, key);
                self.answer_empty(request.id)
            }
            Err(error) => self.refuse_request(request.id, &error),
        }
    }

    /// Answers `resources/unsubscribe`.
    fn unsubscribe(&mut self, request: &Request<'_>) -> Destination {
        let Some(uri) = uri(request.params()) else {
            return self.refuse_params(request.id, "uri is required and must be a string");
        };
        if let Some(key) = self.subscriptions.remove(&*uri) {
            self.streams.remove(&key);
        }
        self.answer_empty(request.id)
    }

    /// Begins to notify the client of changed lists, once it is ready.
    pub(super) fn watch_lists(&mut self) {
        if self.session.is_none() || self.lists.is_some() {
            return;
        }
        if let Some(listener) = self.core.watch_lists(&self.subscribers) {
            self.lists = Some(self.watch(listener));
        }
    }

    fn watch(&mut self, listener: Listener) -> Key {
        self.number += 1;
        let key = Key::new(RawId::NULL, self.number);
        self.streams.insert(key.clone(), listener);
        key
    }

    /// Ends what belongs to the session before.
    fn end_session(&mut self) {
        let watched = self.subscriptions.drain().map(|(_, key)| key);
        for key in watched.chain(self.lists.take()) {
            self.streams.remove(&key);
        }
    }

    /// Answers `initialize`.
    fn open_session(&mut self, request: &Request<'_>) -> Destination {
        if self.batches.is_receiving() {
            let error = DispatchError::NotARequest("initialize cannot be part of a batch");
            return self.refuse_request(request.id, &error);
        }
        let session = match open_session(request.params()) {
            Ok(session) => session,
            Err(reason) => return self.refuse_params(request.id, reason),
        };
        let core = Arc::clone(&self.core);
        let capabilities = core.session_capabilities(session.revision);
        let (info, instructions) = (&core.options.info, core.options.instructions.as_deref());
        self.write(|out| {
            write_session(out, request.id, &session, capabilities, info, instructions);
        });
        self.end_session();
        self.session = Some(Arc::new(session));
        Destination::Answered
    }

    /// Answers a request whose result has no members.
    fn answer_empty(&mut self, id: RawId<'_>) -> Destination {
        self.write(|out| {
            write_result_start(out, id);
            out.extend_from_slice(b"{}}");
        });
        Destination::Answered
    }

    /// Refuses a request for its parameters.
    fn refuse_params(&mut self, id: RawId<'_>, reason: &'static str) -> Destination {
        self.refuse_request(id, &DispatchError::Params(reason))
    }

    fn refuse_request(&mut self, id: RawId<'_>, error: &DispatchError) -> Destination {
        let (core, session) = (Arc::clone(&self.core), self.session.clone());
        self.write(|out| core.turn_away_session(session.as_deref(), id, error, out));
        Destination::Answered
    }
}
