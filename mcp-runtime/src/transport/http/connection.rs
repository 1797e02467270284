//! A connection's bytes, with a clock beside them: a client that is slow to begin, or idle for long, is let go, as is one that
//! does not take what is sent to it; and one that has gone is missed.

use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep, sleep_until};

use super::deadline::after;
use super::endpoint::Endpoint;
use crate::refusal_log::Refusal;

/// How an HTTP/2 connection begins (RFC 9113, section 3.4).
const HTTP2: &[u8] = b"PRI ";

/// How often the end of a connection is looked for behind bytes that are not read yet.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// How much of what nobody wants is read at a time.
const REST: usize = 4096;

/// How long a server that stops waits on an idle connection for a request that is on its way.
const LAST_REQUEST_TIMEOUT: Duration = Duration::from_millis(500);

const HEADER_TIMEOUT: Refusal = Refusal {
    what: "a connection is closed: the head of its request did not arrive in time",
    option: "`HttpOptions::header_timeout` sets the time",
};
const WRITE_TIMEOUT: Refusal = Refusal {
    what: "a connection is closed: the client did not take its answer in time",
    option: "`HttpOptions::write_timeout` sets the time",
};

/// The requests of one connection that are being answered.
#[derive(Debug, Clone, Default)]
pub(super) struct Requests(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    running: AtomicUsize,
    begun: AtomicUsize,
    /// The answers of HTTP/2 of which there is something that hyper has not come for.
    owed: AtomicUsize,
    /// How often there came to be more of such answers.
    moves: AtomicUsize,
    /// Whether the body of a request of HTTP/1.1 is not read yet.
    arriving: AtomicBool,
    /// Whether the last request was answered before its body was read.
    unread: AtomicBool,
    /// Whether the server stops, and no request is to begin that is not on its way.
    stopping: AtomicBool,
}

/// One request that is being answered, until it is dropped.
#[derive(Debug)]
pub(super) struct Answering {
    counts: Arc<Counts>,
    owes: bool,
}

impl Requests {
    pub(super) fn begin(&self) -> Answering {
        self.0.arriving.store(true, Ordering::Relaxed);
        self.0.unread.store(false, Ordering::Relaxed);
        self.0.begun.fetch_add(1, Ordering::Relaxed);
        self.0.running.fetch_add(1, Ordering::Relaxed);
        Answering {
            counts: Arc::clone(&self.0),
            owes: false,
        }
    }

    /// Notes that what comes from now on is no more of the last request.
    pub(super) fn has_arrived(&self) {
        self.0.arriving.store(false, Ordering::Relaxed);
    }

    /// Has the connection end after its answers, and soon if it waits for a request.
    pub(super) fn stop(&self) {
        self.0.stopping.store(true, Ordering::Relaxed);
    }

    /// Returns `true` once the connection ends after its answers.
    pub(super) fn is_stopping(&self) -> bool {
        self.0.stopping.load(Ordering::Relaxed)
    }
}

