//! The body of a request, bounded in size and time while it is read, and with all others in memory.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::{Buf, Bytes};
use http_body::{Body, Frame};
use tokio::time::timeout;

use crate::bound::{Bound, Full, Permit, Sender};
use crate::jsonrpc::{IdScanner, readable_id};

/// A body that is not read as a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unfinished {
    pub(super) reason: Unread,
    /// The id in what has come of it, as JSON.
    pub(super) id: Option<Box<str>>,
}

/// Why a body could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    /// It is larger than a message may be.
    TooLong,
    /// It did not arrive in time.
    TooSlow,
    /// It broke off.
    Broken,
    /// It does not fit beside all others that are being read.
    NoRoom,
}

/// What a request is taken to hold while its body is waited for, be there anything of it or not.
const WAITING: usize = 4096;

/// How many times the size of a message is read of a body that is too long, for the id that may stand at its end.
const MAX_OVERRUN: u64 = 16;

/// How many bytes of a refused request are read so that its connection lives on.
const MAX_DISCARDED: usize = 64 * 1024;

/// How long these bytes are waited for, and with them the answer.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(1);

/// What has come of a body.
#[derive(Debug)]
struct Gathered {
    whole: Vec<u8>,
    /// A body is counted by what has come of it, and not by what it announces, so that a client that sends slowly takes
    /// little room from those that do not.
    memory: Permit,
    /// Looks for the id of a body that is too long, and is not kept.
    too_long: Option<IdScanner>,
    length: u64,
}

impl Gathered {
    /// Takes bytes of a body that is too long.
    fn pass_over(&mut self, bytes: &[u8]) -> Result<(), Unread> {
        let scanner = self.too_long.get_or_insert_with(|| {
            let mut scanner = IdScanner::new();
            scanner.feed(&std::mem::take(&mut self.whole));
            scanner
        });
        let before = scanner.memory();
        scanner.feed(bytes);
        let after = scanner.memory();
        grow(&mut self.memory, after.saturating_sub(before))
    }

    /// Why the body is refused, which is first of all its length, and its id.
    fn refused(mut self, reason: Unread) -> Unfinished {
        let reason = if self.too_long.is_some() {
            Unread::TooLong
        } else {
            reason
        };
        let whole = std::mem::take(&mut self.whole);
        let id = match self.too_long {
            Some(scanner) => scanner.finish(),
            None => readable_id(&whole).map(Box::from),
        };
        Unfinished { reason, id }
    }
}

/// Reads a body.
///
/// One that comes in a single chunk, as most do, is taken as it is.
pub(super) async fn read<B: Body>(
    body: Pin<&mut B>,
    limit: usize,
    time: Duration,
    bound: &Arc<Bound>,
    sender: Sender,
) -> Result<Bytes, Unfinished> {
    let mut gathered = Gathered {
        whole: Vec::new(),
        memory: bound.permit(Some(sender)),
        too_long: None,
        length: 0,
    };
    match in_time(
        gather(body, limit, &mut gathered),
        time,
        bound.permit(Some(sender)),
    )
    .await
    {
        Ok(bytes) => Ok(bytes),
        Err(reason) => Err(gathered.refused(reason)),
    }
}

/// Waits for a body for no longer than this.
async fn in_time(
    reading: impl Future<Output = Result<Bytes, Unread>>,
    time: Duration,
    mut waiting: Permit,
) -> Result<Bytes, Unread> {
    let mut reading = pin!(reading);
    // Most bodies are there already; only those that are not need a clock.
    match poll_fn(|context| Poll::Ready(reading.as_mut().poll(context))).await {
        Poll::Ready(read) => read,
        Poll::Pending => {
            grow(&mut waiting, WAITING)?;
            timeout(time, reading).await.unwrap_or(Err(Unread::TooSlow))
        }
    }
}

fn grow(memory: &mut Permit, bytes: usize) -> Result<(), Unread> {
    memory.grow(bytes).map_err(|Full| Unread::NoRoom)
}

