//! `requestState`: what a server gives a client to carry from one round to the next (basic/patterns/mrtr).
//!
//! It is sealed, and good for one thing: the same request of the same principal, until it expires. A client can read nothing in it
//! and change nothing; whatever does not hold is refused before a handler runs, and why goes to the log alone.

mod guard;
mod seal;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use self::guard::{MemoryReplayGuard, ReplayGuard};
pub(crate) use self::seal::KeyRing;
use super::conversation::{ConversationId, Journal, ResumeState, Saved};
use super::digest::digest;
use super::environment::{Environment, NoRandomness};
use super::{DispatchError, Limits};
use crate::panic::catch;

/// The length of a state is a multiple of this before it is sealed.
const BLOCK: usize = 64;

/// What a server seals states with.
pub(crate) struct Sealing {
    pub(crate) keys: KeyRing,
    /// The server, or the servers of several names, whose states open here.
    pub(crate) name: Box<str>,
    pub(crate) environment: Arc<dyn Environment>,
    pub(crate) guard: Option<Arc<dyn ReplayGuard>>,
}

impl fmt::Debug for Sealing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealing")
            .field("keys", &self.keys)
            .field("is_guarded", &self.guard.is_some())
            .finish_non_exhaustive()
    }
}

/// The request that a state is good for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Target {
    /// The method.
    pub(crate) method: String,
    /// The digest of what is called and its arguments.
    pub(crate) call: String,
    /// The digest of the schema that the arguments were read by.
    pub(crate) schema: String,
    /// Who sent it.
    pub(crate) principal: Option<String>,
}

impl Target {
    /// The request of a principal for something by its name.
    ///
    /// `arguments` is a text that is the same for equal arguments and differs for others, `schema` the digest of the schema
    /// or nothing.
    pub(crate) fn new(
        method: &str,
        name: &str,
        arguments: &str,
        schema: &str,
        principal: Option<&str>,
    ) -> Self {
        Self {
            method: method.to_owned(),
            call: digest(&[name.as_bytes(), arguments.as_bytes()]),
            schema: schema.to_owned(),
            principal: principal.map(str::to_owned),
        }
    }
}

/// A state before it is sealed.
#[derive(Debug, Serialize, Deserialize)]
struct State {
    /// In seconds since the beginning of 1970; it is good until then.
    expires: u64,
    target: Target,
    rounds: u32,
    conversation: Option<ConversationId>,
    asked: Vec<(String, String)>,
    journal: Journal,
}

/// Why a state is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadState {
    /// It is no string.
    NotAString,
    /// It is longer than any state of this server.
    TooLong,
    /// It was altered, or sealed with another key or by a server of another name.
    Unsealed,
    /// It has another form than this version of the library gives it.
    OtherForm,
    /// It has expired.
    Expired,
    /// Another method is called.
    OtherMethod,
    /// Something else is called, or with other arguments.
    OtherCall,
    /// What is called has another schema by now.
    OtherSchema,
    /// Another principal has sent it.
    OtherPrincipal,
    /// It has come back before.
    Replayed,
}

impl fmt::Display for BadState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAString => "it is not a string",
            Self::TooLong => "it is longer than any that this server seals",
            Self::Unsealed => {
                "it was altered, or sealed under another name or with a key that this server does not have"
            }
            Self::OtherForm => "it was sealed by another version",
            Self::Expired => "it has expired",
            Self::OtherMethod => "it belongs to another method",
            Self::OtherCall => "it belongs to another name or to other arguments",
            Self::OtherSchema => "the schema of what is called has changed",
            Self::OtherPrincipal => "it belongs to another principal",
            Self::Replayed => "it has come back before",
        })
    }
}

impl Sealing {
    /// Seals what the next round of a request has to know.
    pub(crate) fn seal(
        &self,
        target: Target,
        asked: Vec<(String, String)>,
        kept: Saved,
        limits: &Limits,
    ) -> Result<String, DispatchError> {
        if kept.rounds > limits.max_rounds {
            return Err(DispatchError::TooManyRounds(limits.max_rounds));
        }
        let lifetime = limits.request_state_ttl.as_secs();
        let state = State {
            expires: self.environment.unix_time().saturating_add(lifetime),
            target,
            rounds: kept.rounds,
            conversation: kept.id,
            asked,
            journal: kept.journal,
        };
        let mut payload = match serde_json::to_vec(&state) {
            Ok(payload) => payload,
            Err(error) => unreachable!("texts, numbers and JSON are written as JSON: {error}"),
        };
        if payload.len() > limits.max_journal_size {
            return Err(DispatchError::JournalTooLarge {
                size: payload.len(),
                limit: limits.max_journal_size,
            });
        }
        // A client learns the length, which would tell it what was answered or found. JSON may end with white space.
        payload.resize(payload.len().next_multiple_of(BLOCK), b' ');
        self.keys
            .seal(&payload, &self.name, &*self.environment)
            .map_err(|NoRandomness| {
                DispatchError::Failed("the system has no random bytes".to_owned())
            })
    }

    /// Opens a state that has come back with a request.
    pub(crate) fn open(
        &self,
        text: &str,
        target: &Target,
        limits: &Limits,
    ) -> Result<ResumeState, DispatchError> {
        let refused = |bad| Err(DispatchError::State(bad));
        // Four characters hold three bytes; beside the payload there are a version, a nonce, a tag and the padding.
        if text.len() / 4 > limits.max_journal_size / 3 + 16 + BLOCK / 3 {
            return refused(BadState::TooLong);
        }
        let Some(unsealed) = self.keys.open(text, &self.name) else {
            return refused(BadState::Unsealed);
        };
        let Ok(state) = serde_json::from_slice::<State>(&unsealed.payload) else {
            return refused(BadState::OtherForm);
        };
        let now = self.environment.unix_time();
        if now > state.expires {
            return refused(BadState::Expired);
        }
        let sealed = &state.target;
        let held = [
            (sealed.method == target.method, BadState::OtherMethod),
            (
                sealed.principal == target.principal,
                BadState::OtherPrincipal,
            ),
            (sealed.call == target.call, BadState::OtherCall),
            (sealed.schema == target.schema, BadState::OtherSchema),
        ];
        if let Some((_, bad)) = held.into_iter().find(|(holds, _)| !holds) {
            return refused(bad);
        }
        if let Some(guard) = &self.guard {
            let failed = || {
                let text = "the state of the request cannot be checked now";
                Err(DispatchError::Failed(text.to_owned()))
            };
            match catch(|| guard.redeem(&unsealed.id, now, state.expires)) {
                Ok(Ok(true)) => {}
                Ok(Ok(false)) => return refused(BadState::Replayed),
                Ok(Err(error)) => {
                    tracing::error!("the replay guard failed: {error}");
                    return failed();
                }
                Err(panic) => {
                    tracing::error!("the replay guard panicked: {panic}");
                    return failed();
                }
            }
        }
        Ok(ResumeState {
            journal: state.journal,
            rounds: state.rounds,
            id: state.conversation,
            asked: Some(state.asked),
            ..ResumeState::default()
        })
    }
}

#[cfg(test)]
mod tests;
