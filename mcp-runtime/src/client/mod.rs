//! A client in the same process, which has its answers ready: for tests of what asks.
//!
//! How a request goes on over its rounds is not decided here, but in `conversation`.

mod channel;
mod conversation;
mod error;
mod list;
mod prepared;
mod subscription;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

#[cfg(feature = "cli")]
pub(crate) use self::conversation::{Question, Questions, Respondent};
pub use self::error::ClientError;
use self::prepared::{Answers, Prepared};
pub use self::subscription::Subscription;
use crate::dispatch::{DispatchError, Principal};
pub use crate::protocol::{Capability, Root};
use crate::protocol::{LoggingLevel, Method, TASKS_EXTENSION, key};
pub use crate::server::{CallOutcome, RecordedRequest};
use crate::server::{Caller, Server, of_name, of_uri};

/// Stands for the messages of a client, which have one id.
const ANY_MESSAGE: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#;

/// A client in the same process, with its answers ready: what a test of a function that asks needs.
///
/// It sends each of its requests over a [`Connection`](crate::transport::Connection) in memory, and continues over all rounds as a remote
/// client does: it sends each request again with the answers to what was asked, and with the state that it received.
///
/// ```
/// use mcp_runtime::prelude::*;
/// use serde_json::json;
///
/// #[derive(ElicitForm)]
/// struct Confirm {
///     /// Is that what you want?
///     yes: bool,
/// }
///
/// /// Delete a project after asking the user.
/// #[mcp_tool(destructive)]
/// async fn delete_project(name: String, ctx: &Context) -> Result<String, ToolError> {
///     match ctx.elicit::<Confirm>("confirm", format!("Delete {name}?")).await? {
///         ElicitOutcome::Accepted(answer) if answer.yes => Ok(format!("{name} deleted")),
///         _ => Ok("kept".into()),
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = mcp_runtime::server!().build()?;
/// let arguments = json!({"name": "apollo"});
///
/// let client = server.client().answer("confirm", json!({"yes": true}));
/// let outcome = client.call_blocking("delete_project", arguments.clone())?;
/// assert_eq!(outcome.text(), "apollo deleted");
/// assert_eq!(outcome.asked()[0].message(), Some("Delete apollo?"));
///
/// let outcome = server.client().decline("confirm").call_blocking("delete_project", arguments.clone())?;
/// assert_eq!(outcome.text(), "kept");
///
/// // What nobody has an answer to is an error, which says what was asked.
/// let silent = server.client().answer("other", json!({}));
/// let error = silent.call_blocking("delete_project", arguments).unwrap_err();
/// assert!(error.to_string().starts_with("nothing answers `confirm`: Delete apollo?"));
/// # Ok(())
/// # }
/// ```
///
/// # Answers
///
/// An answer belongs to the key by which the function asks. A key with one answer gives it as often as it is asked; a key
/// with several gives each once, in their order, and then has none left. Each request begins with the first.
/// A key that a function uses again has a number on the wire, such as `confirm#2`: it takes the answers of `confirm`, unless
/// it has answers of its own.
///
/// Answers that do not fit their form are for the server to refuse, which asks again, but not for ever: if nothing else is
/// answered, the end is [`ClientError::TooManyRounds`]. So it is for a function that asks for ever, whatever it is answered.
///
/// # Capabilities
///
/// With the first answer to a form or a URL the client declares that it shows both, with [`sampling`](Self::sampling) and
/// [`roots`](Self::roots) that it has these, and with [`tasks`](Self::tasks) that it speaks the extension for tasks;
/// [`capabilities`](Self::capabilities) says it outright.
///
/// In the contract profile there are neither capabilities nor rounds: the outcome is that of one request.
#[derive(Debug, Clone)]
#[must_use]
pub struct Client {
    server: Server,
    answers: Answers,
    /// What its answers need.
    needed: Vec<Capability>,
    /// What it declares instead.
    declared: Option<Vec<Capability>>,
    principal: Option<Principal>,
    log_level: Option<LoggingLevel>,
}

impl Server {
    /// A client of this server in the same process, which can answer what is asked.
    pub fn client(&self) -> Client {
        Client {
            server: self.clone(),
            answers: Answers::default(),
            needed: Vec::new(),
            declared: None,
            principal: None,
            log_level: Some(LoggingLevel::Debug),
        }
    }
}

/// What the client can do, and what it answers.
impl Client {
    /// Accepts what is asked under a key, and fills in the form: `content` is an object of its fields.
    ///
    /// For a URL, which has no fields, the content is left out: `json!(null)`.
    pub fn answer(self, key: impl Into<String>, content: Value) -> Self {
        let mut answer = json!({"action": "accept"});
        if !content.is_null() {
            answer["content"] = content;
        }
        self.elicited(key, answer)
    }

    /// Refuses to answer what is asked under a key.
    pub fn decline(self, key: impl Into<String>) -> Self {
        self.elicited(key, json!({"action": "decline"}))
    }

    /// Leaves what is asked under a key without a decision.
    pub fn cancel(self, key: impl Into<String>) -> Self {
        self.elicited(key, json!({"action": "cancel"}))
    }

    fn elicited(self, key: impl Into<String>, answer: Value) -> Self {
        let both = [Capability::ElicitationForm, Capability::ElicitationUrl];
        self.with(key, answer, both)
    }

    /// Answers what the client's model is asked under a key: `result` is a `CreateMessageResult` of the specification.
    ///
    /// Sampling is deprecated in this revision of the protocol.
    pub fn sampling(self, key: impl Into<String>, result: Value) -> Self {
        self.with(key, result, [Capability::Sampling])
    }

