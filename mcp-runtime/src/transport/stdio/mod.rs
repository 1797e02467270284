//! Serving over standard input and output (basic/transports/stdio).
//!
//! A thin shell around a [`Connection`], which knows the calls: here are the threads, the clock and the descriptors.
//!
//! - The *reader* reads messages, runs inline functions at once, and hands all other calls to the async runtime: async
//!   functions to its workers, plain ones to its blocking threads. It answers a burst of inline calls with one read and one
//!   write, as long as that does not make it wait for the client.
//! - The *writer* writes everything else.
//! - The thread that called for serving *supervises*: deadlines, signals, streams of changes, and the end. It never reads or
//!   writes, so that a client which does not read cannot keep the process from ending.
//!
//! No thread of these runs anything of the user's but inline functions.

mod reader;
#[cfg(test)]
mod tests;
mod wakeup;
mod wire;
mod writer;

use std::io::{self, Write as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use self::wakeup::Wakeup;
pub(crate) use self::wire::Wire;
#[cfg(feature = "cli")]
pub(crate) use self::wire::{unlocked_stderr, unlocked_stdout};
use super::TransportError;
use crate::clock;
use crate::connection::{Connection, MAX_BACKLOG};
#[cfg(feature = "legacy")]
use crate::dispatch::ResponseSlot;
use crate::dispatch::{CallHandle, Core, Outbox, SubscriberGroup};
use crate::server::{LazyRuntime, Server, ended, wait};

/// How often the reader, while it waits for the client to read, looks whether the input has ended.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

impl Server {
    /// Serves over standard input and output until the client closes the input, and then returns.
    ///
    /// SIGINT and SIGTERM end it too, as does a client that is gone. Calls that still run then get the time of
    /// [`shutdown_timeout`](crate::ServerBuilder::shutdown_timeout); what is not done afterwards is dropped, and threads that run it are not waited for.
    ///
    /// On Unix, while it serves, standard output belongs to the protocol alone: what tools and their children print
    /// goes to standard error, and what reads standard input finds its end. On other platforms tools must not print.
    ///
    /// Inline functions run on the thread that reads; async functions run on the workers of a tokio runtime, and plain
    /// functions on its blocking threads. The runtime is made when the first function is called.
    ///
    /// # Errors
    ///
    /// The streams cannot be used, or a thread cannot be made.
    pub fn serve_stdio_blocking(&self) -> Result<(), TransportError> {
        serve(self, claim()?)
    }

    /// Serves on standard input and output, and waits for the end in the caller's tokio runtime.
    ///
    /// As [`serve_stdio_blocking`](Self::serve_stdio_blocking), which runs on one of the runtime's blocking threads. Dropping
    /// the future does not end it: the end of input and the signals do.
    ///
    /// # Errors
    ///
    /// The streams cannot be used, or a thread cannot be made.
    pub async fn serve_stdio(&self) -> Result<(), TransportError> {
        let server = self.clone();
        tokio::task::spawn_blocking(move || server.serve_stdio_blocking())
            .await
            .unwrap_or_else(|error| {
                let error = io::Error::other(error);
                Err(TransportError::serve("continue to serve", error))
            })
    }
}

/// Takes standard input and output for messages alone, from now on.
pub(crate) fn claim() -> Result<Wire, TransportError> {
    Wire::claim().map_err(|error| TransportError::start("take standard input and output", error))
}

/// Writes what the program printed without a newline, but waits for that no longer than a time; returns whether it is
/// written.
///
/// A thread of a tool may hold the lock for as long as it likes, and the client may read nothing.
pub(crate) fn flush_stdout(time: Duration) -> bool {
    let flushed = ended("mcp-flush", || {
        if let Err(error) = io::stdout().flush() {
            tracing::debug!("standard output cannot be flushed: {error}");
        }
    });
    wait(flushed, time).is_some()
}

/// Serves until the input ends, the client is gone, or a signal asks for the end.
pub(crate) fn serve(server: &Server, wire: Wire) -> Result<(), TransportError> {
    let core = server.core();
    let stdio = Stdio::new(Arc::clone(core), wire)
        .map_err(|error| TransportError::start("listen for signals", error))?;
    core.start_tasks();
    let (ended, since) = stdio.supervise();
    let grace = core.options.limits.shutdown_timeout;
    let left = grace.saturating_sub(since.elapsed());
    Server::stop_tasks_within(core, left, grace);
    server.shut_down_within(grace);
    core.refusals.finish();
    match ended {
        Err(error) if is_end_of_client(&error) => Ok(()),
        Err(error) => Err(TransportError::serve("continue to serve", error)),
        Ok(()) => Ok(()),
    }
}

/// Whether an error only says that nobody is at the other end any more.
fn is_end_of_client(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset
    )
}

type Guard<'a> = MutexGuard<'a, State>;

