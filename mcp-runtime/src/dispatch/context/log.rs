//! Log messages to the client, as a function sends them.

use serde::Serialize;

use super::Context;
use crate::dispatch::log::LogMessage;
use crate::protocol::LoggingLevel;

/// Log messages.
impl Context {
    /// Sends a log message to the client, if the client asked for messages of this level.
    ///
    /// **Log messages of the protocol are deprecated in this revision**: log with `tracing`, and pass on the
    /// [`trace_context`](Self::trace_context). This is for servers whose clients still ask for them.
    ///
    /// `data` is anything that serialises; secrets and personal data do not belong there. Like [`progress`](Self::progress),
    /// with which it keeps its order, it never waits, and what nobody can take is left out. Messages that are costly to
    /// make are best made after a look at [`logs`](Self::logs).
    pub fn log(&self, level: LoggingLevel, data: impl Serialize) {
        self.send_log(level, None, &data);
    }

    /// The same in the name of a logger, such as a part of the server.
    pub fn log_as(&self, logger: &str, level: LoggingLevel, data: impl Serialize) {
        self.send_log(level, Some(logger), &data);
    }

    /// Tells whether the client asked for log messages of a level.
    #[must_use]
    pub fn logs(&self, level: LoggingLevel) -> bool {
        self.0.log_level.is_some_and(|least| level >= least)
    }

    fn send_log(&self, level: LoggingLevel, logger: Option<&str>, data: &impl Serialize) {
        if self.logs(level) {
            let message = LogMessage {
                level,
                logger,
                data,
            };
            message.send(&self.0.control);
        }
    }
}
