//! The way of notifications about a call to its client: among the answers, before the call's own.

use std::sync::{Arc, Weak};

use super::crew::Crew;
use super::output::BACKLOG;
use crate::dispatch::{CallControl, Outbox};

/// Puts notifications where answers wait to be written.
#[derive(Debug)]
pub(super) struct Notifier(Weak<Crew>);

impl Notifier {
    /// A notifier that does not keep the crew alive, since the crew keeps the calls that hold it.
    pub(super) fn new(crew: &Arc<Crew>) -> Self {
        Self(Arc::downgrade(crew))
    }
}

impl Outbox for Notifier {
    fn send(&self, call: &CallControl, mut frame: Vec<u8>) -> bool {
        let Some(crew) = self.0.upgrade() else {
            return false;
        };
        frame.push(b'\n');
        let mut state = crew.lock();
        // Under the lock with which calls are cancelled and answered, so that nothing comes after either.
        if !call.is_heard() || !state.takes_notifications() || state.outbox.len() > BACKLOG {
            return false;
        }
        state.outbox.push(&mut frame);
        if state.nobody_writes() {
            crew.ask_for_flush(&mut state);
        }
        true
    }
}
