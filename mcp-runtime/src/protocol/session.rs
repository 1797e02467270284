//! What a connection knows of its client, for requests that do not say it themselves.

use std::sync::atomic::{AtomicU8, Ordering};

use super::{LoggingLevel, Revision};

/// What the client said when it opened its session.
///
/// It is a small value, so that a transport can also seal it into a token; the log level alone changes later.
#[derive(Debug)]
pub(crate) struct Session {
    /// The revision that its messages are written in.
    pub(crate) revision: &'static Revision,
    /// What the client can do: a JSON object.
    pub(crate) capabilities: Box<str>,
    /// The software of the client: a JSON object.
    pub(crate) client_info: Option<Box<str>>,
    /// 0 until the client has asked for log messages; else a level, counted from 1.
    log_level: AtomicU8,
}

impl Session {
    #[cfg_attr(
        not(feature = "legacy"),
        expect(dead_code, reason = "sessions are kept by connections")
    )]
    pub(crate) fn new(
        revision: &'static Revision,
        capabilities: Box<str>,
        client_info: Option<Box<str>>,
    ) -> Self {
        Self {
            revision,
            capabilities,
            client_info,
            log_level: AtomicU8::new(0),
        }
    }

    /// The least severe log messages that are sent; `None` if none are.
    pub(crate) fn log_level(&self) -> Option<LoggingLevel> {
        LoggingLevel::of_number(self.log_level.load(Ordering::Relaxed))
    }

    /// Sets the least severe log messages that are sent from now on.
    #[cfg_attr(
        not(feature = "legacy"),
        expect(dead_code, reason = "sessions are kept by connections")
    )]
    pub(crate) fn set_log_level(&self, level: LoggingLevel) {
        self.log_level.store(level.number(), Ordering::Relaxed);
    }
}
