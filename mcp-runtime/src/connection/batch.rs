//! Batches: messages in an array, whose responses are one array, too (2025-03-26, basic, "Batching").

use std::collections::HashMap;

use serde_json::value::RawValue;

use super::Connection;

/// The batches that are not answered.
#[derive(Debug, Default)]
pub(super) struct Batches {
    open: HashMap<u64, Batch>,
    /// The batches of the calls that go on, by the numbers of the calls.
    calls: HashMap<u64, u64>,
    /// The batch whose messages are being received.
    receiving: Option<u64>,
    /// The number of the last one.
    last: u64,
}

#[derive(Debug, Default)]
struct Batch {
    /// How many responses are missing.
    missing: usize,
    /// The responses, each with a comma behind it.
    responses: Vec<u8>,
}

impl Batches {
    /// Whether the message that is being received is one of a batch.
    pub(super) fn is_receiving(&self) -> bool {
        self.receiving.is_some()
    }

    /// Notes that a call of this number is to be answered.
    pub(super) fn expect(&mut self, call: u64) {
        if let Some(number) = self.receiving
            && let Some(batch) = self.open.get_mut(&number)
        {
            batch.missing += 1;
            self.calls.insert(call, number);
        }
    }

    /// Adds a response to the batch that is being received; `false` if there is none.
    pub(super) fn write(&mut self, response: impl FnOnce(&mut Vec<u8>)) -> bool {
        let batch = self.receiving.and_then(|it| self.open.get_mut(&it));
        let Some(batch) = batch else {
            return false;
        };
        response(&mut batch.responses);
        batch.responses.push(b',');
        true
    }

    /// Adds the response to a call, which is empty if it gets none; `false` if the call is of no batch. Gives the whole
    /// response of a batch that is complete.
    pub(super) fn finish(&mut self, call: u64, response: &[u8]) -> (bool, Option<Vec<u8>>) {
        let Some(number) = self.calls.remove(&call) else {
            return (false, None);
        };
        if let Some(batch) = self.open.get_mut(&number) {
            batch.missing -= 1;
            if !response.is_empty() {
                batch.responses.extend_from_slice(response);
                batch.responses.push(b',');
            }
        }
        (true, self.take_complete(number))
    }

    /// The response of a batch, unless one of its own is missing.
    fn take_complete(&mut self, number: u64) -> Option<Vec<u8>> {
        let is_complete = self.receiving != Some(number)
            && (self.open.get(&number)).is_some_and(|batch| batch.missing == 0);
        if !is_complete {
            return None;
        }
        let mut responses = self.open.remove(&number)?.responses;
        // Of notifications alone there is no response.
        responses.pop()?;
        responses.insert(0, b'[');
        responses.push(b']');
        Some(responses)
    }
}

impl Connection {
    /// Begins to receive a batch, if the message is one and the revision of the session has them: gives its messages, after
    /// which [`end_batch`](Self::end_batch) is to be called.
    pub(crate) fn begin_batch<'m>(&mut self, message: &'m [u8]) -> Option<Vec<&'m RawValue>> {
        let session = self.session.as_ref();
        if self.batches.is_receiving() || !session.is_some_and(|it| it.revision.has_batches) {
            return None;
        }
        // One that is empty, or no JSON, is refused like any other message.
        let messages: Vec<&RawValue> = serde_json::from_slice(message).ok()?;
        if messages.is_empty() {
            return None;
        }
        self.batches.last += 1;
        let number = self.batches.last;
        self.batches.open.insert(number, Batch::default());
        self.batches.receiving = Some(number);
        Some(messages)
    }

    /// Notes that all messages of a batch have been received.
    pub(crate) fn end_batch(&mut self) {
        if let Some(number) = self.batches.receiving.take() {
            let complete = self.batches.take_complete(number);
            self.write_batch(complete);
        }
    }

    pub(super) fn write_batch(&mut self, complete: Option<Vec<u8>>) {
        if let Some(mut responses) = complete {
            self.unsent.push(&mut responses);
        }
    }
}
