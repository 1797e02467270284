//! The client's end of a connection in memory: requests out, notifications and responses in.

use std::collections::VecDeque;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::server::{Caller, Server};
use crate::transport::memory::Connection;

/// The client's end.
#[derive(Debug)]
pub(super) struct Channel {
    connection: Connection,
    unread: VecDeque<Message>,
}

/// One message of the server.
#[derive(Debug)]
pub(super) enum Message {
    Notification(Value),
    /// A response, as it would go over the wire.
    Response(Vec<u8>),
}

impl Channel {
    pub(super) fn new(server: &Server, caller: &Caller) -> Self {
        Self {
            connection: Connection::new(server, caller.principal.clone()),
            unread: VecDeque::new(),
        }
    }

    /// Sends a message, which has no newlines.
    pub(super) fn send(&mut self, message: &str) {
        self.connection.receive(message.as_bytes());
        self.connection.receive(b"\n");
    }

    /// Waits for the next message; `None` after the end of the connection.
    pub(super) async fn next(&mut self) -> Option<Message> {
        while self.unread.is_empty() {
            let bytes = self.connection.transmit().await?;
            self.read(&bytes);
        }
        self.unread.pop_front()
    }

    /// The same on the calling thread, which drives no runtime.
    pub(super) fn next_blocking(&mut self) -> Option<Message> {
        while self.unread.is_empty() {
            let bytes = self.connection.transmit_blocking()?;
            self.read(&bytes);
        }
        self.unread.pop_front()
    }

    /// Waits for the response, and passes on what comes before it; without a response it is empty.
    pub(super) async fn response(&mut self, mut notify: impl FnMut(Value)) -> Vec<u8> {
        loop {
            match self.next().await {
                Some(Message::Notification(notification)) => notify(notification),
                Some(Message::Response(response)) => return response,
                None => return Vec::new(),
            }
        }
    }

    /// The same on the calling thread, which drives no runtime.
    pub(super) fn response_blocking(&mut self, mut notify: impl FnMut(Value)) -> Vec<u8> {
        loop {
            match self.next_blocking() {
                Some(Message::Notification(notification)) => notify(notification),
                Some(Message::Response(response)) => return response,
                None => return Vec::new(),
            }
        }
    }

    /// Reads whole lines.
    fn read(&mut self, lines: &[u8]) {
        let lines = lines.split(|byte| *byte == b'\n');
        for line in lines.filter(|line| !line.is_empty()) {
            if !is_notification(line) {
                let response = Message::Response(line.to_vec());
                self.unread.push_back(response);
                continue;
            }
            match serde_json::from_slice(line) {
                Ok(notification) => {
                    let notification = Message::Notification(notification);
                    self.unread.push_back(notification);
                }
                // A client cannot take what nests deeper than its reader does.
                Err(error) => tracing::debug!("a notification cannot be read: {error}"),
            }
        }
    }
}

fn is_notification(message: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Kind {
        method: Option<IgnoredAny>,
    }
    serde_json::from_slice(message).is_ok_and(|kind: Kind| kind.method.is_some())
}
