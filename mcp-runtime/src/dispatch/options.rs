//! What a server is told once, when it is built.

use std::time::Duration;

use super::Profile;
use crate::jsonrpc::DEFAULT_MAX_DEPTH;
use crate::protocol::Implementation;

/// The options of a server.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) info: Implementation,
    pub(crate) instructions: Option<String>,
    pub(crate) profile: Profile,
    pub(crate) limits: Limits,
    pub(crate) mask_errors: bool,
    pub(crate) repair: bool,
    pub(crate) list_ttl: Duration,
    pub(crate) cache_scope: CacheScope,
    /// Nothing is added or removed while the server runs.
    pub(crate) fixed_lists: bool,
    /// Clients may open sessions with `initialize`.
    pub(crate) sessions: bool,
}

impl Options {
    /// The members that tell how long a list may be kept, and by whom (server/utilities/caching).
    pub(super) fn cache_members(&self) -> String {
        cache_members(self.list_ttl, self.cache_scope)
    }
}

/// The members that tell how long something may be kept, and by whom.
pub(super) fn cache_members(ttl: Duration, scope: CacheScope) -> String {
    let scope = match scope {
        CacheScope::Public => "public",
        CacheScope::Private => "private",
    };
    // Beyond this, readers that hold numbers as doubles see another one.
    let ttl = ttl.as_millis().min((1 << 53) - 1);
    format!(r#""ttlMs":{ttl},"cacheScope":"{scope}""#)
}

/// Who may keep a list that the server sent (server/utilities/caching).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::exhaustive_enums, reason = "the specification's two values")]
pub enum CacheScope {
    /// Anybody, shared caches included.
    Public,
    /// Only the client that asked.
    #[default]
    Private,
}

/// The bounds on what callers can make a server do.
///
/// Each has a method of the same name on the builder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The size of a message in bytes; 4 MiB.
    pub max_message_size: usize,
    /// The nesting of arrays and objects in a message; 64.
    pub max_json_depth: usize,
    /// The size of one answer in bytes; 64 MiB.
    pub max_answer_size: usize,
    /// The memory of running calls in bytes: their messages, and 256 bytes for each JSON value; 256 MiB.
    pub max_call_memory: usize,
    /// The memory in bytes of answers that clients have not taken yet; 256 MiB.
    pub max_answer_memory: usize,
    /// The calls that run at one time; 1,024.
    pub max_calls_in_flight: usize,
    /// The time of a call unless its tool says otherwise; 60 s. `None` is without limit.
    pub call_timeout: Option<Duration>,
    /// The entries of a page of a list; 1,000.
    pub page_size: usize,
    /// What a call may carry from one round to the next, in bytes before it is sealed; 64 KiB.
    pub max_journal_size: usize,
    /// The rounds of one call that hand out a state; 10.
    pub max_rounds: u32,
    /// The time for which a state is good, in whole seconds; 15 minutes.
    pub request_state_ttl: Duration,
    /// The time that running calls get to finish after the end of input; 1 s.
    pub shutdown_timeout: Duration,
    /// The streams of `subscriptions/listen` that are open at one time; 10,000.
    pub max_listen_streams: usize,
    /// The resources that one stream watches, and so the notifications of them that can wait for a slow client; 256.
    pub max_watched_resources: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_message_size: 4 * 1024 * 1024,
            max_json_depth: DEFAULT_MAX_DEPTH,
            max_answer_size: 64 * 1024 * 1024,
            max_call_memory: 256 * 1024 * 1024,
            max_answer_memory: 256 * 1024 * 1024,
            max_calls_in_flight: 1024,
            call_timeout: Some(Duration::from_secs(60)),
            page_size: 1000,
            max_journal_size: 64 * 1024,
            max_rounds: 10,
            request_state_ttl: Duration::from_secs(15 * 60),
            shutdown_timeout: Duration::from_secs(1),
            max_listen_streams: 10_000,
            max_watched_resources: 256,
        }
    }
}
