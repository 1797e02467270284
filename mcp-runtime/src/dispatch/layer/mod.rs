//! Layers around calls of tools, prompts and resources: tower's traits over a typed call.
//!
//! With layers, every call is a future; without any, nothing here runs. What a layer does is not known here, and neither is
//! the runtime: where functions that block run is left to the [`BlockingExecutor`].

mod call;
mod only;
mod request;
mod response;
mod service;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

pub(crate) use self::call::Begun as BlockingOutput;
pub(super) use self::call::LayeredCall;
pub(crate) use self::only::OnlyFor;
pub use self::request::{CallKind, CallRequest};
pub use self::response::CallResponse;
pub use self::service::{BoxError, CallFuture, CallService};

/// The layers of a server, and what runs functions that block within them.
#[derive(Debug)]
pub(crate) struct Layers {
    service: CallService,
    executor: Arc<dyn BlockingExecutor>,
}

/// A plain function with its arguments.
pub(crate) type BlockingWork = Box<dyn FnOnce() -> BlockingOutput + Send>;

/// The wait for it; `None` if it could not be run.
pub(crate) type BlockingFuture = Pin<Box<dyn Future<Output = Option<BlockingOutput>> + Send>>;

/// Runs functions that may block.
pub(crate) trait BlockingExecutor: std::fmt::Debug + Send + Sync {
    /// Runs a function where it may block; not if the future is dropped before that.
    fn run(&self, work: BlockingWork) -> BlockingFuture;

    /// What a client reads of a layer that panicked where there is no async runtime; `None` where there is one.
    fn missing_runtime(&self) -> Option<&'static str>;
}

impl Layers {
    pub(crate) fn new(service: CallService, executor: Arc<dyn BlockingExecutor>) -> Self {
        Self { service, executor }
    }
}
