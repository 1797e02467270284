//! What the builder bounds: what callers can make a server do, whatever transport they come by.
//!
//! What is bounded of tasks stands with the tasks, and what is bounded of connections with the options of HTTP.

use std::time::Duration;

use super::ServerBuilder;

/// Limits.
impl ServerBuilder {
    /// Bounds the size of a message in bytes; 4 MiB unless set.
    pub fn max_message_size(mut self, bytes: usize) -> Self {
        self.options.limits.max_message_size = bytes;
        self
    }

    /// Bounds the nesting of arrays and objects in a message; 64 unless set, 120 at the most.
    pub fn max_json_depth(mut self, levels: usize) -> Self {
        // serde_json itself stops at 128.
        self.options.limits.max_json_depth = levels.min(120);
        self
    }

    /// Bounds the size of one answer in bytes; 64 MiB unless set.
    ///
    /// The bound covers the whole response: content, structured content with its text, metadata and questions. A longer
    /// answer of a tool is replaced by a result with `isError`, and one of a prompt, a resource or a completion by an error
    /// (−32603); both give the size and the bound. Results are nested at most 128 levels deep, which no option changes.
    pub fn max_answer_size(mut self, bytes: usize) -> Self {
        self.options.limits.max_answer_size = bytes;
        self
    }

    /// Bounds the memory of all running calls together in bytes; 256 MiB unless set, and one message at least.
    ///
    /// A call counts from the arrival of the first part of its message until its function has returned: with the bytes of
    /// the message, and with 256 bytes for each JSON value that is kept as a `serde_json::Value`, 512 for an object. Such
    /// values are the metadata, all arguments of a handler that was registered by hand, and those of a function with a
    /// parameter of any type, such as `Value`. They are counted before they are built. A call beyond the bound is refused
    /// (−32603, and 503 over HTTP), and so is one that needs more than all of it (−32602).
    pub fn max_call_memory(mut self, bytes: usize) -> Self {
        self.options.limits.max_call_memory = bytes;
        self
    }

    /// Bounds the memory in bytes of all answers together that clients have not taken yet; 256 MiB unless set.
    ///
    /// Answers of calls count from 4 KiB on, and over HTTP also notifications of calls and everything that is sent as a
    /// stream of events. An answer for which there is no room is replaced by an error (−32603, and 503 over HTTP),
    /// notifications are left out, a stream of `subscriptions/listen` ends, and no further call of the sender begins over
    /// HTTP.
    pub fn max_answer_memory(mut self, bytes: usize) -> Self {
        self.options.limits.max_answer_memory = bytes;
        self
    }

    /// Bounds the calls that run at one time; 1,024 unless set.
    pub fn max_calls_in_flight(mut self, calls: usize) -> Self {
        self.options.limits.max_calls_in_flight = calls;
        self
    }

    /// Bounds the time of a call whose tool does not say otherwise; 60 seconds unless set, `None` is without limit.
    pub fn call_timeout(mut self, time: impl Into<Option<Duration>>) -> Self {
        self.options.limits.call_timeout = time.into();
        self
    }

    /// Bounds the entries of a page of a list; 1,000 unless set.
    pub fn page_size(mut self, entries: usize) -> Self {
        self.options.limits.page_size = entries;
        self
    }

    /// Bounds what a call may carry from one round to the next, in bytes before it is sealed; 64 KiB unless set.
    ///
    /// It is what the call remembers: answers, results of [`once`](crate::Context::once), and a few hundred bytes beside them.
    /// A call that needs more fails (−32603). What it asks is sent as it is, like a result, and is no part of it.
    pub fn max_journal_size(mut self, bytes: usize) -> Self {
        self.options.limits.max_journal_size = bytes;
        self
    }

    /// Bounds the rounds of one call, counted from the first that has something to remember; 10 unless set.
    ///
    /// A call that needs more fails (−32603).
    pub fn max_rounds(mut self, rounds: u32) -> Self {
        self.options.limits.max_rounds = rounds;
        self
    }

    /// Sets the time for which clients may carry what a call remembers, in whole seconds; 15 minutes unless set.
    ///
    /// It begins anew with each round. An answer that comes later is refused (−32602).
    pub fn request_state_ttl(mut self, time: Duration) -> Self {
        self.options.limits.request_state_ttl = time;
        self
    }

    /// Sets the time that running calls get to finish after the end of input; one second unless set.
    pub fn shutdown_timeout(mut self, time: Duration) -> Self {
        self.options.limits.shutdown_timeout = time;
        self
    }

    /// Bounds the streams of `subscriptions/listen` that are open at one time; 10,000 unless set.
    ///
    /// They are no calls: neither [`max_calls_in_flight`](Self::max_calls_in_flight) nor [`call_timeout`](Self::call_timeout) holds for
    /// them.
    pub fn max_listen_streams(mut self, streams: usize) -> Self {
        self.options.limits.max_listen_streams = streams;
        self
    }

    /// Bounds the resources that one stream watches; 256 unless set.
    ///
    /// A stream has at most one notification waiting for each, so this bounds what waits for a client that does not read
    /// too. The URIs are 8 KiB long at the most, and 64 KiB together.
    pub fn max_watched_resources(mut self, resources: usize) -> Self {
        self.options.limits.max_watched_resources = resources;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::Limits;

    #[test]
    fn each_method_sets_its_limit_and_no_other() {
        type Set = fn(ServerBuilder) -> ServerBuilder;
        type Expect = fn(&mut Limits);
        let each: [(Set, Expect); 14] = [
            (|it| it.max_message_size(1), |it| it.max_message_size = 1),
            (|it| it.max_json_depth(1), |it| it.max_json_depth = 1),
            (|it| it.max_answer_size(1), |it| it.max_answer_size = 1),
            (|it| it.max_call_memory(1), |it| it.max_call_memory = 1),
            (|it| it.max_answer_memory(1), |it| it.max_answer_memory = 1),
            (
                |it| it.max_calls_in_flight(1),
                |it| it.max_calls_in_flight = 1,
            ),
            (|it| it.call_timeout(None), |it| it.call_timeout = None),
            (|it| it.page_size(1), |it| it.page_size = 1),
            (|it| it.max_journal_size(1), |it| it.max_journal_size = 1),
            (|it| it.max_rounds(1), |it| it.max_rounds = 1),
            (
                |it| it.request_state_ttl(Duration::from_secs(1)),
                |it| it.request_state_ttl = Duration::from_secs(1),
            ),
            (
                |it| it.shutdown_timeout(Duration::from_secs(7)),
                |it| it.shutdown_timeout = Duration::from_secs(7),
            ),
            (
                |it| it.max_listen_streams(1),
                |it| it.max_listen_streams = 1,
            ),
            (
                |it| it.max_watched_resources(1),
                |it| it.max_watched_resources = 1,
            ),
        ];
        for (set, expect) in each {
            let mut expected = Limits::default();
            expect(&mut expected);
            let built = set(ServerBuilder::new("t", "1.2.3")).options.limits;
            assert_eq!(built, expected);
            assert_ne!(built, Limits::default());
        }
    }
}
