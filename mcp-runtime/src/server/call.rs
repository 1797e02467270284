//! Calls in process, one request each, from a client without capabilities.

use serde_json::Value;

use super::{CallOutcome, Caller, Server, json_string, json_text, request};
use crate::dispatch::{CallHandle, Principal};
use crate::protocol::Method;

/// Calls in process, through the whole pipeline: for tests of your own functions, and for programs that use them without a
/// client.
///
/// They come from a client without capabilities, which can be asked nothing; [`client`](Self::client) makes one that answers.
///
/// Those without `async` in their name wait until the function is done. The calling thread may drive a tokio runtime, as in
/// `#[tokio::test]`: then they run on another thread, and [async functions](Self::handle_request) on a
/// runtime of their own. A function that waits for something of the caller's runtime wants `call(…).await`.
///
/// A limit of time, such as the `timeout` of a tool, ends an async function where it waits (−32603). One that blocks ends by itself:
/// in process it is waited for, and its result is that of the call. Over stdio and HTTP the client is answered in time, and nobody
/// hears what the function returns later; [`Context::is_cancelled`](crate::Context::is_cancelled) tells it so.
impl Server {
    /// Calls a tool.
    pub fn call_blocking(&self, tool: &str, arguments: Value) -> CallOutcome {
        CallOutcome::new(self.send(None, Method::CallTool.name(), &of_name(tool, arguments)))
    }

    /// Calls a tool on somebody's behalf; see [`Principal`].
    pub fn call_as_blocking(
        &self,
        principal: &Principal,
        tool: &str,
        arguments: Value,
    ) -> CallOutcome {
        let params = of_name(tool, arguments);
        CallOutcome::new(self.send(Some(principal), Method::CallTool.name(), &params))
    }

    /// Calls a tool inside the caller's async runtime.
    ///
    /// As in [`handle`](Self::handle), the limit of time is the caller's.
    pub async fn call(&self, tool: &str, arguments: Value) -> CallOutcome {
        let params = of_name(tool, arguments);
        let sent = self.send_async(None, Method::CallTool.name(), &params);
        CallOutcome::new(sent.await)
    }

    /// Calls a tool on somebody's behalf, inside the caller's async runtime.
    pub async fn call_as(
        &self,
        principal: &Principal,
        tool: &str,
        arguments: Value,
    ) -> CallOutcome {
        let params = of_name(tool, arguments);
        let sent = self.send_async(Some(principal), Method::CallTool.name(), &params);
        CallOutcome::new(sent.await)
    }

    /// Asks for a prompt: the members of its result.
    ///
    /// If the request fails it is the error object, whose member `message` says why.
    #[must_use]
    pub fn get_prompt_blocking(&self, name: &str, arguments: Value) -> Value {
        result_of(self.send(None, Method::GetPrompt.name(), &of_name(name, arguments)))
    }

    /// Asks for a prompt inside the caller's async runtime.
    pub async fn get_prompt(&self, name: &str, arguments: Value) -> Value {
        let params = of_name(name, arguments);
        let sent = self.send_async(None, Method::GetPrompt.name(), &params);
        result_of(sent.await)
    }

    /// Reads a resource: the members of its result.
    ///
    /// If the request fails it is the error object, whose member `message` says why.
    #[must_use]
    pub fn read_resource_blocking(&self, uri: &str) -> Value {
        result_of(self.send(None, Method::ReadResource.name(), &of_uri(uri)))
    }

    /// Reads a resource inside the caller's async runtime.
    pub async fn read_resource(&self, uri: &str) -> Value {
        let params = of_uri(uri);
        let sent = self.send_async(None, Method::ReadResource.name(), &params);
        result_of(sent.await)
    }

    /// The response to a request.
    fn send(&self, principal: Option<&Principal>, method: &str, params: &str) -> Option<Value> {
        let message = self.plain(method, params);
        self.drive_value(principal, message.as_bytes())
    }

    async fn send_async(
        &self,
        principal: Option<&Principal>,
        method: &str,
        params: &str,
    ) -> Option<Value> {
        let message = self.plain(method, params);
        let control = CallHandle::default().with_principal(principal.cloned());
        self.handle_with(control, message.as_bytes()).await
    }

    fn plain(&self, method: &str, params: &str) -> String {
        request(
            self.core().options.profile,
            method,
            &Caller::default(),
            params,
        )
    }
}

/// The parameters of a request for what has a name, without braces.
pub(crate) fn of_name(name: &str, arguments: Value) -> String {
    let arguments = json_text(arguments);
    format!(r#""name":{},"arguments":{arguments}"#, json_string(name))
}

/// The parameters of a request for what has a URI, without braces.
pub(crate) fn of_uri(uri: &str) -> String {
    format!(r#""uri":{}"#, json_string(uri))
}

/// The result of a response, or its error.
fn result_of(response: Option<Value>) -> Value {
    let mut response = response.unwrap_or_default();
    let member = if response.get("error").is_some() {
        "error"
    } else {
        "result"
    };
    response[member].take()
}
