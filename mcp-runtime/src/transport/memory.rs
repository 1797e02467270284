//! One end of a connection in memory: bytes of a client in, bytes for it out.
//!
//! A thin shell around the connection without I/O: it runs the calls where it is polled, and knows the clock. It owns no
//! thread, no socket and no pipe, so that it serves the client in the same process as well as a transport of the user's.

mod running;

use std::convert::Infallible;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use self::running::{Running, Woken};
use super::cancellation::log_cancellation;
use crate::bound::Permit;
use crate::clock;
use crate::connection::{self, Call, Key, LineReader, Next, Received};
#[cfg(feature = "legacy")]
use crate::dispatch::ResponseSlot;
use crate::dispatch::{
    Answer, CallHandle, Core, DispatchError, Outbox, Principal, Routed, SubscriberGroup,
};
use crate::jsonrpc::OwnedRawId;
use crate::server::{self, Server, Timer, answer_on_thread, control_here};

/// The server's end of one connection, for transports of your own: bytes of the client in, bytes for it out.
///
/// It frames messages as stdio does, one JSON text in a line, and knows the calls in flight, their cancellation, their
/// limits of time, notifications and streams. It does no I/O: a transport reads from its client, writes to it, and lends
/// its task to the async functions of the server. Plain functions run on the threads of its tokio runtime that may block.
///
/// ```
/// use mcp_runtime::prelude::*;
/// use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
///
/// /// Serves a client until it closes its stream.
/// async fn serve(
///     server: &Server,
///     mut reader: impl AsyncRead + Unpin,
///     mut writer: impl AsyncWrite + Unpin,
/// ) -> std::io::Result<()> {
///     let mut connection = server.connect();
///     let mut buffer = [0; 4096];
///     loop {
///         tokio::select! {
///             read = reader.read(&mut buffer), if connection.is_open() => match read? {
///                 0 => connection.end(),
///                 count => connection.receive(&buffer[..count]),
///             },
///             bytes = connection.transmit() => match bytes {
///                 Some(bytes) => writer.write_all(&bytes).await?,
///                 None => return Ok(()),
///             },
///         }
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = mcp_runtime::server!().build()?;
/// let (client, stream) = tokio::io::duplex(1024);
/// let (reader, writer) = tokio::io::split(stream);
/// let (mut answers, mut requests) = tokio::io::split(client);
/// let talk = async {
///     requests.write_all(b"{}\n").await?;
///     requests.shutdown().await?;
///     let mut answer = String::new();
///     answers.read_to_string(&mut answer).await?;
///     Ok(answer)
/// };
/// let (served, answer) = tokio::join!(
///     async { serve(&server, reader, writer).await },
///     async { talk.await as std::io::Result<String> },
/// );
/// served?;
/// assert!(answer?.contains("-32600"));
/// # Ok(())
/// # }
/// ```
///
/// Dropping it cancels all its calls and closes its streams.
#[derive(Debug)]
pub struct Connection {
    lines: LineReader,
    calls: Calls,
    /// Runs until the next deadline.
    timer: Option<Timer>,
}

impl Server {
    /// Opens a connection for a transport of your own.
    pub fn connect(&self) -> Connection {
        Connection::new(self, None)
    }

    /// Opens a connection whose requests come on somebody's behalf; see [`Principal`].
    pub fn connect_as(&self, principal: &Principal) -> Connection {
        Connection::new(self, Some(principal.clone()))
    }
}

impl Connection {
    pub(crate) fn new(server: &Server, principal: Option<Principal>) -> Self {
        let woken = Arc::<Woken>::default();
        let core = Arc::clone(server.core());
        let subscribers = SubscriberGroup::together();
        let connection =
            connection::Connection::new(Arc::clone(&core), &subscribers, Arc::clone(&woken).into());
        Self {
            lines: LineReader::new(core.options.limits.max_message_size),
            calls: Calls {
                _server: server.clone(),
                core,
                principal,
                subscribers,
                shared: Arc::new(Shared {
                    connection: Mutex::new(connection),
                    woken,
                }),
                running: Running::default(),
            },
            timer: None,
        }
    }

