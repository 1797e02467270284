//! The endpoint as a service that routers mount.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{Request, Response};
use http_body::Body;
use tower_service::Service;

use super::HttpOptions;
use super::endpoint::Endpoint;
use super::response_body::HttpBody;
use crate::server::Server;
use crate::transport::TransportError;

/// A server as a [`tower::Service`](https://docs.rs/tower/latest/tower/trait.Service.html): cheap to clone, never busy,
/// never failing.
///
/// [`Server::into_service`](crate::Server::into_service) makes it. It answers at every path, as the router
/// that it is mounted in decides about paths, and it runs within a tokio runtime with its clock enabled.
///
/// Two extensions of a request mean something to it, both for middleware to set: the [`Principal`](crate::Principal) on
/// whose behalf the request is made, and the [`PeerAddress`](crate::http::PeerAddress) that a rate limit counts by where there is no
/// principal; requests without either count together.
///
/// Bodies are bounded by [`ServerBuilder::max_message_size`](crate::ServerBuilder::max_message_size), and not by axum's `DefaultBodyLimit`.
///
/// A program that stops calls [`end_streams`](Self::end_streams), so that no client that listens keeps it from ending, and
/// [`Server::stop_tasks`](crate::Server::stop_tasks) on a clone of the server, so that the next process can take up its tasks at once.
#[derive(Clone)]
pub struct HttpService(Arc<Endpoint>, Server);

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HttpService").field(&self.1).finish()
    }
}

impl HttpService {
    pub(super) fn with_defaults(server: Server) -> Self {
        match Self::new(server, HttpOptions::new()) {
            Ok(service) => service,
            Err(error) => unreachable!("the defaults name no host, no origin and no rate: {error}"),
        }
    }

    /// Ends all streams of `subscriptions/listen` with their responses, and so each that is opened from now on.
    ///
    /// To be called when the embedding server is told to stop, since such streams would keep it from ending:
    /// a graceful shutdown waits for every open response. Calls go on.
    pub fn end_streams(&self) {
        self.0.end_streams();
    }

    pub(super) fn new(server: Server, options: HttpOptions) -> Result<Self, TransportError> {
        let door = options.doorkeeper()?;
        let endpoint = Endpoint::new(Arc::clone(server.core()), options, door)?;
        Ok(Self(Arc::new(endpoint), server))
    }
}

impl<B> Service<Request<B>> for HttpService
where
    B: Body + Send + 'static,
    B::Data: Send,
{
    type Response = Response<HttpBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<HttpBody>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let endpoint = Arc::clone(&self.0);
        Box::pin(async move { Ok(endpoint.respond(request, None, None).await) })
    }
}
