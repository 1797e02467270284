//! What a client asks of a server besides calls: its lists, and completions of arguments.

use serde_json::{Value, json};

use super::{Client, ClientError};
use crate::jsonrpc::ErrorObject;
use crate::protocol::Method;
use crate::server::{CallOutcome, json_string};

/// Lists and completions.
///
/// Each has the members that the specification gives it. The methods that end in `_blocking` wait on the calling thread,
/// which may drive an async runtime.
///
/// ```
/// use mcp_runtime::prelude::*;
/// use serde_json::json;
///
/// /// Greet somebody.
/// #[mcp_prompt]
/// fn greet(#[arg(complete(manners, inline))] manner: String) -> String {
///     format!("Greet {manner}.")
/// }
///
/// fn manners(start: &str) -> Vec<&'static str> {
///     let manners = ["coldly", "warmly", "with a wave"];
///     manners.into_iter().filter(|manner| manner.starts_with(start)).collect()
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let client = mcp_runtime::server!().build()?.client();
/// let prompts = client.list_prompts().await?;
/// assert_eq!(prompts[0]["name"], "greet");
/// assert!(client.list_tools().await?.is_empty());
///
/// let completion = client.complete_prompt("greet", "manner", "w", json!({})).await?;
/// assert_eq!(completion["values"], json!(["warmly", "with a wave"]));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The server refuses the request: [`ClientError::Refused`].
#[allow(
    clippy::needless_pass_by_value,
    reason = "arguments are written in place"
)]
impl Client {
    /// Lists the tools, from all pages.
    pub async fn list_tools(&self) -> Result<Vec<Value>, ClientError> {
        self.list(Method::ListTools, "tools").await
    }

    /// Lists the tools, and waits on the calling thread.
    pub fn list_tools_blocking(&self) -> Result<Vec<Value>, ClientError> {
        self.list_blocking(Method::ListTools, "tools")
    }

    /// Lists the prompts, from all pages.
    pub async fn list_prompts(&self) -> Result<Vec<Value>, ClientError> {
        self.list(Method::ListPrompts, "prompts").await
    }

    /// Lists the prompts, and waits on the calling thread.
    pub fn list_prompts_blocking(&self) -> Result<Vec<Value>, ClientError> {
        self.list_blocking(Method::ListPrompts, "prompts")
    }

    /// Lists the resources, from all pages.
    pub async fn list_resources(&self) -> Result<Vec<Value>, ClientError> {
        self.list(Method::ListResources, "resources").await
    }

    /// Lists the resources, and waits on the calling thread.
    pub fn list_resources_blocking(&self) -> Result<Vec<Value>, ClientError> {
        self.list_blocking(Method::ListResources, "resources")
    }

    /// Lists the templates of resources, from all pages.
    pub async fn list_resource_templates(&self) -> Result<Vec<Value>, ClientError> {
        let method = Method::ListResourceTemplates;
        self.list(method, "resourceTemplates").await
    }

    /// Lists the templates of resources, and waits on the calling thread.
    pub fn list_resource_templates_blocking(&self) -> Result<Vec<Value>, ClientError> {
        let method = Method::ListResourceTemplates;
        self.list_blocking(method, "resourceTemplates")
    }

    /// Completes the beginning of an argument of a prompt: the members `values`, `total` and `hasMore`.
    ///
    /// `others` are the arguments that are already chosen, an object.
    pub async fn complete_prompt(
        &self,
        prompt: &str,
        argument: &str,
        start: &str,
        others: Value,
    ) -> Result<Value, ClientError> {
        let params = completion(&prompt_reference(prompt), argument, start, &others);
        let sent = self.send_async(Method::Complete.name(), &params);
        completed(&sent.await?)
    }

    /// Completes the beginning of an argument of a prompt, and waits on the calling thread.
    pub fn complete_prompt_blocking(
        &self,
        prompt: &str,
        argument: &str,
        start: &str,
        others: Value,
    ) -> Result<Value, ClientError> {
        let params = completion(&prompt_reference(prompt), argument, start, &others);
        completed(&self.send(Method::Complete.name(), &params)?)
    }

