//! The service that layers wrap.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

use tower_service::Service;

use super::call::run_function;
use super::{CallRequest, CallResponse};

/// The error of a layer; its `Display` is what the client reads, unless errors are masked.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The future of a call within a layer.
pub type CallFuture = Pin<Box<dyn Future<Output = Result<CallResponse, BoxError>> + Send>>;

/// The service that a [layer](crate::ServerBuilder::layer) wraps: the function, within the layers that were added before.
///
/// It is always ready unless one of these layers is not.
#[derive(Clone, Default)]
pub struct CallService(Option<Box<dyn ErasedService>>);

impl fmt::Debug for CallService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallService").finish_non_exhaustive()
    }
}

impl CallService {
    /// Forgets the type of a service.
    pub(crate) fn new<S>(service: S) -> Self
    where
        S: Service<
                CallRequest,
                Response = CallResponse,
                Error: Into<BoxError>,
                Future: Send + 'static,
            > + Clone
            + Send
            + Sync
            + 'static,
    {
        Self(Some(Box::new(Erased(service))))
    }

    /// Waits until the service is ready, and passes a call to it.
    pub(super) async fn oneshot(mut self, request: CallRequest) -> Result<CallResponse, BoxError> {
        poll_fn(|context| self.poll_ready(context)).await?;
        self.call(request).await
    }
}

impl Service<CallRequest> for CallService {
    type Response = CallResponse;
    type Error = BoxError;
    type Future = CallFuture;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        match &mut self.0 {
            Some(service) => service.poll_ready(context),
            None => Poll::Ready(Ok(())),
        }
    }

    fn call(&mut self, request: CallRequest) -> CallFuture {
        match &mut self.0 {
            Some(service) => service.call(request),
            None => Box::pin(run_function(request)),
        }
    }
}

/// A service whose type is forgotten.
trait ErasedService: Send + Sync {
    fn clone_box(&self) -> Box<dyn ErasedService>;
    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>>;
    fn call(&mut self, request: CallRequest) -> CallFuture;
}

impl Clone for Box<dyn ErasedService> {
    fn clone(&self) -> Self {
        (**self).clone_box()
    }
}

struct Erased<S>(S);

impl<S> ErasedService for Erased<S>
where
    S: Service<CallRequest, Response = CallResponse, Error: Into<BoxError>, Future: Send + 'static>
        + Clone
        + Send
        + Sync
        + 'static,
{
    fn clone_box(&self) -> Box<dyn ErasedService> {
        Box::new(Self(self.0.clone()))
    }

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, request: CallRequest) -> CallFuture {
        let future = self.0.call(request);
        Box::pin(async move { future.await.map_err(Into::into) })
    }
}
