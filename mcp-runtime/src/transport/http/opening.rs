//! The beginning of a connection, whose first bytes tell HTTP/1.1 from HTTP/2.
//!
//! They are looked at where they lie, in the socket: what is read early and handed to hyper in a piece of its own lets
//! hyper's buffer grow to twice its size, for as long as the connection is open.

use std::convert::Infallible;
use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::Service;
use hyper_util::rt::{TokioExecutor, TokioIo};

use super::HttpBody;
use super::connection::{Requests, Watched};

/// How many bytes are kept of a head that has not ended, but for the last piece that was read, and of a body at a time.
const MOST_BUFFERED: usize = 64 * 1024;

type Failure = Box<dyn Error + Send + Sync>;

/// A connection as it is served, by whichever version of HTTP.
pub(super) trait Served: Future<Output = Result<(), Failure>> + Send {
    /// Has the connection end when what has begun is answered, and what is on its way.
    fn shut_down(self: Pin<&mut Self>);
}

/// A connection from its first byte on.
pub(super) enum Opening<S> {
    /// Its version is not known yet.
    New(Box<(Watched, S)>),
    /// Hyper serves it.
    Open(Pin<Box<dyn Served>>),
    /// It changes from one to the other.
    Changing,
}

impl<S> Opening<S> {
    pub(super) fn new(stream: Watched, service: S) -> Self {
        Self::New(Box::new((stream, service)))
    }
}

impl<S> Future for Opening<S>
where
    S: Answers,
    S::Future: Send,
{
    type Output = Result<(), Failure>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            match &mut *self {
                Self::New(parts) => {
                    let is_http2 = ready!(parts.0.poll_version(context))?;
                    if let Self::New(parts) = std::mem::replace(&mut *self, Self::Changing) {
                        let (stream, service) = *parts;
                        let requests = stream.requests().clone();
                        let mut served = serve(stream, service, is_http2);
                        if requests.is_stopping() {
                            served.as_mut().shut_down();
                        }
                        *self = Self::Open(served);
                    }
                }
                Self::Open(served) => return served.as_mut().poll(context),
                Self::Changing => return Poll::Ready(Ok(())),
            }
        }
    }
}

impl<S> Served for Opening<S>
where
    S: Answers,
    S::Future: Send,
{
    fn shut_down(mut self: Pin<&mut Self>) {
        match &mut *self {
            Self::New(parts) => parts.0.requests().stop(),
            Self::Open(served) => served.as_mut().shut_down(),
            Self::Changing => {}
        }
    }
}

/// What answers requests.
pub(super) trait Answers:
    Service<Request<Incoming>, Response = Response<HttpBody>, Error = Infallible>
    + Send
    + Unpin
    + 'static
{
}

impl<S> Answers for S where
    S: Service<Request<Incoming>, Response = Response<HttpBody>, Error = Infallible>
        + Send
        + Unpin
        + 'static
{
}

fn serve<S>(stream: Watched, service: S, is_http2: bool) -> Pin<Box<dyn Served>>
where
    S: Answers,
    S::Future: Send,
{
    let requests = stream.requests().clone();
    let stream = TokioIo::new(stream);
    if is_http2 {
        let builder = http2::Builder::new(TokioExecutor::new());
        return Box::pin(Http2(builder.serve_connection(stream, service), requests));
    }
    let mut builder = http1::Builder::new();
    // `Watched` bounds the time of the head, and tells a slow head from an idle connection.
    builder.header_read_timeout(None);
    builder.max_buf_size(MOST_BUFFERED);
    Box::pin(Http1(builder.serve_connection(stream, service), requests))
}

macro_rules! served {
    ($Served:ident, $Connection:ty) => {
        struct $Served<S: Answers>($Connection, Requests);

        impl<S> Future for $Served<S>
        where
            S: Answers,
            S::Future: Send,
        {
            type Output = Result<(), Failure>;

            fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
                Pin::new(&mut self.0).poll(context).map_err(Into::into)
            }
        }
    };
}
served!(Http1, http1::Connection<TokioIo<Watched>, S>);
served!(Http2, http2::Connection<TokioIo<Watched>, S, TokioExecutor>);

impl<S> Served for Http1<S>
where
    S: Answers,
    S::Future: Send,
{
    fn shut_down(self: Pin<&mut Self>) {
        // Each answer says from now on that it is the last. Hyper would close a connection at once that waits for a request.
        self.1.stop();
    }
}

impl<S> Served for Http2<S>
where
    S: Answers,
    S::Future: Send,
{
    fn shut_down(mut self: Pin<&mut Self>) {
        self.1.stop();
        Pin::new(&mut self.0).graceful_shutdown();
    }
}
