//! What a tool may know of the request that it serves.

use std::any::TypeId;
use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use serde_json::Value;

use super::invocation::ContextSource;
use super::progress::{Progress, ProgressReport};
use super::{CallControl, Core};
use crate::convert::MissingCapability;
use crate::jsonrpc::{RequestId, Shape};
use crate::protocol::{Capability, Implementation, Params};

/// The request that a tool serves, and the server that it runs in.
///
/// Take it as a parameter, `&Context` or `Context`, anywhere in the signature; it never appears in the schema.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// /// Count up until somebody loses patience.
/// #[mcp_tool]
/// fn count(ctx: &Context) -> u64 {
///     (0..1_000).take_while(|_| !ctx.is_cancelled()).count() as u64
/// }
/// ```
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    core: Arc<Core>,
    control: Arc<CallControl>,
    id: Option<RequestId>,
    client_info: Option<Box<str>>,
    client_capabilities: Option<Box<str>>,
    /// `None` if the client does not want to know.
    progress: Option<ProgressReport>,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("request_id", &self.0.id)
            .finish_non_exhaustive()
    }
}

impl Context {
    pub(super) fn new(source: &ContextSource<'_>) -> Self {
        let meta = match &source.request.params {
            Some(Shape::Object(Params {
                meta: Some(Shape::Object(meta)),
                ..
            })) => Some(meta),
            _ => None,
        };
        Self(Arc::new(Inner {
            core: Arc::clone(source.core),
            control: Arc::clone(source.control),
            id: RequestId::from_json(source.request.id.text()),
            client_info: meta
                .and_then(|meta| meta.client_info)
                .map(|info| info.get().into()),
            progress: meta
                .and_then(|meta| meta.progress_token)
                .map(|token| ProgressReport::new(token.get())),
            client_capabilities: meta
                .and_then(|meta| meta.client_capabilities)
                .map(|capabilities| capabilities.get().into()),
        }))
    }

    /// The id of the request; `None` where the caller gave none, which only the contract profile allows.
    #[must_use]
    pub fn request_id(&self) -> Option<&RequestId> {
        self.0.id.as_ref()
    }

    /// The client's own word on what software it is; for display and logs, not for decisions.
    #[must_use]
    pub fn client_info(&self) -> Option<Implementation> {
        self.0
            .client_info
            .as_deref()
            .and_then(|info| serde_json::from_str(info).ok())
    }

    /// What the client can do for this request, as it said (an object; empty if it said nothing).
    #[must_use]
    pub fn client_capabilities(&self) -> Value {
        self.0
            .client_capabilities
            .as_deref()
            .and_then(|capabilities| serde_json::from_str(capabilities).ok())
            .unwrap_or_else(|| Value::Object(serde_json::Map::new()))
    }

    /// Tells whether the client has declared a capability for this request.
    #[must_use]
    pub fn supports(&self, capability: &Capability) -> bool {
        capability.is_declared_in(&self.client_capabilities())
    }

    /// Goes on only with a client that has declared a capability for this request.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    /// use mcp_runtime::Capability;
    ///
    /// /// Show where something is.
    /// #[mcp_tool]
    /// fn locate(place: &str, ctx: &Context) -> Result<String, ToolError> {
    ///     ctx.require(Capability::extension("com.example/maps"))?;
    ///     Ok(format!("a map of {place}"))
    /// }
    ///
    /// # fn main() -> Result<(), BuildError> {
    /// let server = mcp_runtime::server!().build()?;
    /// let outcome = server.call("locate", serde_json::json!({"place": "Utrecht"}));
    /// let error = outcome.error().expect("this client declares nothing");
    /// assert_eq!(error["code"], -32021);
    /// assert_eq!(
    ///     error["data"]["requiredCapabilities"],
    ///     serde_json::json!({"extensions": {"com.example/maps": {}}}),
    /// );
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The client has not. With `?` that becomes an error of the whole request (−32021), which tells the client what to
    /// declare; it has to come before anything is sent for the request to be refused with the HTTP status 400.
    pub fn require(&self, capability: Capability) -> Result<(), MissingCapability> {
        self.require_all([capability])
    }

    /// The same for several at once, so that the client is told of all that are missing.
    ///
    /// # Errors
    ///
    /// The client has not declared all of them.
    pub fn require_all(
        &self,
        capabilities: impl IntoIterator<Item = Capability>,
    ) -> Result<(), MissingCapability> {
        let declared = self.client_capabilities();
        let missing = capabilities
            .into_iter()
            .filter(|capability| !capability.is_declared_in(&declared));
        MissingCapability::any(missing.collect())
    }

    /// Tells whether the client has cancelled the request, or its time is up: nobody waits for the answer any more.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.control.is_cancelled()
    }

    /// Waits until [`is_cancelled`](Self::is_cancelled) is true; for `select!`.
    ///
    /// An async tool need not watch this: when its call is cancelled, its future is dropped at the place where it waits.
    pub async fn cancelled(&self) {
        poll_fn(|context| {
            if self.is_cancelled() {
                return Poll::Ready(());
            }
            self.0.control.wake_when_cancelled(context.waker());
            Poll::Pending
        })
        .await;
    }

    /// Tells the client how far the tool has come, if the client asked to be told.
    ///
    /// It never waits. What is no progress over what was told last is left out, and so is what nobody can take:
    /// a client that does not read, a call that was cancelled or has its answer.
    pub fn progress(&self, progress: impl Into<Progress>) {
        if let Some(report) = &self.0.progress {
            report.tell(&self.0.control, &progress.into());
        }
    }

    /// The state of a type that the builder was given, if there is one.
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let state = self.0.core.states.get(&TypeId::of::<T>())?;
        Arc::clone(state).downcast().ok()
    }
}