    /// Takes bytes that the client has sent, any number of them; whole lines among them are messages.
    ///
    /// Requests that run no function, and inline functions, are answered within it; async functions are polled for the
    /// first time. Outside of a tokio runtime plain functions run within it, too.
    pub fn receive(&mut self, mut bytes: &[u8]) {
        loop {
            self.receive_lines();
            if bytes.is_empty() || !self.is_open() {
                return;
            }
            let taken = self.lines.fill(|room| {
                let count = bytes.len().min(room.len());
                room[..count].copy_from_slice(&bytes[..count]);
                Ok::<_, Infallible>(count)
            });
            let Ok(count) = taken;
            bytes = &bytes[count..];
        }
    }

    /// Notes that the client sends nothing more: what it was sent last counts as a line.
    ///
    /// Calls that run get the time of [`shutdown_timeout`](crate::ServerBuilder::shutdown_timeout), and streams end in order.
    pub fn end(&mut self) {
        if !self.is_open() {
            return;
        }
        let Ok(_) = self.lines.fill(|_| Ok::<_, Infallible>(0));
        self.receive_lines();
        let calls = &self.calls;
        calls.core.broadcaster.end(&calls.subscribers);
        calls.shared.lock().end(Instant::now());
    }

    /// Returns `true` until [`end`](Self::end) is called.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.calls.shared.lock().is_open()
    }

    /// Runs calls until there are bytes for the client, whole lines; `None` once everything is answered after the end.
    ///
    /// It wants to be awaited at all times at which the transport does not wait for its client: async functions run
    /// within it, and limits of time are kept by it. Dropping its future loses nothing.
    ///
    /// Without a feature that brings tokio there are no timers, so that limits of time are left to the caller.
    pub async fn transmit(&mut self) -> Option<Vec<u8>> {
        poll_fn(|task| {
            loop {
                if let Poll::Ready(bytes) = self.calls.poll_transmit(task) {
                    return Poll::Ready(bytes);
                }
                let Some(deadline) = self.calls.next_deadline() else {
                    return Poll::Pending;
                };
                let timer = match &mut self.timer {
                    Some(timer) if timer.deadline() == deadline => timer,
                    timer => timer.insert(Timer::new(deadline)),
                };
                if timer.poll(task).is_pending() {
                    return Poll::Pending;
                }
            }
        })
        .await
    }

    /// The same on the calling thread, which drives no runtime.
    pub(crate) fn transmit_blocking(&mut self) -> Option<Vec<u8>> {
        // What is written already needs no runtime.
        if self.calls.running.is_empty()
            && let Poll::Ready(bytes) = self
                .calls
                .poll_transmit(&mut Context::from_waker(Waker::noop()))
        {
            return bytes;
        }
        #[cfg(any(feature = "stdio", feature = "http"))]
        return server::block_on(self.transmit())?;
        #[cfg(not(any(feature = "stdio", feature = "http")))]
        server::park(|task| match self.calls.poll_transmit(task) {
            Poll::Ready(bytes) => Ok(bytes),
            Poll::Pending => Err(self.calls.next_deadline()),
        })
    }

    /// Takes the lines that have been read.
    fn receive_lines(&mut self) {
        loop {
            match self.lines.next() {
                Next::Line(place) => self.calls.receive(self.lines.line(place)),
                Next::TooLong(id) => self.calls.shared.lock().refuse_too_long(id.as_deref()),
                Next::Fill | Next::End => return,
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let left = self.calls.shared.lock().close();
        left.cancel();
    }
}

/// What the calls share with the connection that runs them.
#[derive(Debug)]
struct Shared {
    connection: Mutex<connection::Connection>,
    woken: Arc<Woken>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, connection::Connection> {
        // No function of the user's runs under the lock.
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The calls of a connection.
#[derive(Debug)]
struct Calls {
    /// Keeps the states of the server.
    _server: Server,
    core: Arc<Core>,
    principal: Option<Principal>,
    /// The streams of the connection, as the dispatcher knows them.
    subscribers: Arc<SubscriberGroup>,
    shared: Arc<Shared>,
    running: Running,
}

impl Calls {
    /// Takes one message, or a batch of them.
    fn receive(&mut self, message: &[u8]) {
        #[cfg(feature = "legacy")]
        if message.trim_ascii_start().starts_with(b"[") {
            let messages = self.shared.lock().begin_batch(message);
            if let Some(messages) = messages {
                for message in messages {
                    self.receive_one(message.get().as_bytes());
                }
                return self.shared.lock().end_batch();
            }
        }
        self.receive_one(message);
    }

    /// Takes one message.
    fn receive_one(&mut self, message: &[u8]) {
        let core = Arc::clone(&self.core);
        let mut readable = Vec::new();
        let opened = core.open(message, &mut readable);
        let received = self.shared.lock().receive(opened);
        match received {
            Received::Nothing => {}
            Received::Call(call) => self.call(message, &call),
            Received::Cancel { calls, id, reason } => {
                calls.cancel();
                log_cancellation(id, reason.as_deref());
            }
            #[cfg(feature = "legacy")]
            Received::Answered { slot, response } => slot.fill(response),
            Received::Response => {
                tracing::debug!("the client sent a response that no request asked for");
            }
        }
    }

    /// When the connection is to be polled again, even if nothing wakes it.
    fn next_deadline(&self) -> Option<Instant> {
        self.shared.lock().next_deadline()
    }

    /// Controls a call of this connection.
    fn control(&self, call: &Call<'_>) -> Arc<CallHandle> {
        let mut control = control_here()
            .with_principal(self.principal.clone())
            .with_outbox(Arc::new(Notifications(Arc::downgrade(&self.shared))))
            .with_subscriber_group(Arc::clone(&self.subscribers));
        control.set_session(call.session.clone());
        Arc::new(control.with_clock(clock::now))
    }

    /// Answers a call, or begins it.
    fn call(&mut self, message: &[u8], call: &Call<'_>) {
        let control = self.control(call);
        let core = &self.core;
        let mut answer = Vec::new();
        let memory = match core.admit_memory(&call.request, None) {
            Ok(memory) => memory,
            Err(error) => {
                core.turn_away(call.request.id, &error, &mut answer);
                self.shared.lock().answer(&control, &mut answer);
                return;
            }
        };
        match core.answer_routed(&call.request, None, &control, &mut answer) {
            Routed::Answer(Answer::Written) => {}
            Routed::List(page) => {
                answer.extend_from_slice(&page);
                answer.extend_from_slice(core.closing(core.revision(&control)));
            }
            Routed::Answer(Answer::Listening(listener)) => {
                control.end();
                self.shared.lock().listen(call, listener, &mut answer);
                return;
            }
            Routed::Answer(Answer::Pending(mut pending)) => {
                let id = call.request.id.keep();
                let key = self.start(call, &control, false);
                let mut memory = Some(memory);
                if pending.may_be_outlived() {
                    self.shared.lock().note_blocking(&key);
                    pending.hold(Arc::new(Place {
                        shared: Arc::clone(&self.shared),
                        key: key.clone(),
                        _memory: memory.take(),
                    }));
                }
                let core = Arc::clone(core);
                // Only the functions of sessions are run again.
                let message = control.session().map(|_| message.to_vec());
                return self.run(key, false, async move {
                    let mut cancelled = std::pin::pin!(control.cancelled());
                    let answer = poll_fn(|task| {
                        // First, so that a cancelled function is dropped at the place where it waits.
                        if cancelled.as_mut().poll(task).is_ready() {
                            return Poll::Ready(Vec::new());
                        }
                        pending.poll(id.as_raw(), task)
                    });
                    let answer = answer.await;
                    match (message, memory) {
                        (Some(message), Some(memory)) if control.runs_again() => {
                            let answer = answer_on_thread(&core, &message, &control, memory);
                            answer.await.unwrap_or_else(|| no_runtime(&core, &id))
                        }
                        _ => answer,
                    }
                });
            }
            Routed::NotPermitted(_) => {
                let id = call.request.id.keep();
                let (core, message) = (Arc::clone(core), message.to_vec());
                let key = self.start(call, &control, true);
                return self.run(key, true, async move {
                    let answer = answer_on_thread(&core, &message, &control, memory).await;
                    answer.unwrap_or_else(|| no_runtime(&core, &id))
                });
            }
        }
        control.end();
        self.shared.lock().answer(&control, &mut answer);
    }

    /// Notes that a call is in flight.
    fn start(&self, call: &Call<'_>, control: &Arc<CallHandle>, is_blocking: bool) -> Key {
        let mut connection = self.shared.lock();
        let (key, _) = connection.start(call, control, is_blocking, Instant::now());
        key
    }

    /// Has a call run wherever the connection is polled.
    fn run(
        &mut self,
        key: Key,
        is_blocking: bool,
        answer: impl Future<Output = Vec<u8>> + Send + 'static,
    ) {
        let woken = &self.shared.woken;
        self.running
            .insert(key, is_blocking, Box::pin(answer), woken);
    }

    /// Runs the calls that were woken, and takes the bytes for the client; `None` after the end.
    fn poll_transmit(&mut self, task: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        let shared = &self.shared;
        shared.woken.register(task.waker());
        self.running
            .poll(&shared.woken, |key, was_blocking, mut answer| {
                shared.lock().finish(&key, was_blocking, &mut answer);
            });
        let now = Instant::now();
        let mut connection = shared.lock();
        let late = connection.handle_timeout(now);
        let bytes = connection.transmit();
        if bytes.is_some() {
            connection.has_written(Vec::new(), 0);
        }
        let has_ended = bytes.is_none() && connection.has_ended(now);
        drop(connection);
        // What is woken may ask for the lock.
        late.cancel();
        match bytes {
            Some(bytes) => Poll::Ready(Some(bytes)),
            None if has_ended => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

/// The response to a call that nothing can run.
fn no_runtime(core: &Core, id: &OwnedRawId) -> Vec<u8> {
    let mut answer = Vec::new();
    core.turn_away(id.as_raw(), &DispatchError::NoRuntime, &mut answer);
    answer
}

/// The place of a call among those in flight, as long as its plain function runs.
struct Place {
    shared: Arc<Shared>,
    key: Key,
    _memory: Option<Permit>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.shared.lock().release(&self.key);
    }
}

/// Puts the notifications of calls among the answers, before the call's own.
///
/// It does not keep the connection, which keeps the calls that have it.
#[derive(Debug)]
struct Notifications(Weak<Shared>);

impl Outbox for Notifications {
    fn send(&self, call: &CallHandle, notification: Vec<u8>) -> bool {
        let Some(shared) = self.0.upgrade() else {
            return false;
        };
        let is_sent = shared.lock().notify(call, notification);
        shared.woken.wake_task();
        is_sent
    }

    #[cfg(feature = "legacy")]
    fn ask(
        &self,
        call: &CallHandle,
        request: &str,
        slot: &Arc<ResponseSlot>,
    ) -> Result<u64, String> {
        let Some(shared) = self.0.upgrade() else {
            return Err("the connection has ended".to_owned());
        };
        let asked = shared.lock().ask(call, request, slot);
        shared.woken.wake_task();
        asked
    }

    #[cfg(feature = "legacy")]
    fn withdraw(&self, id: u64) {
        if let Some(shared) = self.0.upgrade() {
            shared.lock().withdraw(id);
            shared.woken.wake_task();
        }
    }
}
