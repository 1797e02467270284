//! The body of a request, bounded in size and time while it is read.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use bytes::{Buf, Bytes};
use http_body::{Body, Frame};
use tokio::time::timeout;

/// Why a body could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    /// It is larger than a message may be.
    TooLong,
    /// It did not arrive in time.
    TooSlow,
    /// It broke off.
    Broken,
}

/// Reads a body.
///
/// One that comes in a single chunk, as most do, is taken as it is.
pub(super) async fn read<B: Body>(body: B, limit: usize, time: Duration) -> Result<Bytes, Unread> {
    let announced = body.size_hint();
    if announced.lower() > limit as u64 {
        return Err(Unread::TooLong);
    }
    let exact = announced.exact();
    let mut body = pin!(body);
    let reading = async {
        let Some(first) = next(&mut body).await? else {
            return Ok(Bytes::new());
        };
        let length = first.remaining();
        if length > limit {
            return Err(Unread::TooLong);
        }
        let first = bytes_of(first);
        if exact == Some(length as u64) || body.is_end_stream() {
            return Ok(first);
        }
        // What is announced and not yet there gets no memory beyond the limit.
        let expected = exact.and_then(|size| usize::try_from(size).ok());
        let mut whole = Vec::with_capacity(expected.unwrap_or(length * 2).min(limit));
        whole.extend_from_slice(&first);
        while let Some(mut chunk) = next(&mut body).await? {
            if chunk.remaining() > limit - whole.len() {
                return Err(Unread::TooLong);
            }
            while chunk.has_remaining() {
                let part = chunk.chunk();
                whole.extend_from_slice(part);
                chunk.advance(part.len());
            }
        }
        Ok(whole.into())
    };
    let mut reading = pin!(reading);
    // Most bodies are there already; only those that are not need a clock.
    match poll_fn(|context| Poll::Ready(reading.as_mut().poll(context))).await {
        Poll::Ready(read) => read,
        Poll::Pending => timeout(time, reading).await.unwrap_or(Err(Unread::TooSlow)),
    }
}

/// The next chunk of data; trailers mean nothing here.
async fn next<B: Body>(body: &mut Pin<&mut B>) -> Result<Option<B::Data>, Unread> {
    loop {
        let frame = poll_fn(|context| body.as_mut().poll_frame(context)).await;
        match frame.map(|frame| frame.map(Frame::into_data)) {
            None => return Ok(None),
            Some(Ok(Ok(data))) if data.has_remaining() => return Ok(Some(data)),
            Some(Ok(_)) => {}
            Some(Err(_)) => return Err(Unread::Broken),
        }
    }
}

fn bytes_of(mut data: impl Buf) -> Bytes {
    // For `Bytes` itself, which most bodies are made of, this copies nothing.
    data.copy_to_bytes(data.remaining())
}
