//! Layers around calls: what the builder takes, and where functions that block run within them.

use std::sync::Arc;

use tower_layer::Layer;
use tower_service::Service;

use super::ServerBuilder;
#[cfg(any(feature = "stdio", feature = "http"))]
use crate::dispatch::BlockingOutput;
use crate::dispatch::{
    BlockingExecutor, BlockingFuture, BlockingWork, BoxError, CallRequest, CallResponse,
    CallService, OnlyFor,
};
#[cfg(any(feature = "stdio", feature = "http"))]
use crate::panic::catch;

/// The error of a layer that needs an async runtime and has none.
const NO_RUNTIME: &str = "a layer panicked, and there is no async runtime, which timers and tasks of layers need: \
     enable the feature `stdio` or `http`, or call within a tokio runtime";

impl ServerBuilder {
    /// Wraps a [`tower` layer](https://docs.rs/tower-layer) around every call of a tool, a prompt or a resource: on every
    /// transport, in process, and around each run of a task.
    ///
    /// The layer's service takes a [`CallRequest`] and returns a [`CallResponse`]. It may refuse a call, replace its
    /// arguments or its result, attach [extensions](CallRequest::extensions_mut) for the function, measure times and write
    /// logs. `tower::ServiceBuilder` and the layers of tower work unchanged. A layer that is added later is outside of those
    /// added before; of one `ServiceBuilder`, the first is the outermost.
    ///
    /// An audit log:
    ///
    /// ```
    /// use std::sync::mpsc::{Sender, channel};
    /// use std::task::{Context, Poll};
    ///
    /// use mcp_runtime::prelude::*;
    /// use mcp_runtime::layer::{BoxError, CallFuture, CallRequest, CallResponse};
    /// use tower::Service;
    ///
    /// #[derive(Clone)]
    /// struct AuditLog<S> {
    ///     inner: S,
    ///     lines: Sender<String>,
    /// }
    ///
    /// impl<S> Service<CallRequest> for AuditLog<S>
    /// where
    ///     S: Service<CallRequest, Response = CallResponse, Error = BoxError>,
    ///     S::Future: Send + 'static,
    /// {
    ///     type Response = CallResponse;
    ///     type Error = BoxError;
    ///     type Future = CallFuture;
    ///
    ///     fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
    ///         self.inner.poll_ready(context)
    ///     }
    ///
    ///     fn call(&mut self, call: CallRequest) -> CallFuture {
    ///         let caller = call.principal().map_or("anonymous", |principal| principal.id());
    ///         let line = format!("{caller} {:?} {} {}", call.kind(), call.name(), call.arguments());
    ///         let lines = self.lines.clone();
    ///         let outcome = self.inner.call(call);
    ///         Box::pin(async move {
    ///             let outcome = outcome.await;
    ///             let failed = outcome.as_ref().map_or(true, |response| response.is_error());
    ///             // The log may have been closed.
    ///             let _ = lines.send(format!("{line}: {}", if failed { "failed" } else { "succeeded" }));
    ///             outcome
    ///         })
    ///     }
    /// }
    ///
    /// /// Add two integers.
    /// #[mcp_tool]
    /// fn add(a: i64, b: i64) -> i64 {
    ///     a + b
    /// }
    ///
    /// # fn main() -> Result<(), BuildError> {
    /// let (lines, log) = channel();
    /// let audit = tower::layer::layer_fn(move |inner| AuditLog { inner, lines: lines.clone() });
    /// let server = mcp_runtime::server!().layer(audit).build()?;
    /// assert_eq!(server.call_blocking("add", serde_json::json!({"a": 2, "b": 3})).text(), "5");
    /// assert_eq!(log.recv().unwrap(), r#"anonymous Tool add {"a":2,"b":3}: succeeded"#);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Failures
    ///
    /// An error of a layer fails the call, with the error's `Display` as the text: a tool with a result that has `isError`,
    /// a prompt or a resource with an error (−32603). So tower's `LoadShed` answers `service overloaded`, and its `Timeout`
    /// `request timed out`. [`mask_errors`](Self::mask_errors) hides these texts from clients as it hides those of
    /// functions; [`CallResponse::failed`] sends a text in any case, and [`CallResponse::from_error`] any error.
    ///
    /// A panic of a layer fails the call. A layer that needs an async runtime, such as tower's `Timeout`, panics where there
    /// is none: in a call outside of any runtime by [`call`](crate::Server::call) and, in a program without the
    /// features `stdio` and `http`, by [`handle_request`](crate::Server::handle_request). The call then fails with a
    /// sentence that says so.
    ///
    /// # Where calls run
    ///
    /// With a layer, every call is a future on the async runtime. Its function runs where it is declared to: a plain one on
    /// a thread that may block, an inline one within the future. Without layers nothing changes.
    ///
    /// Each round of a call that asks the client passes the layers as a call of its own. So do the request that creates a
    /// task and each run of the task ([`is_task_run`](CallRequest::is_task_run)). Completions pass no layer.
    ///
    /// An async function ends where it waits when a layer drops its future, as a timeout does. A plain function cannot be
    /// stopped: it counts among the calls in flight until it returns, and
    /// [`Context::is_cancelled`](crate::Context::is_cancelled) is `true` once the call has been answered.
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<CallService>,
        L::Service: Service<
                CallRequest,
                Response = CallResponse,
                Error: Into<BoxError>,
                Future: Send + 'static,
            > + Clone
            + Send
            + Sync
            + 'static,
    {
        let inner = self.layers.take().unwrap_or_default();
        self.layers = Some(CallService::new(layer.layer(inner)));
        self
    }

