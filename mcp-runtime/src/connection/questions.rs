//! The requests of the server's own that wait for a response of the client. Their ids are of a space of their own.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::{Connection, MAX_BACKLOG, Phase, Received};
use crate::dispatch::{CallHandle, Response, ResponseSlot};
use crate::legacy::{elicitation_id_size, refusal, write_cancellation, write_question};

/// The questions that are open.
#[derive(Debug, Default)]
pub(super) struct Questions {
    open: HashMap<u64, Arc<ResponseSlot>>,
    /// The id of the last one.
    last: u64,
}

impl Questions {
    /// Drops all questions: nobody answers them any more.
    pub(super) fn clear(&mut self) {
        self.open.clear();
    }

    /// Finds the question that a response answers.
    pub(super) fn answer<'m>(&mut self, response: &Response<'_>) -> Received<'m> {
        let id = response.id.and_then(|id| id.text().parse().ok());
        let Some(slot) = id.and_then(|id: u64| self.open.remove(&id)) else {
            return Received::Response;
        };
        let response = match (response.result, response.error) {
            (Some(result), None) => Ok(RawValue::to_owned(result)),
            (_, error) => Err(refusal(error)),
        };
        Received::Answered { slot, response }
    }
}

impl Connection {
    /// Adds a question of a call; gives its id.
    ///
    /// # Errors
    ///
    /// Why it cannot be sent.
    pub(crate) fn ask(
        &mut self,
        call: &CallHandle,
        request: &str,
        slot: &Arc<ResponseSlot>,
    ) -> Result<u64, String> {
        let unread = self.unsent.len() > MAX_BACKLOG;
        if !call.is_heard() || self.phase == Phase::Closed || unread {
            return Err("the client cannot be asked now".to_owned());
        }
        let Some(session) = call.session() else {
            return Err("the client cannot be asked".to_owned());
        };
        let mut random = [0; elicitation_id_size()];
        let environment = &self.core.sealing.environment;
        environment
            .fill_random(&mut random)
            .map_err(|_| "the system has no random bytes now".to_owned())?;
        let id = self.questions.last + 1;
        let frame = write_question(session.revision, id, request, &random)?;
        self.questions.last = id;
        self.questions.open.insert(id, Arc::clone(slot));
        self.unsent.write(|out| out.extend_from_slice(&frame));
        Ok(id)
    }

    /// Takes a question back, and tells the client so, unless it is answered.
    pub(crate) fn withdraw(&mut self, id: u64) {
        if self.questions.open.remove(&id).is_some() && self.phase != Phase::Closed {
            self.unsent.write(|out| write_cancellation(out, id));
        }
    }
}
