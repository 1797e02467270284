//! The notifications about a request that came to a client.

use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::dispatch::{CallControl, Outbox};

/// Keeps notifications in their order.
#[derive(Debug, Default)]
pub(super) struct Heard(Mutex<Vec<Value>>);

impl Heard {
    pub(super) fn take(&self) -> Vec<Value> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Outbox for Heard {
    fn send(&self, call: &CallControl, frame: Vec<u8>) -> bool {
        let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // What nests deeper than serde_json reads is left out, like all that a client cannot take.
        match serde_json::from_slice(&frame) {
            Ok(notification) if call.is_heard() => {
                heard.push(notification);
                true
            }
            _ => false,
        }
    }
}