    /// Wraps a layer around the calls for which a condition holds; all others skip it. See [`layer`](Self::layer).
    ///
    /// A concurrency limit for one tool: two calls run at a time, and a third is refused meanwhile. Without `load_shed` it
    /// would wait.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    /// use mcp_runtime::layer::CallRequest;
    /// use tower::ServiceBuilder;
    ///
    /// /// Render a page.
    /// #[mcp_tool]
    /// fn render(page: u32) -> String {
    ///     format!("page {page}")
    /// }
    ///
    /// # fn main() -> Result<(), BuildError> {
    /// let limit = ServiceBuilder::new().load_shed().concurrency_limit(2);
    /// let server = mcp_runtime::server!()
    ///     .layer_for(|call: &CallRequest| call.name() == "render", limit)
    ///     .build()?;
    /// assert_eq!(server.call_blocking("render", serde_json::json!({"page": 1})).text(), "page 1");
    /// # Ok(())
    /// # }
    /// ```
    pub fn layer_for<L>(
        mut self,
        applies: impl Fn(&CallRequest) -> bool + Send + Sync + 'static,
        layer: L,
    ) -> Self
    where
        L: Layer<CallService>,
        L::Service: Service<
                CallRequest,
                Response = CallResponse,
                Error: Into<BoxError>,
                Future: Send + 'static,
            > + Clone
            + Send
            + Sync
            + 'static,
    {
        let inner = self.layers.take().unwrap_or_default();
        let layered = CallService::new(layer.layer(inner.clone()));
        self.layers = Some(CallService::new(OnlyFor {
            applies: Arc::new(applies),
            layered,
            inner,
        }));
        self
    }
}

/// Runs functions that block on a thread of the runtime that the call runs on, and without one where they are.
#[derive(Debug)]
pub(super) struct CurrentRuntime;

impl BlockingExecutor for CurrentRuntime {
    #[cfg(any(feature = "stdio", feature = "http"))]
    fn run(&self, work: BlockingWork) -> BlockingFuture {
        use tokio::runtime::Handle;
        let Ok(runtime) = Handle::try_current() else {
            return Box::pin(async move { Some(work()) });
        };
        // Tokio panics where the system has no thread.
        let spawned = catch(|| runtime.spawn_blocking(work));
        match spawned {
            Ok(handle) => {
                let mut work = Spawned(handle);
                Box::pin(async move { (&mut work.0).await.ok() })
            }
            Err(_) => {
                tracing::error!("a call could not be started: there are no threads for it");
                Box::pin(async { None })
            }
        }
    }

    #[cfg(not(any(feature = "stdio", feature = "http")))]
    fn run(&self, work: BlockingWork) -> BlockingFuture {
        Box::pin(async move { Some(work()) })
    }

    fn missing_runtime(&self) -> Option<&'static str> {
        #[cfg(any(feature = "stdio", feature = "http"))]
        if tokio::runtime::Handle::try_current().is_ok() {
            return None;
        }
        Some(NO_RUNTIME)
    }
}

/// A function on a thread, which is not begun any more once this is dropped.
#[cfg(any(feature = "stdio", feature = "http"))]
struct Spawned(tokio::task::JoinHandle<BlockingOutput>);

#[cfg(any(feature = "stdio", feature = "http"))]
impl Drop for Spawned {
    fn drop(&mut self) {
        self.0.abort();
    }
}
