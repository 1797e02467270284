//! A stream of notifications that a client listens to.

use serde_json::Value;

use super::channel::{Channel, Message};
use super::list::refused;
use super::{Client, ClientError};
use crate::protocol::Method;
use crate::server::{outside_runtimes, request};

/// A stream of notifications about changes, until it is dropped.
///
/// It is made by [`Client::listen`].
#[derive(Debug)]
#[must_use = "a stream is closed when it is dropped"]
pub struct Subscription {
    channel: Channel,
    honored: Value,
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "arguments are written in place"
)]
impl Client {
    /// Listens to changes, of which `filter` names those that are wanted as the specification does: an object with the members
    /// `toolsListChanged`, `promptsListChanged`, `resourcesListChanged`, `resourceSubscriptions` and `taskIds`.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    /// use serde_json::{Value, json};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = mcp_runtime::server!().build()?;
    /// let filter = json!({"toolsListChanged": true});
    /// let mut changes = server.client().listen(filter).await?;
    ///
    /// let schema = json!({"type": "object", "properties": {}});
    /// server.register_tool("now", "Tell the time.", schema, |_: Value| Ok::<_, ToolError>("late"))?;
    /// let change = changes.next().await.ok_or("the stream has ended")?;
    /// assert_eq!(change["method"], "notifications/tools/list_changed");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The server refuses the request: [`ClientError::Refused`].
    pub async fn listen(&self, filter: Value) -> Result<Subscription, ClientError> {
        let mut channel = self.open_stream(&filter);
        let first = channel.next().await;
        Subscription::new(channel, first)
    }

    /// Listens to changes, and waits for the acknowledgement on the calling thread.
    ///
    /// # Errors
    ///
    /// The server refuses the request: [`ClientError::Refused`].
    pub fn listen_blocking(&self, filter: Value) -> Result<Subscription, ClientError> {
        outside_runtimes(|| {
            let mut channel = self.open_stream(&filter);
            let first = channel.next_blocking();
            Subscription::new(channel, first)
        })
    }

    fn open_stream(&self, filter: &Value) -> Channel {
        let caller = self.caller();
        let mut channel = Channel::new(&self.server, &caller);
        let params = format!(r#""notifications":{filter}"#);
        let profile = self.server.core().options.profile;
        channel.send(&request(profile, Method::Listen.name(), &caller, &params));
        channel
    }
}

impl Subscription {
    /// A stream whose first message has come, unless it is the end.
    fn new(channel: Channel, first: Option<Message>) -> Result<Self, ClientError> {
        match first {
            Some(Message::Notification(mut acknowledgement)) => Ok(Self {
                channel,
                honored: acknowledgement["params"]["notifications"].take(),
            }),
            Some(Message::Response(response)) => {
                let response: Value = serde_json::from_slice(&response).unwrap_or_default();
                Err(refused(response.get("error")))
            }
            None => Err(refused(None)),
        }
    }

    /// The part of the filter that the server honors.
    #[must_use]
    pub fn honored(&self) -> &Value {
        &self.honored
    }

    /// Waits for the next notification; `None` once the server has ended the stream.
    ///
    /// Without a feature that brings tokio there are no timers, and only [`next_blocking`](Self::next_blocking) waits for the
    /// end of a burst of changes.
    pub async fn next(&mut self) -> Option<Value> {
        notification(self.channel.next().await)
    }

    /// Waits for the next notification on the calling thread.
    pub fn next_blocking(&mut self) -> Option<Value> {
        outside_runtimes(|| notification(self.channel.next_blocking()))
    }
}

fn notification(message: Option<Message>) -> Option<Value> {
    match message? {
        Message::Notification(notification) => Some(notification),
        Message::Response(_) => None,
    }
}