/// What the threads share.
#[derive(Debug)]
struct Stdio {
    core: Arc<Core>,
    wire: Wire,
    wakeup: Arc<Wakeup>,
    runtime: Arc<LazyRuntime>,
    /// The streams of the connection, as the dispatcher knows them.
    subscribers: Arc<SubscriberGroup>,
    state: Mutex<State>,
    /// There are bytes for the writer, or the connection is closed.
    has_bytes: Condvar,
    /// Bytes have been written, or the connection is closed.
    has_written: Condvar,
    widened: Once,
}

#[derive(Debug)]
struct State {
    connection: Connection,
    /// The reader waits for input.
    is_reading: bool,
    input_has_ended: bool,
    /// Why serving cannot go on.
    failure: Option<io::Error>,
    /// When the supervising thread looks again by itself.
    looks_at: Option<Instant>,
}

impl State {
    /// Has the supervising thread look at a time, unless it does so before.
    fn look_by(&mut self, deadline: Option<Instant>, wakeup: &Wakeup) {
        let Some(deadline) = deadline else {
            return;
        };
        if self.looks_at.is_none_or(|looks_at| deadline < looks_at) {
            self.looks_at = Some(deadline);
            wakeup.wake();
        }
    }
}

impl Stdio {
    fn new(core: Arc<Core>, wire: Wire) -> io::Result<Arc<Self>> {
        let wakeup = Arc::new(Wakeup::new()?);
        let subscribers = SubscriberGroup::together();
        let connection =
            Connection::new(Arc::clone(&core), &subscribers, Arc::clone(&wakeup).into());
        Ok(Arc::new(Self {
            runtime: Arc::new(LazyRuntime::new(core.options.limits.max_calls_in_flight)),
            core,
            wire,
            wakeup,
            subscribers,
            state: Mutex::new(State {
                connection,
                is_reading: false,
                input_has_ended: false,
                failure: None,
                looks_at: None,
            }),
            has_bytes: Condvar::new(),
            has_written: Condvar::new(),
            widened: Once::new(),
        }))
    }

    fn lock(&self) -> Guard<'_> {
        // A panic of ours with the lock held ends serving: see `OnPanic`.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Controls a call of this connection.
    fn control(self: &Arc<Self>) -> Arc<CallHandle> {
        let runtime = Arc::clone(&self.runtime);
        let control = CallHandle::within(runtime)
            .with_outbox(Arc::new(Notifications(Arc::downgrade(self))))
            .with_subscriber_group(Arc::clone(&self.subscribers));
        Arc::new(control.with_clock(clock::now))
    }

    /// Starts the other threads, and does what is due until serving ends; returns when the end began, too.
    fn supervise(self: &Arc<Self>) -> (io::Result<()>, Instant) {
        let threads = self
            .spawn("mcp-stdio-read", reader::read)
            .and_then(|()| self.spawn("mcp-stdio-write", writer::write));
        if let Err(error) = threads {
            return (Err(error), Instant::now());
        }
        let mut end_began = None;
        loop {
            let mut state = self.lock();
            let is_over = state.input_has_ended || self.wakeup.signalled();
            if is_over && state.connection.is_open() {
                // What is woken by the end of the streams asks for the lock.
                drop(state);
                self.core.broadcaster.end(&self.subscribers);
                self.core.begin_drain();
                state = self.lock();
                state.connection.end(*end_began.insert(Instant::now()));
            }
            let now = Instant::now();
            let late = state.connection.handle_timeout(now);
            if state.connection.has_ended(now) {
                drop(state);
                late.cancel();
                return (self.close(), end_began.unwrap_or(now));
            }
            self.after_change(&state);
            state.looks_at = state.connection.next_deadline();
            let sleep = state.looks_at.map(|at| at.saturating_duration_since(now));
            drop(state);
            late.cancel();
            self.wakeup.wait(sleep);
            self.wire.guard_stderr();
        }
    }

    /// Starts a thread whose panic ends serving.
    fn spawn(self: &Arc<Self>, name: &str, run: fn(&Arc<Self>)) -> io::Result<()> {
        let stdio = Arc::clone(self);
        let run = move || {
            let _on_panic = OnPanic(&stdio);
            run(&stdio);
        };
        thread::Builder::new().name(name.into()).spawn(run)?;
        Ok(())
    }

    /// Gives up what is left, without waiting for it.
    fn close(&self) -> io::Result<()> {
        let mut state = self.lock();
        // The standard streams go back only if nothing is left that would read them, or print among the client's messages.
        let is_alone = !state.is_reading
            && !state.connection.has_blocking()
            && state.connection.is_drained()
            && !state.connection.is_closed();
        let left = state.connection.close();
        let failure = state.failure.take();
        drop(state);
        self.has_bytes.notify_all();
        self.has_written.notify_all();
        left.cancel();
        self.runtime.shut_down();
        match failure {
            Some(error) => Err(error),
            None if is_alone => self.wire.release(),
            None => Ok(()),
        }
    }

