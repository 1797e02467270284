//! The least that serving over HTTP costs: hyper alone, on one thread, which does by hand what the revision asks.
//!
//! It compares the headers that mirror the body and answers as the parent module does. It bounds nothing: no time, no
//! size, no number of calls, and a slow tool would hold up everybody.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// Serves on a port of this machine until the process is ended.
///
/// `list` is what comes behind the id in the answer to a request for the list.
///
/// # Errors
///
/// The port cannot be listened on.
pub fn serve(port: u16, list: &[u8]) -> io::Result<()> {
    let list = Bytes::copy_from_slice(list);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let list = list.clone();
            let service = service_fn(move |request| respond(request, list.clone()));
            let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            // A connection ends when the client goes, which is no failure.
            tokio::spawn(async move {
                let _ended = connection.await;
            });
        }
    })
}

async fn respond(request: Request<Incoming>, list: Bytes) -> io::Result<Response<Chunks>> {
    let (parts, body) = request.into_parts();
    let headers = &parts.headers;
    let is = |name: HeaderName, value: &str| headers.get(name).is_some_and(|own| own == value);
    if parts.method != Method::POST
        || parts.uri.path() != "/mcp"
        || !is(CONTENT_TYPE, "application/json")
        || !is(ACCEPT, "application/json, text/event-stream")
        || !is(VERSION, "2026-07-28")
    {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let message = whole(body).await.map_err(io::Error::other)?;
    let mut out = Vec::with_capacity(512);
    let mut rest = Bytes::new();
    let mut content_type = HeaderValue::from_static("application/json");
    match routed(headers) {
        Some(("tools/list", _)) => {
            super::start_list(&message, &mut out)?;
            rest = list;
        }
        Some(("tools/call", Some("add"))) => super::add(&message, &mut out)?,
        Some(("tools/call", Some("echo"))) => super::echo(&message, &mut out)?,
        Some(("tools/call", Some("structured"))) => super::structured(&message, &mut out)?,
        Some(("tools/call", Some("steps"))) => {
            super::steps(&message, &mut out)?;
            content_type = HeaderValue::from_static("text/event-stream");
        }
        _ => return Err(io::ErrorKind::InvalidInput.into()),
    }
    let mut response = Response::new(Chunks([out.into(), rest]));
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    Ok(response)
}

/// What the headers say of the body: its method and its name.
fn routed(headers: &HeaderMap) -> Option<(&str, Option<&str>)> {
    let method = headers.get(METHOD)?.to_str().ok()?;
    Some((
        method,
        headers.get(NAME).and_then(|name| name.to_str().ok()),
    ))
}

/// The whole body: its only chunk as it is, or all of them in one buffer of the announced size.
async fn whole(body: Incoming) -> Result<Bytes, hyper::Error> {
    let announced = body.size_hint().lower();
    let mut body = pin!(body);
    let mut buffer = Vec::new();
    loop {
        let frame = std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await;
        let Some(frame) = frame.transpose()? else {
            return Ok(buffer.into());
        };
        let Ok(chunk) = frame.into_data() else {
            continue;
        };
        if buffer.is_empty() {
            if chunk.len() as u64 == announced {
                return Ok(chunk);
            }
            buffer.reserve_exact(usize::try_from(announced).unwrap_or(0));
        }
        buffer.extend_from_slice(&chunk);
    }
}

/// A body that is there at once, in two parts, of which either may be empty.
#[derive(Debug)]
struct Chunks([Bytes; 2]);

impl Body for Chunks {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = self.0.iter_mut().find(|chunk| !chunk.is_empty());
        Poll::Ready(next.map(|chunk| Ok(Frame::data(std::mem::take(chunk)))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.iter().all(Bytes::is_empty)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.iter().map(|chunk| chunk.len() as u64).sum())
    }
}
