//! The answer to a call in process.

use serde_json::Value;

use crate::protocol::ContentBlock;

/// What a call in process came to: a result, or an error of the whole request.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct CallOutcome {
    response: Value,
}

impl CallOutcome {
    pub(super) fn new(response: Option<Value>) -> Self {
        Self {
            // A request is always answered.
            response: response.unwrap_or_default(),
        }
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

    /// Tells whether the call failed, be it as a result with `isError` or as a JSON-RPC error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.error().is_some()
            || self
                .result()
                .and_then(|result| result.get("isError"))
                .is_some_and(|flag| flag == true)
    }

    /// The content blocks of the result; none if the request failed.
    #[must_use]
    pub fn content(&self) -> Vec<ContentBlock> {
        let content = self.result().and_then(|result| result.get("content"));
        content.map_or_else(Vec::new, |content| {
            match serde_json::from_value(content.clone()) {
                Ok(blocks) => blocks,
                Err(error) => unreachable!("the content of a result is content blocks: {error}"),
            }
        })
    }

    /// The texts of the result, one line below the other; the error's message if the request failed.
    #[must_use]
    pub fn text(&self) -> String {
        if let Some(error) = self.error() {
            return error["message"].as_str().unwrap_or_default().to_owned();
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
}