    /// Notes why nothing can be written any more; the first reason counts.
    fn fail(&self, state: &mut State, error: io::Error) {
        state.failure.get_or_insert(error);
        let left = state.connection.close();
        self.has_bytes.notify_all();
        self.has_written.notify_all();
        self.wakeup.wake();
        // The process is about to end: the functions are told by the end of the runtime.
        drop(left);
    }

    /// Has bytes written and the end noticed, after calls have ended or messages were added.
    fn after_change(&self, state: &State) {
        if state.connection.unsent() > 0 {
            self.has_bytes.notify_one();
        }
        if !state.connection.is_open() {
            self.wakeup.wake();
        }
    }

    /// Notifies the threads that wait for a write to end.
    fn after_write(&self, state: &mut State) {
        self.has_written.notify_all();
        // Streams of changes are looked at once everything has been written.
        let deadline = state.connection.next_deadline();
        state.look_by(deadline, &self.wakeup);
        if !state.connection.is_open() {
            self.wakeup.wake();
        }
    }

    /// Writes as much as does not make this thread wait for the client; the writer does the rest.
    fn flush<'a>(&'a self, mut state: Guard<'a>) -> Guard<'a> {
        let Some(bytes) = state.connection.transmit() else {
            return state;
        };
        drop(state);
        let written = self.wire.write_at_once(&bytes);
        state = self.lock();
        match written {
            Ok(count) => state.connection.has_written(bytes, count),
            Err(error) => {
                let count = bytes.len();
                state.connection.has_written(bytes, count);
                self.fail(&mut state, error);
            }
        }
        if state.connection.unsent() > 0 {
            self.has_bytes.notify_one();
        }
        self.after_write(&mut state);
        state
    }

    /// Lets the reader wait as long as the client leaves too much unread.
    ///
    /// It does not read meanwhile, so it has to look in another way whether the input has ended. If so, what is left of it
    /// is read once the client reads; if that takes nothing for the time of grace, this is the end.
    fn wait_for_backlog<'a>(&'a self, mut state: Guard<'a>) -> Guard<'a> {
        if state.connection.unsent() <= MAX_BACKLOG {
            return state;
        }
        let grace = self.core.options.limits.shutdown_timeout;
        let (mut written, mut since) = (self.wire.written(), Instant::now());
        while state.connection.unsent() > MAX_BACKLOG && !state.connection.is_closed() {
            self.has_bytes.notify_one();
            let waited = self.has_written.wait_timeout(state, LOOK_INTERVAL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            let before = std::mem::replace(&mut written, self.wire.written());
            if written != before || !self.wire.input_has_ended() {
                since = Instant::now();
            } else if since.elapsed() >= grace {
                self.fail(&mut state, io::ErrorKind::BrokenPipe.into());
            }
        }
        state
    }

    /// Lets the writer wait until there are bytes.
    fn wait_for_bytes<'a>(&self, state: Guard<'a>) -> Guard<'a> {
        let waited = self.has_bytes.wait(state);
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for input.
    fn read(&self, room: &mut [u8]) -> io::Result<usize> {
        self.lock().is_reading = true;
        let read = self.wire.read(room);
        self.lock().is_reading = false;
        read
    }

    /// Asks for pipes that hold large messages, once one has come.
    fn widen(&self) {
        self.widened.call_once(|| self.wire.widen());
    }
}

/// Ends serving if a thread of ours panics, since no other would do its work.
struct OnPanic<'a>(&'a Stdio);

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let error = io::Error::other("a thread of the transport panicked");
            self.0.fail(&mut self.0.lock(), error);
        }
    }
}

/// Puts the notifications of calls among the answers, before the call's own.
///
/// It does not keep the connection, which keeps the calls that have it.
#[derive(Debug)]
struct Notifications(Weak<Stdio>);

impl Outbox for Notifications {
    fn send(&self, call: &CallHandle, notification: Vec<u8>) -> bool {
        let Some(stdio) = self.0.upgrade() else {
            return false;
        };
        // Under the lock with which calls are cancelled and answered, so that nothing comes after either.
        let mut state = stdio.lock();
        let is_sent = state.connection.notify(call, notification);
        stdio.after_change(&state);
        is_sent
    }

    #[cfg(feature = "legacy")]
    fn ask(
        &self,
        call: &CallHandle,
        request: &str,
        slot: &Arc<ResponseSlot>,
    ) -> Result<u64, String> {
        let Some(stdio) = self.0.upgrade() else {
            return Err("the connection has ended".to_owned());
        };
        let mut state = stdio.lock();
        let asked = state.connection.ask(call, request, slot);
        stdio.after_change(&state);
        asked
    }

    #[cfg(feature = "legacy")]
    fn withdraw(&self, id: u64) {
        if let Some(stdio) = self.0.upgrade() {
            let mut state = stdio.lock();
            state.connection.withdraw(id);
            stdio.after_change(&state);
        }
    }
}