impl Answering {
    /// Notes whether there is more of the answer for hyper to take, as there is from its beginning until it has to be waited for.
    ///
    /// Over HTTP/2 a client lets each answer flow or not, and hyper does not come for what may not flow; what it writes
    /// says nothing about that.
    pub(super) fn owe(&mut self, owes: bool) {
        if owes {
            self.counts.moves.fetch_add(1, Ordering::Relaxed);
        }
        if owes && !self.owes {
            self.counts.owed.fetch_add(1, Ordering::Release);
        }
        if self.owes && !owes {
            self.counts.owed.fetch_sub(1, Ordering::Relaxed);
        }
        self.owes = owes;
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.owe(false);
        if self.counts.arriving.load(Ordering::Relaxed) {
            self.counts.arriving.store(false, Ordering::Relaxed);
            self.counts.unread.store(true, Ordering::Relaxed);
        }
        self.counts.running.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What a connection waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waiting {
    /// The first request.
    First,
    /// The rest of a request's head.
    Head,
    /// The next request.
    Next,
    /// That more of an answer may flow.
    Taken,
    /// A request that may be on its way, while the server stops.
    Last,
}

/// A connection that is closed when it keeps this server waiting.
#[derive(Debug)]
pub(super) struct Watched {
    stream: TcpStream,
    requests: Requests,
    endpoint: Arc<Endpoint>,
    http2: bool,
    /// What was read to learn that, and hyper has not had yet.
    early: Vec<u8>,
    /// Whether bytes have come since the last request.
    heard: bool,
    /// How many requests had begun at the last look.
    begun: usize,
    waiting: Waiting,
    /// How many requests had begun when the clock was set, or pieces of answers been taken: to set it costs much more than
    /// to look at it, so it is not set again for each.
    counted: usize,
    clock: Pin<Box<Sleep>>,
    /// Whom the clock wakes.
    woken: Option<Waker>,
    /// Whether hyper waits for bytes, since it last wrote what it had.
    reads: bool,
    /// How many requests had begun when hyper last wrote what it had.
    looked: usize,
    /// Whether hyper has written something since it last had written all.
    is_unsent: bool,
    /// How often it had.
    flushes: usize,
    /// Runs while a client is looked after that hyper does not read from.
    look: Option<Pin<Box<Sleep>>>,
    /// Runs while something waits to be sent.
    stalled: Option<Pin<Box<Sleep>>>,
    /// Runs while a client is listened to that was refused and sends on.
    ending: Option<Pin<Box<Sleep>>>,
}

impl Watched {
    pub(super) fn requests(&self) -> &Requests {
        &self.requests
    }

    pub(super) fn new(stream: TcpStream, requests: Requests, endpoint: Arc<Endpoint>) -> Self {
        let header_timeout = endpoint.options().header_timeout;
        Self {
            stream,
            requests,
            endpoint,
            http2: false,
            early: Vec::new(),
            heard: false,
            begun: 0,
            waiting: Waiting::First,
            counted: 0,
            clock: Box::pin(sleep_until(after(header_timeout))),
            woken: None,
            reads: false,
            looked: 0,
            is_unsent: false,
            flushes: 0,
            look: None,
            stalled: None,
            ending: None,
        }
    }

    /// Waits for as many of the first bytes as it takes; whether they are those of HTTP/2.
    ///
    /// They are left where they are, unless they come in pieces so small that they may still be either: nothing would tell
    /// of more behind them.
    pub(super) fn poll_version(&mut self, context: &mut Context<'_>) -> Poll<io::Result<bool>> {
        loop {
            let mut next = [0; HTTP2.len()];
            let mut next = ReadBuf::new(&mut next);
            let expected = &HTTP2[self.early.len()..];
            match self.stream.poll_peek(context, &mut next) {
                Poll::Pending => return self.poll_patience(context).map(Err),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Ready(Ok(_)) => {}
            }
            let next = next.filled();
            self.http2 = next.starts_with(expected);
            if self.http2 || next.is_empty() || !expected.starts_with(next) {
                return Poll::Ready(Ok(self.http2));
            }
            let mut taken = [0; HTTP2.len()];
            let mut taken = ReadBuf::new(&mut taken[..next.len()]);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut taken))?;
            self.early.extend_from_slice(taken.filled());
        }
    }

    /// Fails when the client has kept this server waiting for too long.
    fn poll_patience(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let counts = &self.requests.0;
        let is_answering = counts.running.load(Ordering::Relaxed) > 0;
        let begun = counts.begun.load(Ordering::Relaxed);
        let is_new = begun != std::mem::replace(&mut self.begun, begun);
        if is_new {
            // What has come was that request; what comes while it is answered is the next one's.
            self.heard = false;
        }
        if is_answering && !self.http2 {
            return Poll::Pending;
        }
        let is_stopping = self.requests.is_stopping();
        let waiting = match begun {
            // Most answers have gone before the next look, and set no clock.
            _ if is_answering && is_new => return Poll::Pending,
            _ if is_answering => Waiting::Taken,
            // Over HTTP/2, hyper ends what has been used.
            _ if is_stopping && (begun == 0 || !self.http2) => Waiting::Last,
            0 => Waiting::First,
            // What HTTP/2 sends between requests is no head.
            _ if self.heard && !self.http2 => Waiting::Head,
            _ => Waiting::Next,
        };
        let options = self.endpoint.options();
        let (time, count, is_late) = match waiting {
            Waiting::First | Waiting::Head => (options.header_timeout, begun, true),
            // A client that has not had its last answer sends nothing behind it.
            Waiting::Last => (LAST_REQUEST_TIMEOUT, self.flushes, !self.is_unsent),
            Waiting::Next => (options.idle_timeout, begun, true),
            Waiting::Taken => {
                // Whoever is seen to owe is seen to have moved.
                let owed = counts.owed.load(Ordering::Acquire);
                let moves = counts.moves.load(Ordering::Relaxed);
                (options.write_timeout, moves, owed > 0)
            }
        };
        if waiting != self.waiting {
            self.waiting = waiting;
            self.set_clock(time, count);
        }
        loop {
            ready!(self.poll_clock(context));
            if is_late && self.counted == count {
                self.log_timeout(waiting);
                return Poll::Ready(io::ErrorKind::TimedOut.into());
            }
            self.set_clock(time, count);
        }
    }

    /// Has the log name the option by which a connection is closed, unless it was idle.
    fn log_timeout(&self, waiting: Waiting) {
        let has_begun = self.heard || !self.early.is_empty();
        match waiting {
            Waiting::First | Waiting::Head if has_begun => {
                self.endpoint.log_refusal(HEADER_TIMEOUT, "");
            }
            Waiting::Taken => self.endpoint.log_refusal(WRITE_TIMEOUT, ""),
            Waiting::First | Waiting::Head | Waiting::Next | Waiting::Last => {}
        }
    }

