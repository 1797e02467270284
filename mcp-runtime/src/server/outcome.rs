//! The answer to a call in process.

use serde::de::{DeserializeOwned, Error as _};
use serde_json::Value;

use super::RecordedRequest;
use crate::protocol::{ContentBlock, PromptMessage, ResourceContents};

/// The notifications that come before a response.
const PROGRESS: &str = "notifications/progress";
const LOG_MESSAGE: &str = "notifications/message";

/// What a call in process came to: a result, or an error of the whole request; of a [`Client`](crate::client::Client) also what
/// came before.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct CallOutcome {
    response: Value,
    asked: Vec<RecordedRequest>,
    notifications: Vec<Value>,
}

impl CallOutcome {
    pub(crate) fn new(response: Option<Value>) -> Self {
        Self {
            // A request is always answered.
            response: response.unwrap_or_default(),
            asked: Vec::new(),
            notifications: Vec::new(),
        }
    }

    /// The same with what a client got before it.
    pub(crate) fn after(mut self, asked: Vec<RecordedRequest>, notifications: Vec<Value>) -> Self {
        self.asked = asked;
        self.notifications = notifications;
        self
    }

    /// The whole JSON-RPC response.
    #[must_use]
    pub fn response(&self) -> &Value {
        &self.response
    }

    /// The result, unless the request failed as a whole.
    #[must_use]
    pub fn result(&self) -> Option<&Value> {
        self.response.get("result")
    }

    /// The JSON-RPC error, if the request failed as a whole.
    #[must_use]
    pub fn error(&self) -> Option<&Value> {
        self.response.get("error")
    }

    /// Tells whether the call failed, be it as a result with `isError` or as a JSON-RPC error, or as a task that was cancelled.
    ///
    /// A cancelled task has neither a result of its tool nor an error: [`result`](Self::result) is the task then, whose `status`
    /// is `cancelled`.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.error().is_some()
            || self.is_cancelled()
            || self
                .result()
                .and_then(|result| result.get("isError"))
                .is_some_and(|flag| flag == true)
    }

    /// Whether it is a task that somebody has cancelled; results of tools have no `taskId`.
    fn is_cancelled(&self) -> bool {
        let result = self.result();
        result.is_some_and(|it| it["status"] == "cancelled" && it["taskId"].is_string())
    }

    /// The content blocks of the result; none if the request failed.
    #[must_use]
    pub fn content(&self) -> Vec<ContentBlock> {
        self.items("content")
    }

    /// The messages of a prompt; none if the request failed.
    #[must_use]
    pub fn messages(&self) -> Vec<PromptMessage> {
        self.items("messages")
    }

    /// The contents of a resource; none if the request failed.
    #[must_use]
    pub fn contents(&self) -> Vec<ResourceContents> {
        self.items("contents")
    }

    fn items<T: DeserializeOwned>(&self, member: &str) -> Vec<T> {
        let items = self.result().and_then(|result| result.get(member));
        items.map_or_else(Vec::new, |items| {
            match serde_json::from_value(items.clone()) {
                Ok(items) => items,
                Err(error) => unreachable!("the server writes what can be read: {error}"),
            }
        })
    }

    /// The texts of the result, one line below the other; the error's message if the request failed, or that the task was
    /// cancelled.
    #[must_use]
    pub fn text(&self) -> String {
        if let Some(error) = self.error() {
            return error["message"].as_str().unwrap_or_default().to_owned();
        }
        if self.is_cancelled() {
            return "the task was cancelled".to_owned();
        }
        let texts: Vec<_> = self
            .content()
            .into_iter()
            .filter_map(|block| match block {
                ContentBlock::Text(text) => Some(text.text),
                _ => None,
            })
            .collect();
        texts.join("\n")
    }

    /// The structured content, if there is some.
    #[must_use]
    pub fn structured_content(&self) -> Option<&Value> {
        self.result()?.get("structuredContent")
    }

    /// The structured content as a value of a type.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    ///
    /// #[mcp_type]
    /// struct Sum {
    ///     sum: i64,
    /// }
    ///
    /// /// Add two integers.
    /// #[mcp_tool]
    /// fn add(a: i64, b: i64) -> Sum {
    ///     Sum { sum: a + b }
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = mcp_runtime::server!().build()?;
    /// let outcome = server.call_blocking("add", serde_json::json!({"a": 2, "b": 3}));
    /// assert_eq!(outcome.structured_as::<Sum>()?.sum, 5);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// It has another shape, or there is none, as in a call that failed: then the error tells its text.
    pub fn structured_as<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        match self.structured_content() {
            Some(content) => serde_json::from_value(content.clone()),
            None => {
                let text = self.text();
                Err(serde_json::Error::custom(format!(
                    "the outcome has no structured content: {text}"
                )))
            }
        }
    }

    /// What the [`Client`](crate::client::Client) was asked, in its order; nothing without one.
    #[must_use]
    pub fn asked(&self) -> &[RecordedRequest] {
        &self.asked
    }

    /// The notifications that came to the [`Client`](crate::client::Client) before the response, in their order.
    ///
    /// A function that asks runs again from the top with each round, and tells again what it tells before its question.
    #[must_use]
    pub fn notifications(&self) -> &[Value] {
        &self.notifications
    }

    /// The parameters of those that tell progress.
    pub fn progress(&self) -> impl Iterator<Item = &Value> {
        self.told(PROGRESS)
    }

    /// The parameters of those that are log messages.
    pub fn log_messages(&self) -> impl Iterator<Item = &Value> {
        self.told(LOG_MESSAGE)
    }

    fn told(&self, method: &'static str) -> impl Iterator<Item = &Value> {
        let all = self.notifications.iter();
        let told = all.filter(move |told| told["method"] == method);
        told.map(|told| &told["params"])
    }
}
