//! Log messages to the client of one request (server/utilities/logging).
//!
//! They are a deprecated feature of the protocol; what the server logs for itself goes to `tracing` and has nothing to
//! do with them.

use serde::Serialize;

use super::CallHandle;
use crate::json::{WriteError, write_str, write_value};
use crate::protocol::LoggingLevel;

/// A log message that can be sent.
pub(super) struct LogMessage<'a, T: ?Sized> {
    pub(super) level: LoggingLevel,
    pub(super) logger: Option<&'a str>,
    pub(super) data: &'a T,
}

impl<T: Serialize + ?Sized> LogMessage<'_, T> {
    /// Sends it, unless nobody can take it any more.
    pub(super) fn send(&self, control: &CallHandle) {
        match self.to_frame() {
            Ok(frame) => {
                control.notify(frame);
            }
            Err(error) => {
                tracing::warn!("a log message for the client cannot be written: {error}");
            }
        }
    }

    fn to_frame(&self) -> Result<Vec<u8>, WriteError> {
        let mut frame = Vec::with_capacity(160);
        frame.extend_from_slice(
            br#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"#,
        );
        write_str(&mut frame, self.level.name());
        if let Some(logger) = self.logger {
            frame.extend_from_slice(br#","logger":"#);
            write_str(&mut frame, logger);
        }
        frame.extend_from_slice(br#","data":"#);
        write_value(&mut frame, self.data)?;
        frame.extend_from_slice(b"}}");
        Ok(frame)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn params<T: Serialize>(logger: Option<&str>, data: &T) -> Option<Value> {
        let level = LoggingLevel::Warning;
        let message = LogMessage {
            level,
            logger,
            data,
        };
        let frame = message.to_frame().ok()?;
        let message: Value = serde_json::from_slice(&frame).unwrap();
        assert_eq!(message["jsonrpc"], "2.0");
        assert_eq!(message["method"], "notifications/message");
        Some(message["params"].clone())
    }

    #[test]
    fn a_message_has_its_level_its_data_and_its_logger_if_there_is_one() {
        assert_eq!(
            params(None, &"line\n\"two\""),
            Some(json!({"level": "warning", "data": "line\n\"two\""}))
        );
        assert_eq!(
            params(Some("data\"base"), &json!({"port": 5432})),
            Some(json!({"level": "warning", "logger": "data\"base", "data": {"port": 5432}}))
        );
        assert_eq!(
            params(None, &()),
            Some(json!({"level": "warning", "data": null}))
        );
    }

    #[test]
    fn what_json_cannot_say_is_not_sent() {
        assert_eq!(params(None, &[f64::NAN]), None);
    }
}