    /// Completes the beginning of a variable of a resource template: the members `values`, `total` and `hasMore`.
    ///
    /// `others` are the variables that are already chosen, an object.
    pub async fn complete_resource(
        &self,
        template: &str,
        variable: &str,
        start: &str,
        others: Value,
    ) -> Result<Value, ClientError> {
        let params = completion(&template_reference(template), variable, start, &others);
        let sent = self.send_async(Method::Complete.name(), &params);
        completed(&sent.await?)
    }

    /// Completes the beginning of a variable of a resource template, and waits on the calling thread.
    pub fn complete_resource_blocking(
        &self,
        template: &str,
        variable: &str,
        start: &str,
        others: Value,
    ) -> Result<Value, ClientError> {
        let params = completion(&template_reference(template), variable, start, &others);
        completed(&self.send(Method::Complete.name(), &params)?)
    }

    async fn list(&self, method: Method, member: &str) -> Result<Vec<Value>, ClientError> {
        let mut listed = Listed::default();
        while let Some(params) = listed.next_params() {
            listed.add(&self.send_async(method.name(), &params).await?, member)?;
        }
        Ok(listed.items)
    }

    fn list_blocking(&self, method: Method, member: &str) -> Result<Vec<Value>, ClientError> {
        let mut listed = Listed::default();
        while let Some(params) = listed.next_params() {
            listed.add(&self.send(method.name(), &params)?, member)?;
        }
        Ok(listed.items)
    }
}

/// The pages of a list that have come.
#[derive(Debug, Default)]
struct Listed {
    items: Vec<Value>,
    position: Position,
}

#[derive(Debug, Default)]
enum Position {
    #[default]
    Start,
    /// Before the page of this cursor.
    Cursor(String),
    End,
}

impl Listed {
    /// The parameters of the request for the next page; `None` after the last one.
    fn next_params(&self) -> Option<String> {
        match &self.position {
            Position::Start => Some(String::new()),
            Position::Cursor(cursor) => Some(format!(r#""cursor":{}"#, json_string(cursor))),
            Position::End => None,
        }
    }

    fn add(&mut self, page: &CallOutcome, member: &str) -> Result<(), ClientError> {
        let result = result_of(page)?;
        let items = result.get(member).and_then(Value::as_array);
        self.items.extend(items.into_iter().flatten().cloned());
        self.position = match result.get("nextCursor").and_then(Value::as_str) {
            Some(cursor) => Position::Cursor(cursor.to_owned()),
            None => Position::End,
        };
        Ok(())
    }
}

fn prompt_reference(name: &str) -> Value {
    json!({"type": "ref/prompt", "name": name})
}

fn template_reference(uri: &str) -> Value {
    json!({"type": "ref/resource", "uri": uri})
}

/// The parameters of a completion, without braces.
fn completion(reference: &Value, argument: &str, start: &str, others: &Value) -> String {
    let argument = json!({"name": argument, "value": start});
    let context = json!({"arguments": others});
    format!(r#""ref":{reference},"argument":{argument},"context":{context}"#)
}

fn completed(outcome: &CallOutcome) -> Result<Value, ClientError> {
    let completion = result_of(outcome)?.get("completion");
    Ok(completion.cloned().unwrap_or_default())
}

/// The result of a request that is refused or has one.
fn result_of(outcome: &CallOutcome) -> Result<&Value, ClientError> {
    outcome.result().ok_or_else(|| refused(outcome.error()))
}

/// The error of a request that has no result.
pub(super) fn refused(error: Option<&Value>) -> ClientError {
    let member = |name| error.and_then(|error| error.get(name));
    let code = member("code").and_then(Value::as_i64);
    let message = member("message").and_then(Value::as_str);
    let mut refused = ErrorObject::new(
        code.and_then(|code| i32::try_from(code).ok())
            .unwrap_or_default(),
        message.unwrap_or("the connection ended").to_owned(),
    );
    refused.data = member("data").cloned();
    ClientError::Refused(refused)
}