/// Gathers a body; one that is too long is read on for its id, as far as [`MAX_OVERRUN`] allows.
async fn gather<B: Body>(
    mut body: Pin<&mut B>,
    limit: usize,
    gathered: &mut Gathered,
) -> Result<Bytes, Unread> {
    let announced = body.size_hint();
    let exact = announced.exact();
    let most = (limit as u64).saturating_mul(MAX_OVERRUN);
    if announced.lower() > most {
        return Err(Unread::TooLong);
    }
    if announced.lower() > limit as u64 {
        gathered.pass_over(b"")?;
    }
    let expected = exact.and_then(|size| usize::try_from(size).ok());
    let capacity = expected.unwrap_or(limit).min(limit);
    while let Some(mut chunk) = next(&mut body).await? {
        let more = chunk.remaining();
        let is_first = gathered.length == 0;
        gathered.length += more as u64;
        if gathered.too_long.is_some() || gathered.length > limit as u64 {
            if gathered.length > most {
                return Err(Unread::TooLong);
            }
            while chunk.has_remaining() {
                let part = chunk.chunk();
                gathered.pass_over(part)?;
                let length = part.len();
                chunk.advance(length);
            }
            continue;
        }
        if is_first && (exact == Some(more as u64) || body.is_end_stream()) {
            return Ok(bytes_of(chunk));
        }
        grow(&mut gathered.memory, more)?;
        let whole = &mut gathered.whole;
        // What is announced and not yet there gets no more memory than what is there.
        if more > whole.capacity() - whole.len() {
            let larger = (whole.len() * 2).min(capacity).max(whole.len() + more);
            whole.reserve_exact(larger - whole.len());
        }
        while chunk.has_remaining() {
            let part = chunk.chunk();
            whole.extend_from_slice(part);
            let length = part.len();
            chunk.advance(length);
        }
    }
    if gathered.too_long.is_some() {
        return Err(Unread::TooLong);
    }
    Ok(std::mem::take(&mut gathered.whole).into())
}

/// Reads the rest of a body that is not wanted; `false` if it is long, or does not end in time.
pub(super) async fn discard<B: Body>(mut body: Pin<&mut B>) -> bool {
    if body.size_hint().lower() > MAX_DISCARDED as u64 {
        return false;
    }
    let reading = async {
        let mut left = MAX_DISCARDED;
        while let Some(chunk) = next(&mut body).await? {
            left = left.checked_sub(chunk.remaining()).ok_or(Unread::TooLong)?;
        }
        Ok::<_, Unread>(())
    };
    let read = timeout(DISCARD_TIMEOUT, reading).await;
    matches!(read, Ok(Ok(())))
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

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::convert::Infallible;
    use std::task::{Context, Waker};

    use super::*;

    const LIMIT: usize = 10_000;

    /// A body of chunks of these sizes, of which each has to be waited for if it is to; without an end if it has none.
    struct Chunks {
        sizes: VecDeque<usize>,
        slow: bool,
        ends: bool,
    }

    impl Chunks {
        fn of(sizes: &[usize]) -> Self {
            Self {
                sizes: sizes.iter().copied().collect(),
                slow: false,
                ends: true,
            }
        }

        fn endless(sizes: &[usize]) -> Self {
            Self {
                ends: false,
                ..Self::of(sizes)
            }
        }
    }

    impl Body for Chunks {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            self.slow = !self.slow;
            if self.slow {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            match self.sizes.pop_front() {
                Some(size) => Poll::Ready(Some(Ok(Frame::data(vec![b' '; size].into())))),
                None if self.ends => Poll::Ready(None),
                None => Poll::Pending,
            }
        }

        fn is_end_stream(&self) -> bool {
            self.sizes.is_empty() && self.ends
        }
    }

    /// A bound of which one sender can hold so many bytes.
    fn room(bytes: usize) -> Arc<Bound> {
        Bound::new(Bound::for_one_sender(bytes))
    }

    async fn read_all(room: &Arc<Bound>, sizes: &[usize]) -> Result<usize, Unread> {
        let body = pin!(Chunks::of(sizes));
        let read = read(
            body,
            LIMIT,
            Duration::from_secs(1000),
            room,
            Sender::Unknown,
        )
        .await;
        read.map(|bytes| bytes.len())
            .map_err(|unfinished| unfinished.reason)
    }

    #[tokio::test]
    async fn bodies_are_counted_by_what_has_come_of_them_until_they_are_read() {
        let room = room(2 * WAITING + 8_200);
        assert_eq!(read_all(&room, &[100, 2_000, 6_100]).await, Ok(8_200));
        assert_eq!(room.held(), 0);
        let body = pin!(Chunks::endless(&[2_000, 1_000]));
        let slow = read(
            body,
            LIMIT,
            Duration::from_secs(1000),
            &room,
            Sender::Unknown,
        );
        let mut slow = Box::pin(slow);
        for _ in 0..10 {
            let reading = slow
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()))
                .map(|_| ());
            assert_eq!(reading, Poll::Pending);
        }
        assert_eq!(room.held(), WAITING + 3_000);
        assert_eq!(read_all(&room, &[2_000, 3_200]).await, Ok(5_200));
        assert_eq!(
            read_all(&room, &[2_000, 3_200, 1]).await,
            Err(Unread::NoRoom)
        );
        assert_eq!(room.held(), WAITING + 3_000);
        drop(slow);
        assert_eq!(read_all(&room, &[2_000, 3_200, 1]).await, Ok(5_201));
    }

    #[tokio::test]
    async fn there_is_room_for_one_message() {
        let room = room(LIMIT + WAITING);
        assert_eq!(read_all(&room, &[LIMIT / 2, LIMIT / 2]).await, Ok(LIMIT));
        assert_eq!(
            read_all(&room, &[LIMIT / 2, LIMIT / 2, 1]).await,
            Err(Unread::TooLong)
        );
    }
}