    /// Fails when the client has gone while its request is being answered, and hyper would not see it.
    ///
    /// To be called when hyper has read and written what it can. While an answer is on its way it reads on, to see
    /// the end of the connection; but once something has come, it keeps that for later and reads no more. A client that
    /// closes its connection then cancels its call all the same (basic/transports/streamable-http, "Cancellation").
    /// The end is seen as soon as it has arrived, which it has not while more bytes wait for this server than the system takes.
    fn poll_absence(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let reads = std::mem::take(&mut self.reads);
        let begun = self.requests.0.begun.load(Ordering::Relaxed);
        // Before its call has begun, a request gets no look: most calls are done when hyper comes here again.
        let is_new = begun != std::mem::replace(&mut self.looked, begun);
        let running = self.requests.0.running.load(Ordering::Relaxed);
        if reads || is_new || self.http2 || running == 0 {
            self.look = None;
            return Poll::Pending;
        }
        loop {
            if let Err(error) = ready!(self.stream.poll_read_ready(context)) {
                return Poll::Ready(error);
            }
            if self.has_ended() {
                return Poll::Ready(io::ErrorKind::UnexpectedEof.into());
            }
            // There are bytes that nobody reads at present, so nothing tells of what comes behind them.
            let look = self.look.get_or_insert_with(|| Box::pin(sleep(LOOK_AGAIN)));
            ready!(look.as_mut().poll(context));
            self.look = None;
        }
    }

    /// Fails instead of a write that has waited for too long.
    fn bounded(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let time = self.endpoint.options().write_timeout;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(time)));
        ready!(stalled.as_mut().poll(context));
        self.log_timeout(Waiting::Taken);
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// Passes over what is left of a request that has been refused.
    ///
    /// A connection that is closed while its client sends would lose the answer to that, or have the client fail before it
    /// reads it (RFC 9112, section 9.6).
    fn poll_rest(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let counts = &self.requests.0;
        // A head that hyper refuses begins no request.
        let is_refused = self.heard && counts.begun.load(Ordering::Relaxed) == self.begun;
        if self.http2 || !(is_refused || counts.unread.load(Ordering::Relaxed)) {
            return Poll::Ready(());
        }
        let time = self.endpoint.options().header_timeout;
        let ending = self.ending.get_or_insert_with(|| Box::pin(sleep(time)));
        while !counts.stopping.load(Ordering::Relaxed) && ending.as_mut().poll(context).is_pending()
        {
            let mut rest = [0; REST];
            let mut rest = ReadBuf::new(&mut rest);
            let read = ready!(Pin::new(&mut self.stream).poll_read(context, &mut rest));
            if read.is_err() || rest.filled().is_empty() {
                break;
            }
        }
        Poll::Ready(())
    }

    /// Whether the system knows of the connection's end, be there bytes before it or not.
    fn has_ended(&self) -> bool {
        let ready = pin!(self.stream.ready(Interest::READABLE));
        let known = ready.poll(&mut Context::from_waker(Waker::noop()));
        matches!(known, Poll::Ready(Ok(ready)) if ready.is_read_closed())
    }

    fn set_clock(&mut self, time: Duration, count: usize) {
        self.counted = count;
        self.clock.as_mut().reset(after(time));
        self.woken = None;
    }

    /// Polls the clock, if it has rung or would wake another task.
    fn poll_clock(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let same = |woken: &Waker| woken.will_wake(context.waker());
        if self.woken.as_ref().is_some_and(same) && !self.clock.is_elapsed() {
            return Poll::Pending;
        }
        self.woken = Some(context.waker().clone());
        self.clock.as_mut().poll(context)
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.early.is_empty() {
            let most = this.early.len().min(buffer.remaining());
            buffer.put_slice(&this.early[..most]);
            this.early.drain(..most);
            this.heard = true;
            return Poll::Ready(Ok(()));
        }
        let read = Pin::new(&mut this.stream).poll_read(context, buffer);
        this.reads = read.is_pending();
        match read {
            Poll::Pending => this.poll_patience(context).map(Err),
            read => {
                // A body is the rest of a request, and not the beginning of the next.
                this.heard |= !this.requests.0.arriving.load(Ordering::Relaxed);
                read
            }
        }
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.is_unsent = true;
        self.bounded(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Poll::Ready(error) = self.poll_absence(context) {
            return Poll::Ready(Err(error));
        }
        if std::mem::take(&mut self.is_unsent) {
            self.flushes += 1;
        }
        // Behind an answer that took long, hyper does not look for the next request before it comes.
        if !self.http2
            && let Poll::Ready(error) = self.poll_patience(context)
        {
            return Poll::Ready(Err(error));
        }
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
        self.poll_rest(context).map(Ok)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        chunks: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, chunks);
        self.is_unsent = true;
        self.bounded(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
