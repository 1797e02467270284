//! A layer around some calls.

use std::sync::Arc;
use std::task::{Context, Poll};

use tower_service::Service;

use super::{BoxError, CallFuture, CallRequest, CallResponse, CallService};

/// Passes calls to one of two services.
///
/// Which one has to be ready is known only with the call, so it is waited for in the call's future.
#[derive(Clone)]
pub(crate) struct OnlyFor {
    pub(crate) applies: Arc<dyn Fn(&CallRequest) -> bool + Send + Sync>,
    pub(crate) layered: CallService,
    pub(crate) inner: CallService,
}

impl Service<CallRequest> for OnlyFor {
    type Response = CallResponse;
    type Error = BoxError;
    type Future = CallFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: CallRequest) -> CallFuture {
        let service = if (self.applies)(&request) {
            self.layered.clone()
        } else {
            self.inner.clone()
        };
        Box::pin(service.oneshot(request))
    }
}