    /// Tells the roots when they are asked for under a key. They are deprecated in this revision of the protocol.
    pub fn roots(self, key: impl Into<String>, roots: impl IntoIterator<Item = Root>) -> Self {
        let roots: Vec<_> = roots.into_iter().collect();
        self.with(key, json!({ "roots": roots }), [Capability::Roots])
    }

    fn with(
        mut self,
        key: impl Into<String>,
        answer: Value,
        needed: impl IntoIterator<Item = Capability>,
    ) -> Self {
        self.answers.add(key.into(), answer);
        self.needs(needed)
    }

    fn needs(mut self, needed: impl IntoIterator<Item = Capability>) -> Self {
        self.needed.extend(needed);
        self
    }

    /// Speaks the extension `io.modelcontextprotocol/tasks`, and follows tasks to their end: the outcome is that which the
    /// task came to.
    pub fn tasks(self) -> Self {
        self.needs([Capability::extension(TASKS_EXTENSION)])
    }

    /// Declares these capabilities and no others, whatever the answers need.
    pub fn capabilities(mut self, capabilities: impl IntoIterator<Item = Capability>) -> Self {
        self.declared = Some(capabilities.into_iter().collect());
        self
    }

    /// Sends all requests on somebody's behalf.
    pub fn principal(mut self, principal: &Principal) -> Self {
        self.principal = Some(principal.clone());
        self
    }

    /// Asks for log messages of this level and above, or for none; for all unless set.
    pub fn log_level(mut self, level: impl Into<Option<LoggingLevel>>) -> Self {
        self.log_level = level.into();
        self
    }
}

/// Requests.
///
/// Those without `async` in their name wait until the request is done, and may do so inside an async runtime, as
/// [those of the server](Server::call_blocking) may. Tasks that a [`TaskSpawner`](crate::task::TaskSpawner) runs on the caller's own runtime
/// want those with `async`, since the others would keep that from running them.
///
/// # Errors
///
/// Something is asked that has no answer, or is asked over and over. A request that fails is an outcome, and so is a task that
/// somebody cancels: see [`CallOutcome::is_error`].
#[allow(
    clippy::needless_pass_by_value,
    reason = "arguments are written in place"
)]
impl Client {
    /// Calls a tool.
    pub fn call_blocking(&self, tool: &str, arguments: Value) -> Result<CallOutcome, ClientError> {
        self.send(Method::CallTool.name(), &of_name(tool, arguments))
    }

    /// Calls a tool inside the caller's async runtime.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<CallOutcome, ClientError> {
        let params = of_name(tool, arguments);
        self.send_async(Method::CallTool.name(), &params).await
    }

    /// Asks for a prompt; see [`CallOutcome::messages`].
    pub fn get_prompt_blocking(
        &self,
        name: &str,
        arguments: Value,
    ) -> Result<CallOutcome, ClientError> {
        self.send(Method::GetPrompt.name(), &of_name(name, arguments))
    }

    /// Asks for a prompt inside the caller's async runtime.
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: Value,
    ) -> Result<CallOutcome, ClientError> {
        let params = of_name(name, arguments);
        self.send_async(Method::GetPrompt.name(), &params).await
    }

    /// Reads a resource; see [`CallOutcome::contents`].
    pub fn read_resource_blocking(&self, uri: &str) -> Result<CallOutcome, ClientError> {
        self.send(Method::ReadResource.name(), &of_uri(uri))
    }

    /// Reads a resource inside the caller's async runtime.
    pub async fn read_resource(&self, uri: &str) -> Result<CallOutcome, ClientError> {
        let params = of_uri(uri);
        self.send_async(Method::ReadResource.name(), &params).await
    }

    fn send(&self, method: &str, params: &str) -> Result<CallOutcome, ClientError> {
        let caller = self.caller();
        let mut prepared = Prepared::new(&self.answers);
        let sent = self.server.converse(&caller, &mut prepared, method, params);
        self.outcome(&sent?, prepared)
    }

    async fn send_async(&self, method: &str, params: &str) -> Result<CallOutcome, ClientError> {
        let caller = self.caller();
        let mut prepared = Prepared::new(&self.answers);
        let server = &self.server;
        let sent = server.converse_async(&caller, &mut prepared, method, params);
        let response = sent.await?;
        self.outcome(&response, prepared)
    }

    fn caller(&self) -> Caller {
        let mut caller = Caller::able(self.declared.as_ref().unwrap_or(&self.needed));
        caller.meta.push_str(r#","progressToken":1"#);
        if let Some(level) = self.log_level {
            let (key, level) = (key::LOG_LEVEL, json!(level));
            caller.meta.push_str(&format!(r#","{key}":{level}"#));
        }
        caller.principal.clone_from(&self.principal);
        caller
    }

    fn outcome(&self, response: &[u8], prepared: Prepared<'_>) -> Result<CallOutcome, ClientError> {
        let response = self.server.value_of(response, ANY_MESSAGE);
        let outcome = CallOutcome::new(response);
        let limit = DispatchError::TooManyRounds(self.server.core().options.limits.max_rounds);
        let is_over = outcome.error().is_some() && outcome.text() == limit.to_string();
        match prepared.refused().filter(|_| is_over) {
            Some(refused) => Err(refused),
            None => Ok(outcome.after(prepared.asked, prepared.notifications)),
        }
    }
}
